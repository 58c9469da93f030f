//! Progress in a terminal: a line per running agent, which becomes permanent when the agent ends.
//!
//! Permanent lines are those of [`super::progress`]; below them are the stages with the current one, one line per running
//! turn (its time, its agent, what it does, its last words) and one for the money. Indicatif redraws them over `Screen`, a terminal over the given writer, so
//! that tests see every byte, and a closed standard error stops the drawing but not the run.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, BufWriter, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use indicatif::{
    MultiProgress, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle, TermLike,
};

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use super::progress::Lines;
use super::words::{self, FAINT, HEAD, paint};
use super::{Look, Reporter};
use crate::engine::events::{Event, EventKind};
use crate::kernel::{HUMAN, Stage, Usd};

/// Interval of redrawing a running line without news: only its seconds change.
const SECOND: Duration = Duration::from_secs(1);
/// Columns of a running line before what is done: the spinner, the time and its limit, the spaces between.
const CLOCK_COLUMNS: usize = 20;
/// Bytes of a screen that is redrawn at once; more is written in parts.
const FRAME_BYTES: usize = 64 << 10;
/// Columns that are too few for words.
const SHORT: usize = 8;
/// Maximum number of redraws per second.
const HERTZ: u8 = 15;

/// Breaks a line between words; lines after the first are indented by two columns. Colours take no columns.
fn wrap(line: &str, width: usize) -> Vec<String> {
    const INDENT: &str = "  ";
    let mut lines = vec![String::new()];
    let (mut used, mut empty) = (0, true);
    for word in line.split_inclusive(' ') {
        let room = visible(word.trim_end());
        if !empty && used + room > width {
            if let Some(full) = lines.last_mut() {
                full.truncate(full.trim_end().len());
            }
            lines.push(INDENT.to_owned());
            used = INDENT.len();
        }
        if let Some(last) = lines.last_mut() {
            last.push_str(word);
        }
        used += visible(word);
        empty = false;
    }
    lines
}

/// Returns the width of a text in columns; our own colour sequences end in `m` and take none.
fn visible(text: &str) -> usize {
    let mut columns = 0;
    for (index, part) in text.split('\u{1b}').enumerate() {
        let shown = match part.split_once('m') {
            Some((_, shown)) if index > 0 => shown,
            _ => part,
        };
        columns += shown.width();
    }
    columns
}

/// Returns the end of a text that fits into so many columns.
fn end_of(text: &str, columns: usize) -> &str {
    let mut used = 0;
    let fits = |character: &(usize, char)| {
        used += character.1.width().unwrap_or(0);
        used <= columns
    };
    let from = text.char_indices().rev().take_while(fits).last();
    from.map_or("", |(at, _)| &text[at..])
}

/// The writer, shared by the run and the ticks; `None` once a write failed. A redrawn screen is one write.
type Output = Arc<Mutex<Option<BufWriter<Box<dyn Write + Send>>>>>;

/// Live progress. If dropped during a run, it leaves no half-drawn line: the bars clear themselves.
pub(crate) struct LiveProgress {
    out: Output,
    colour: bool,
    width: usize,
    columns: fn() -> Option<usize>,
    lines: Lines,
    multi: MultiProgress,
    money: Option<ProgressBar>,
    /// The line of the stages, and the stage it shows.
    strip: Option<(ProgressBar, &'static str)>,
    /// Maximum number of turns of the session, and those that ended.
    calls: (u32, u32),
    /// The time shown by the clock before a person was asked; set while the person is asked.
    aside: Option<Duration>,
    turns: BTreeMap<String, ProgressBar>,
}

impl LiveProgress {
    /// Creates a reporter that draws on `out`, a terminal's standard error. `columns` asks the terminal for its
    /// width, which may change during a run; if it is not known, `look.width` counts. (`COLUMNS` does not: redrawing
    /// needs to know where lines really break.)
    pub(crate) fn new(
        out: Box<dyn Write + Send>,
        look: Look,
        columns: fn() -> Option<usize>,
    ) -> Self {
        let out = Arc::new(Mutex::new(Some(BufWriter::with_capacity(FRAME_BYTES, out))));
        let screen = Screen { out: Arc::clone(&out), width: look.width, columns };
        let target = ProgressDrawTarget::term_like_with_hz(Box::new(screen), HERTZ);
        Self {
            out,
            colour: look.colour,
            width: look.width,
            columns,
            lines: Lines::new(look.colour).without_totals(),
            multi: MultiProgress::with_draw_target(target),
            money: None,
            strip: None,
            calls: (0, 0),
            aside: None,
            turns: BTreeMap::new(),
        }
    }

    fn columns(&self) -> usize {
        (self.columns)().unwrap_or(self.width)
    }

    fn say(&self, lines: &[String]) -> io::Result<()> {
        let width = self.columns();
        lines
            .iter()
            .flat_map(|line| wrap(line, width))
            .try_for_each(|line| self.multi.println(line))
    }

    fn open_money(&mut self, spent: Usd, since: Duration) {
        let bar = self.multi.add(ProgressBar::no_length());
        let template = match self.lines.budget() {
            Some(budget) => {
                bar.set_length(budget.micros());
                "  budget {bar:20} {msg}, {time}"
            }
            None => "  spent {msg}, {time}",
        };
        bar.set_style(style(template, self.colour));
        bar.set_elapsed(since);
        bar.enable_steady_tick(SECOND);
        self.money = Some(bar);
        self.show_money(spent);
    }

    fn show_money(&self, spent: Usd) {
        if let Some(bar) = &self.money {
            let (most, done) = self.calls;
            let calls = match most {
                0 => String::new(),
                _ => format!(", {done} of at most {most} calls"),
            };
            bar.set_position(spent.micros());
            bar.set_message(format!("{}{calls}", words::spent(spent, self.lines.budget())));
        }
    }

    /// Shows the stage that a turn belongs to among the others.
    fn open_stage(&mut self, turn: &str) {
        let stages = self.lines.stages();
        let Some(stage) = Stage::of(stages, turn) else { return };
        let (bar, shown) = self.strip.take().unwrap_or_else(|| {
            let bar = ProgressBar::no_length().with_style(style("  {wide_msg}", self.colour));
            (self.multi.insert(0, bar), "")
        });
        if shown != stage.name {
            let place = stages.iter().take_while(|each| each.name != stage.name).count() + 1;
            let whole = stages.iter().map(|each| each.name).collect::<Vec<_>>().join(" > ");
            let text = if visible(&whole) + 4 > self.columns() {
                format!("{} ({place} of {})", paint(stage.name, HEAD, self.colour), stages.len())
            } else {
                let named = |each: &Stage| match (each.name == stage.name, self.colour) {
                    (true, true) => paint(each.name, HEAD, true),
                    (true, false) => format!("[{}]", each.name),
                    (false, colour) => paint(each.name, FAINT, colour),
                };
                stages.iter().map(named).collect::<Vec<_>>().join(" > ")
            };
            bar.set_message(text);
        }
        self.strip = Some((bar, stage.name));
    }

    fn open_turn(&mut self, turn: &str, limit: Option<Duration>, since: Duration) {
        self.open_stage(turn);
        let bar = ProgressBar::new_spinner();
        let bar = match &self.money {
            Some(money) => self.multi.insert_before(money, bar),
            None => self.multi.add(bar),
        };
        let limit = limit.map(|limit| format!(" of {}", words::limit(limit))).unwrap_or_default();
        bar.set_style(style(&format!("{{spinner}} {{time:>3}}{limit}  {{wide_msg}}"), self.colour));
        bar.set_elapsed(since);
        bar.enable_steady_tick(SECOND);
        self.turns.insert(turn.to_owned(), bar);
        self.tell(turn, "");
    }

    /// Shows the last words of a running turn, behind what it does.
    fn tell(&self, turn: &str, message: &str) {
        if let Some(bar) = self.turns.get(turn) {
            let what = format!("{} {}", self.lines.player(turn).label(), self.lines.task(turn));
            // The last words count, and the verb never gives way to them.
            let room = self.columns().saturating_sub(what.width() + CLOCK_COLUMNS);
            let colon = if message.is_empty() || room < SHORT { "" } else { ": " };
            let words = if colon.is_empty() { "" } else { end_of(message, room) };
            bar.set_message(format!("{what}{colon}{words}"));
        }
    }

    fn close_turn(&mut self, turn: &str) {
        if let Some(bar) = self.turns.remove(turn) {
            bar.finish_and_clear();
            self.multi.remove(&bar);
        }
    }

    fn close_all(&mut self) {
        let turns = std::mem::take(&mut self.turns).into_values();
        let strip = self.strip.take().map(|(bar, _)| bar);
        turns.chain(strip).chain(self.money.take()).for_each(|bar| bar.finish_and_clear());
    }
}

impl LiveProgress {
    /// Stops drawing while a person is asked: redrawn lines would overwrite the question.
    fn step_aside(&mut self) {
        self.aside = self.money.as_ref().map(ProgressBar::elapsed);
        self.close_all();
    }

    fn come_back(&mut self, spent: Usd) {
        if let Some(elapsed) = self.aside.take() {
            self.open_money(spent, elapsed);
        }
    }
}

impl Reporter for LiveProgress {
    fn event(&mut self, event: &Event) -> io::Result<()> {
        let lines = self.lines.permanent(&event.kind);
        match &event.kind {
            EventKind::SessionStarted { spent, course, .. } => {
                self.calls = (course.turns, 0);
                self.open_money(*spent, course.since);
                self.say(&lines)?;
            }
            EventKind::RoundOpened { .. }
            | EventKind::Found(_)
            | EventKind::RoundClosed { .. }
            | EventKind::SinkFinished { .. } => {
                self.say(&lines)?;
            }
            EventKind::TurnStarted { agent, .. } if agent == HUMAN => self.step_aside(),
            EventKind::TurnStarted { turn, limit, since, .. } => {
                self.open_turn(turn, *limit, *since);
            }
            EventKind::TurnOutput { turn, bytes, phase } => match phase {
                Some(phase) => self.tell(turn, &words::sentence(phase)),
                None if *bytes > 0 => self.tell(turn, &words::bytes(*bytes)),
                None => {}
            },
            EventKind::TurnRetrying { turn, delay, .. } => {
                self.say(&lines)?;
                self.tell(turn, &format!("again in {}", words::time(*delay)));
            }
            EventKind::TurnRepairing { turn, .. } => {
                self.say(&lines)?;
                self.tell(turn, "asked again");
            }
            EventKind::TurnFellBack { turn, .. } => {
                self.say(&lines)?;
                self.tell(turn, "steps in");
            }
            EventKind::TurnFinished { turn, spent, .. } => {
                self.calls.1 += 1;
                self.close_turn(turn);
                self.say(&lines)?;
                self.come_back(*spent);
                self.show_money(*spent);
            }
            EventKind::SessionFinished { .. } => {
                self.close_all();
                self.say(&lines)?;
                // Indicatif leaves the cursor after the last line; the following output, such as the result on
                // standard output, starts on a line of its own.
                put(&self.out, "\n");
                flush(&self.out);
            }
        }
        Ok(())
    }
}

fn style(template: &str, colour: bool) -> ProgressStyle {
    let frames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏", " "]
        .map(|frame| paint(frame, words::GOOD, colour));
    let frames: Vec<&str> = frames.iter().map(String::as_str).collect();
    ProgressStyle::with_template(template)
        .unwrap_or_else(|_| ProgressStyle::default_spinner())
        .progress_chars("━━╌")
        .tick_strings(&frames)
        .with_key("time", |state: &ProgressState, out: &mut dyn fmt::Write| {
            // If formatting fails, the line is drawn without its time.
            let _ = out.write_str(&words::clock(state.elapsed()));
        })
}

fn put(out: &Output, text: &str) {
    let mut out = out.lock().unwrap_or_else(PoisonError::into_inner);
    if out.as_mut().is_some_and(|out| out.write_all(text.as_bytes()).is_err()) {
        *out = None;
    }
}

fn flush(out: &Output) {
    let mut out = out.lock().unwrap_or_else(PoisonError::into_inner);
    if out.as_mut().is_some_and(|out| out.flush().is_err()) {
        *out = None;
    }
}

/// A terminal over a writer. After a failed write nothing more is written.
struct Screen {
    out: Output,
    width: usize,
    columns: fn() -> Option<usize>,
}

impl fmt::Debug for Screen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Screen").field("width", &self.width).finish_non_exhaustive()
    }
}

impl Screen {
    fn put(&self, text: &str) {
        put(&self.out, text);
    }

    fn step(&self, count: usize, way: char) {
        if count > 0 {
            self.put(&format!("\u{1b}[{count}{way}"));
        }
    }
}

impl TermLike for Screen {
    fn width(&self) -> u16 {
        u16::try_from((self.columns)().unwrap_or(self.width)).unwrap_or(u16::MAX)
    }
    fn move_cursor_up(&self, n: usize) -> io::Result<()> {
        self.step(n, 'A');
        Ok(())
    }
    fn move_cursor_down(&self, n: usize) -> io::Result<()> {
        self.step(n, 'B');
        Ok(())
    }
    fn move_cursor_right(&self, n: usize) -> io::Result<()> {
        self.step(n, 'C');
        Ok(())
    }
    fn move_cursor_left(&self, n: usize) -> io::Result<()> {
        self.step(n, 'D');
        Ok(())
    }
    fn write_line(&self, text: &str) -> io::Result<()> {
        self.put(text);
        self.put("\n");
        Ok(())
    }
    fn write_str(&self, text: &str) -> io::Result<()> {
        self.put(text);
        Ok(())
    }
    fn clear_line(&self) -> io::Result<()> {
        self.put("\r\u{1b}[2K");
        Ok(())
    }
    fn flush(&self) -> io::Result<()> {
        flush(&self.out);
        Ok(())
    }
}

#[cfg(test)]
mod tests;
