//! Progress in a terminal: a line per running agent, which becomes permanent when the agent ends.
//!
//! Permanent lines are those of [`super::progress`]; below them are the stages with the current one, one line per
//! running turn (its time, its agent, what it does, its last words) and one for the money. Indicatif redraws them over
//! `Screen`, a terminal over the given writer, so that tests see every byte, and a closed standard error stops the
//! drawing but not the run. A job in the background writes its permanent lines alone, as any other would: rows would be
//! drawn over the shell's. What a row shows depends on the events and the given clock alone; indicatif's ticks only say
//! when.

use std::fmt;
use std::io::{self, Write};
use std::mem;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{
    MultiProgress, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle, TermLike,
};
use signal_hook::consts::SIGCONT;
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use super::page::terminal::visible;
use super::progress::Lines;
use super::table::push_wrapped;
use super::words::{self, FAINT, HEAD, paint};
use super::{Look, Reporter};
use crate::engine::events::{Event, EventKind};
use crate::kernel::{HUMAN, Stage, Usd};
use crate::text::sanitize;

/// Interval of redrawing a running line without news: only its seconds change.
const SECOND: Duration = Duration::from_secs(1);
/// Columns of a running line before what is done: the spinner, the time and its limit, the spaces between.
const CLOCK_COLUMNS: usize = 20;
/// Columns that are too few for words.
const SHORT: usize = 8;
/// Columns below which rows do without limits, agents' names, the budget's bar and the number of calls.
const NARROW: usize = 80;
/// Maximum number of lines of the words of a chosen seat.
const WORDS_LINES: usize = 8;
/// Maximum number of redraws per second.
const HERTZ: u8 = 8;
/// What turns before a running line, a second each.
const SPINNER: &str = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏";

/// Breaks a line between words; lines after the first are indented by two columns. Colours take no columns.
fn wrap(line: &str, width: usize) -> Vec<String> {
    let mut text = String::new();
    push_wrapped(&mut text, line, "", "  ", width);
    text.lines().map(str::to_owned).collect()
}

/// Returns the last words of a text that fit into so many columns.
fn end_of(text: &str, columns: usize) -> String {
    if text.width() <= columns {
        return text.to_owned();
    }
    let mut used = 1;
    let fits = |character: &(usize, char)| {
        used += character.1.width().unwrap_or(0);
        used <= columns
    };
    let from = text.char_indices().rev().take_while(fits).last();
    let end = from.map_or("", |(at, _)| &text[at..]);
    format!("…{}", end.split_once(' ').map_or(end, |(_, words)| words))
}

/// A terminal over a writer, and what indicatif drew on it last.
struct Terminal {
    out: Box<dyn Write + Send>,
    /// What is drawn next: a redrawn screen is one write.
    frame: Vec<u8>,
    /// Whether others have written below the last frame: it is left as it is, and the next is drawn below.
    is_left: Arc<AtomicBool>,
    /// The widths of the lines of the last frame, and that of the terminal at the time.
    lines: Vec<usize>,
    columns: usize,
    /// Whether the cursor is behind a line, and whether indicatif fills that line up next.
    behind: bool,
    fills: bool,
}

impl Terminal {
    fn put(&mut self, text: &str) -> io::Result<()> {
        self.frame.write_all(text.as_bytes())
    }

    /// Writes what was drawn, or forgets it.
    fn end_frame(&mut self, is_shown: bool) -> io::Result<()> {
        let frame = mem::take(&mut self.frame);
        self.is_left.store(!is_shown, Ordering::Relaxed);
        if !is_shown {
            (self.behind, self.fills) = (false, false);
            return Ok(());
        }
        self.out.write_all(&frame)?;
        self.out.flush()
    }

    fn step(&mut self, count: usize, way: char) -> io::Result<()> {
        let stays = count == 0 || self.is_left.load(Ordering::Relaxed);
        if stays { Ok(()) } else { write!(self.frame, "\u{1b}[{count}{way}") }
    }

    /// Goes up to the first of the last frame's rows, as many as there are after a change of the terminal's width.
    fn up(&mut self, count: usize, columns: usize) -> io::Result<()> {
        let before = mem::replace(&mut self.columns, columns);
        let lines = mem::take(&mut self.lines);
        if before == columns || lines.is_empty() {
            return self.step(count, 'A');
        }
        let (mut old, mut new) = (0, 0_usize);
        for width in lines.iter().rev() {
            if old <= count {
                old += width.div_ceil(before).max(1);
                new += width.div_ceil(columns).max(1);
            }
        }
        self.step(new.saturating_sub(1), 'A')?;
        self.put("\r\u{1b}[J")
    }

    /// Writes a line. Indicatif fills it up with spaces, as one that the next follows without a line end; a terminal
    /// that changes its width would join them, so it gets the line end instead.
    fn line(&mut self, text: &str) -> io::Result<()> {
        if mem::take(&mut self.fills) {
            return Ok(());
        }
        self.end_line()?;
        self.lines.push(visible(text));
        (self.behind, self.fills) = (true, true);
        self.put(text)
    }

    fn end_line(&mut self) -> io::Result<()> {
        if mem::take(&mut self.behind) { self.put("\n") } else { Ok(()) }
    }
}

/// Live progress. If dropped during a run, it leaves no half-drawn line: the bars clear themselves.
pub struct LiveProgress {
    screen: Screen,
    colour: bool,
    now: fn() -> Instant,
    lines: Lines,
    multi: MultiProgress,
    money: Option<ProgressBar>,
    /// The line of the stages, and the stage it shows.
    strip: Option<(ProgressBar, &'static str)>,
    /// Maximum number of turns of the session, and those that ended.
    calls: (u32, u32),
    /// When the session began.
    begun: Instant,
    /// The running turns, in the order of their rows.
    turns: Vec<Row>,
    /// The turn whose words are shown in several lines, and its role, whose next turn follows it.
    chosen: Option<(String, String)>,
}

/// The row of a running turn.
struct Row {
    turn: String,
    bar: ProgressBar,
    /// Its last words.
    words: String,
}

impl LiveProgress {
    /// Creates a reporter that draws on `out`, a terminal's standard error. `size` asks the terminal for its size,
    /// which may change during a run; if it is not known, `look.width` counts. (`COLUMNS` does not: redrawing needs
    /// to know where lines really break.) `is_ours` says whether this job is in front of it, or it has no jobs. `now` is
    /// the clock that rows show.
    pub fn new(
        out: Box<dyn Write + Send>,
        look: Look,
        size: fn() -> Option<(usize, usize)>,
        is_ours: fn() -> bool,
        now: fn() -> Instant,
    ) -> Self {
        let (is_left, frame, lines) = (Arc::default(), Vec::new(), Vec::new());
        // While this process was stopped, the shell wrote. Without the handler, it is drawn over.
        signal_hook::flag::register(SIGCONT, Arc::clone(&is_left)).ok();
        let (columns, behind, fills) = (0, false, false);
        let terminal = Terminal { out, frame, is_left, lines, columns, behind, fills };
        let terminal = Arc::new(Mutex::new(terminal));
        let screen = Screen { terminal, width: look.width, size, is_ours };
        let target = ProgressDrawTarget::term_like_with_hz(Box::new(screen.clone()), HERTZ);
        Self {
            screen,
            colour: look.colour,
            now,
            lines: Lines::new(look.colour).without_totals(),
            multi: MultiProgress::with_draw_target(target),
            money: None,
            strip: None,
            calls: (0, 0),
            begun: now(),
            turns: Vec::new(),
            chosen: None,
        }
    }

    fn columns(&self) -> usize {
        self.screen.width().into()
    }

    /// The time of something that began so long ago.
    fn ago(&self, since: Duration) -> Instant {
        (self.now)().checked_sub(since).unwrap_or_else(self.now)
    }

    /// Prints lines that stay. That it failed, if nobody reads any more, is of no consequence.
    fn say(&self, lines: &[String]) {
        let width = self.columns();
        let lines = lines.iter().flat_map(|line| wrap(line, width));
        if !(self.screen.is_ours)() {
            let text: String = lines.map(|line| line + "\n").collect();
            let mut terminal = self.screen.lock();
            terminal.end_frame(false).and_then(|()| terminal.out.write_all(text.as_bytes())).ok();
            return;
        }
        lines.for_each(|line| drop(self.multi.println(line)));
        if self.money.is_none() {
            // What follows, such as the result on standard output, starts on a line of its own.
            let mut terminal = self.screen.lock();
            terminal.lines.clear();
            terminal.end_line().and_then(|()| terminal.end_frame(true)).ok();
        }
    }

    fn open_money(&mut self, spent: Usd) {
        let bar = self.multi.add(ProgressBar::no_length());
        if let Some(budget) = self.lines.budget() {
            bar.set_length(budget.micros());
        }
        bar.enable_steady_tick(SECOND);
        self.money = Some(bar);
        self.show_money(spent);
    }

    fn show_money(&self, spent: Usd) {
        if let Some(bar) = &self.money {
            let columns = self.columns();
            let narrow = columns < NARROW;
            let template = match self.lines.budget() {
                Some(_) if !narrow => "  budget {bar:10} {msg}, {time}",
                _ => "  spent {msg}, {time}",
            };
            let mut text = words::spent(spent, self.lines.budget());
            if let (most @ 1.., done) = self.calls
                && !narrow
            {
                let rest = u64::from(most.saturating_sub(done)) * spent.micros();
                let rest = rest / u64::from(done.max(1));
                let end = format!(", about {}", spent + Usd::from_micros(rest));
                text = format!("{text}, {done} of at most {most} calls");
                // In front of it stand 20 columns, behind it the time.
                if rest > 0 && text.len() + end.len() + 30 <= columns {
                    text.push_str(&end);
                }
            }
            bar.set_style(self.style(template, self.begun));
            bar.set_position(spent.micros());
            bar.set_message(text);
        }
    }

    /// Shows the stage that a turn belongs to among the others.
    fn open_stage(&mut self, turn: &str) {
        let stages = self.lines.stages();
        let Some(stage) = Stage::of(stages, turn) else { return };
        let (bar, shown) = self.strip.take().unwrap_or_else(|| {
            let bar = ProgressBar::no_length().with_style(self.style("  {wide_msg}", self.begun));
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
        if let Some((chosen, role)) = &mut self.chosen
            && *role == self.lines.player(turn).role
            && self.turns.iter().all(|row| row.turn != *chosen)
        {
            turn.clone_into(chosen);
        }
        let bar = ProgressBar::new_spinner();
        let bar = match &self.money {
            Some(money) => self.multi.insert_before(money, bar),
            None => self.multi.add(bar),
        };
        let limit = limit.filter(|_| self.columns() >= NARROW);
        let limit = limit.map(|limit| format!(" of {}", words::limit(limit))).unwrap_or_default();
        let template = format!("{{spin}} {{time:>3}}{limit}  {{wide_msg}}\n{{prefix}}");
        bar.set_style(self.style(&template, self.ago(since)));
        bar.enable_steady_tick(SECOND);
        self.turns.push(Row { turn: turn.to_owned(), bar, words: String::new() });
        self.tell(turn, String::new());
    }

    /// Shows the last words of a running turn.
    fn tell(&mut self, turn: &str, message: String) {
        if let Some(at) = self.turns.iter().position(|row| row.turn == turn) {
            self.turns[at].words = message;
            self.draw(&self.turns[at]);
        }
    }

    /// Draws what a turn does, and its last words: behind it, or below it if it is the chosen one.
    fn draw(&self, row: &Row) {
        let (turn, columns) = (&row.turn, self.columns());
        let player = self.lines.player(turn);
        let who = if columns < NARROW { player.role.clone() } else { player.label() };
        let what = format!("{who} {}", self.lines.task(turn));
        // The last words count, and the verb never gives way to them.
        let room = columns.saturating_sub(what.width() + CLOCK_COLUMNS);
        let (behind, below) = if self.chosen.as_ref().is_some_and(|(chosen, _)| chosen == turn) {
            let rows = WORDS_LINES.min(usize::from(self.screen.height()) / 3);
            let lines = wrap(&format!("  {}", end_of(&row.words, columns * rows)), columns);
            (":".to_owned(), lines[lines.len().saturating_sub(rows)..].join("\n"))
        } else if row.words.is_empty() || room < SHORT {
            Default::default()
        } else {
            (format!(": {}", end_of(&row.words, room)), String::new())
        };
        if row.bar.prefix() != below {
            row.bar.set_prefix(below);
        }
        row.bar.set_message(what + &behind);
    }

    /// The style of a line; `{time}` is the time since it began.
    fn style(&self, template: &str, begun: Instant) -> ProgressStyle {
        let (now, colour) = (self.now, self.colour);
        let elapsed = move || now().saturating_duration_since(begun);
        // If formatting fails, the line is drawn without its time.
        ProgressStyle::with_template(template)
            .unwrap_or_else(|_| ProgressStyle::default_spinner())
            .progress_chars("━━╌")
            .with_key("time", move |_: &ProgressState, out: &mut dyn fmt::Write| {
                out.write_str(&words::clock(elapsed())).ok();
            })
            .with_key("spin", move |_: &ProgressState, out: &mut dyn fmt::Write| {
                let at = usize::try_from(elapsed().as_secs() % 10).unwrap_or_default();
                let frame = SPINNER.chars().nth(at).unwrap_or_default().to_string();
                out.write_str(&paint(&frame, words::GOOD, colour)).ok();
            })
    }

    fn close_turn(&mut self, turn: &str) {
        if let Some(at) = self.turns.iter().position(|row| row.turn == turn) {
            let bar = self.turns.remove(at).bar;
            bar.finish_and_clear();
            self.multi.remove(&bar);
        }
    }

    fn close_all(&mut self) {
        let turns = mem::take(&mut self.turns).into_iter().map(|row| row.bar);
        let strip = self.strip.take().map(|(bar, _)| bar);
        turns.chain(strip).chain(self.money.take()).for_each(|bar| bar.finish_and_clear());
    }
}

impl Reporter for LiveProgress {
    fn event(&mut self, event: &Event) -> io::Result<()> {
        let lines = self.lines.permanent(&event.kind);
        match &event.kind {
            EventKind::SessionStarted { spent, course, .. } => {
                self.calls = (course.turns, 0);
                self.begun = self.ago(course.since);
                self.open_money(*spent);
                self.say(&lines);
            }
            EventKind::RoundOpened { .. }
            | EventKind::Found(_)
            | EventKind::RoundClosed { .. }
            | EventKind::SinkFinished { .. } => {
                self.say(&lines);
            }
            // Redrawn lines would overwrite the question.
            EventKind::TurnStarted { agent, .. } if agent == HUMAN => self.close_all(),
            EventKind::TurnStarted { turn, limit, since, .. } => {
                self.open_turn(turn, *limit, *since);
            }
            EventKind::TurnOutput { turn, bytes, phase } => match phase {
                Some(phase) => self.tell(turn, sanitize::line(phase, usize::MAX)),
                None if *bytes > 0 => self.tell(turn, words::bytes(*bytes)),
                None => {}
            },
            EventKind::TurnRetrying { turn, delay, .. } => {
                self.say(&lines);
                self.tell(turn, format!("again in {}", words::time(*delay)));
            }
            EventKind::TurnRepairing { turn, .. } => {
                self.say(&lines);
                self.tell(turn, "asked again".to_owned());
            }
            EventKind::TurnFellBack { turn, .. } => {
                self.say(&lines);
                self.tell(turn, "steps in".to_owned());
            }
            EventKind::TurnFinished { turn, spent, .. } => {
                self.calls.1 += 1;
                self.close_turn(turn);
                self.say(&lines);
                match &self.money {
                    Some(_) => self.show_money(*spent),
                    None => self.open_money(*spent),
                }
            }
            EventKind::SessionFinished { .. } => {
                self.close_all();
                self.say(&lines);
            }
        }
        Ok(())
    }

    fn choose(&mut self, row: usize) {
        if let Some(row) = row.checked_sub(1).and_then(|at| self.turns.get(at)) {
            let chosen = (row.turn.clone(), self.lines.player(&row.turn).role);
            self.chosen = Some(chosen).filter(|chosen| self.chosen.as_ref() != Some(chosen));
            self.turns.iter().for_each(|row| self.draw(row));
        }
    }
}

/// What indicatif draws on, shared by the run and the ticks.
#[derive(Clone)]
struct Screen {
    terminal: Arc<Mutex<Terminal>>,
    width: usize,
    size: fn() -> Option<(usize, usize)>,
    is_ours: fn() -> bool,
}

impl Screen {
    fn lock(&self) -> MutexGuard<'_, Terminal> {
        self.terminal.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Screen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Screen").field("width", &self.width).finish_non_exhaustive()
    }
}

impl TermLike for Screen {
    fn width(&self) -> u16 {
        let columns = (self.size)().map_or(self.width, |size| size.0);
        u16::try_from(columns).unwrap_or(u16::MAX)
    }
    fn height(&self) -> u16 {
        let rows = (self.size)().map_or(usize::MAX, |size| size.1);
        u16::try_from(rows).unwrap_or(u16::MAX)
    }
    fn move_cursor_up(&self, n: usize) -> io::Result<()> {
        self.lock().up(n, self.width().into())
    }
    fn move_cursor_down(&self, n: usize) -> io::Result<()> {
        self.lock().step(n, 'B')
    }
    fn move_cursor_right(&self, n: usize) -> io::Result<()> {
        self.lock().step(n, 'C')
    }
    fn move_cursor_left(&self, n: usize) -> io::Result<()> {
        self.lock().step(n, 'D')
    }
    fn write_line(&self, text: &str) -> io::Result<()> {
        self.lock().put(&format!("{text}\n"))
    }
    fn write_str(&self, text: &str) -> io::Result<()> {
        self.lock().line(text)
    }
    fn clear_line(&self) -> io::Result<()> {
        let mut terminal = self.lock();
        terminal.behind = false;
        terminal.put("\r\u{1b}[2K")
    }
    fn flush(&self) -> io::Result<()> {
        self.lock().end_frame((self.is_ours)())
    }
}

#[cfg(test)]
mod tests;
