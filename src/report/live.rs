//! Progress in a terminal: a line per running agent that becomes a permanent one when it ends.
//!
//! Permanent lines are those of [`super::progress`]; below them live one line
//! per running turn (who, how long, how many bytes or which phase) and one for
//! the money. Indicatif redraws them over `Screen`, a terminal made of the
//! given writer, so that tests see every byte and a closed standard error stops
//! the drawing and not the run.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use indicatif::{
    MultiProgress, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle, TermLike,
};

use unicode_width::UnicodeWidthStr as _;

use super::progress::Lines;
use super::words::{self, paint};
use super::{Look, Reporter};
use crate::engine::events::{Event, EventKind};
use crate::protocol::Usd;

/// How often a running line is redrawn without news: often enough for its spinner.
const TICK: Duration = Duration::from_millis(120);
/// Redraws a second, at most.
const HERTZ: u8 = 15;

/// Breaks a line between words, two columns in from the second one on. Colours take no room.
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

/// Returns the columns that a text takes; our own colours end in `m` and take none.
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

/// Where is drawn, by the run and by the ticks; `None` once a write failed.
type Output = Arc<Mutex<Option<Box<dyn Write + Send>>>>;

/// Live progress. Dropped in mid-run it leaves no half-drawn line: the bars clear themselves.
#[expect(missing_debug_implementations, reason = "a writer has no form")]
pub struct Live {
    out: Output,
    colour: bool,
    width: usize,
    columns: fn() -> Option<usize>,
    lines: Lines,
    multi: MultiProgress,
    money: Option<ProgressBar>,
    turns: BTreeMap<String, ProgressBar>,
}

impl Live {
    /// Draws on `out`, a terminal's standard error. `columns` asks the terminal for its
    /// width, which may change under way; where it is not known, `look.width` counts.
    /// (`COLUMNS` does not: redrawing needs to know where lines really break.)
    pub fn new(out: Box<dyn Write + Send>, look: Look, columns: fn() -> Option<usize>) -> Self {
        let out = Arc::new(Mutex::new(Some(out)));
        let screen = Screen {
            out: Arc::clone(&out),
            width: look.width,
            columns,
        };
        let target = ProgressDrawTarget::term_like_with_hz(Box::new(screen), HERTZ);
        Self {
            out,
            colour: look.colour,
            width: look.width,
            columns,
            lines: Lines::new(look.colour).without_totals(),
            multi: MultiProgress::with_draw_target(target),
            money: None,
            turns: BTreeMap::new(),
        }
    }

    fn say(&self, lines: &[String]) -> io::Result<()> {
        let width = (self.columns)().unwrap_or(self.width);
        lines
            .iter()
            .flat_map(|line| wrap(line, width))
            .try_for_each(|line| self.multi.println(line))
    }

    fn open_money(&mut self, spent: Usd) {
        let bar = self.multi.add(ProgressBar::no_length());
        let template = match self.lines.budget() {
            Some(budget) => {
                bar.set_length(budget.micros());
                "  budget {bar:20} {msg}, {time}"
            }
            None => "  spent {msg}, {time}",
        };
        bar.set_style(style(template, self.colour));
        bar.enable_steady_tick(TICK);
        self.money = Some(bar);
        self.show_money(spent);
    }

    fn show_money(&self, spent: Usd) {
        if let Some(bar) = &self.money {
            bar.set_position(spent.micros());
            bar.set_message(words::spent(spent, self.lines.budget()));
        }
    }

    fn open_turn(&mut self, turn: &str) {
        let player = self.lines.player(turn);
        let bar = match &self.money {
            Some(money) => self.multi.insert_before(money, ProgressBar::new_spinner()),
            None => self.multi.add(ProgressBar::new_spinner()),
        };
        bar.set_style(style(
            "{spinner} {prefix:22} {time:>7}  {wide_msg}",
            self.colour,
        ));
        bar.set_prefix(format!("{} ({})", player.role, player.agent));
        bar.set_message(format!("{}: no words yet", words::task(turn)));
        bar.enable_steady_tick(TICK);
        self.turns.insert(turn.to_owned(), bar);
    }

    fn tell(&self, turn: &str, message: String) {
        if let Some(bar) = self.turns.get(turn) {
            bar.set_message(message);
        }
    }

    fn close_turn(&mut self, turn: &str) {
        if let Some(bar) = self.turns.remove(turn) {
            bar.finish_and_clear();
            self.multi.remove(&bar);
        }
    }

    fn close_all(&mut self) {
        for (_, bar) in std::mem::take(&mut self.turns) {
            bar.finish_and_clear();
        }
        if let Some(bar) = self.money.take() {
            bar.finish_and_clear();
        }
    }
}

impl Reporter for Live {
    fn event(&mut self, event: &Event) -> io::Result<()> {
        let lines = self.lines.permanent(&event.kind);
        match &event.kind {
            EventKind::SessionStarted { spent, .. } => {
                self.open_money(*spent);
                self.say(&lines)?;
            }
            EventKind::RoundOpened { .. } | EventKind::Found(_) => self.say(&lines)?,
            EventKind::TurnStarted { turn, .. } => self.open_turn(turn),
            EventKind::TurnOutput { turn, bytes, phase } => {
                let bytes = words::bytes(*bytes);
                let news = phase.as_ref().map_or_else(
                    || bytes.clone(),
                    |phase| format!("{bytes}  {}", words::sentence(phase)),
                );
                self.tell(turn, news);
            }
            EventKind::TurnRetrying { turn, delay, .. } => {
                self.say(&lines)?;
                self.tell(turn, format!("again in {}", words::time(*delay)));
            }
            EventKind::TurnRepairing { turn, .. } => {
                self.say(&lines)?;
                self.tell(turn, "asked again".to_owned());
            }
            EventKind::TurnFellBack { turn, .. } => {
                self.say(&lines)?;
                let player = self.lines.player(turn);
                if let Some(bar) = self.turns.get(turn) {
                    bar.set_prefix(format!("{} ({})", player.role, player.agent));
                    bar.set_message("steps in");
                }
            }
            EventKind::TurnFinished { turn, spent, .. } => {
                self.close_turn(turn);
                self.say(&lines)?;
                self.show_money(*spent);
            }
            EventKind::SessionFinished { .. } => {
                self.close_all();
                self.say(&lines)?;
                // Indicatif leaves the cursor behind the last line; what comes next, such as the
                // result on standard output, begins on a line of its own.
                put(&self.out, "\n");
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
            // A line that cannot be worded is drawn without its time.
            let _ = out.write_str(&words::clock(state.elapsed()));
        })
}

fn put(out: &Output, text: &str) {
    let mut out = out.lock().unwrap_or_else(PoisonError::into_inner);
    if out
        .as_mut()
        .is_some_and(|out| out.write_all(text.as_bytes()).is_err())
    {
        *out = None;
    }
}

/// A terminal over a writer. Once a write fails nothing more is written.
struct Screen {
    out: Output,
    width: usize,
    columns: fn() -> Option<usize>,
}

impl fmt::Debug for Screen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Screen")
            .field("width", &self.width)
            .finish_non_exhaustive()
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
        let mut out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        if out.as_mut().is_some_and(|out| out.flush().is_err()) {
            *out = None;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::example;

    const COLUMNS: usize = 120;

    #[derive(Clone, Default)]
    struct Shared(Arc<Mutex<Vec<u8>>>);

    impl Write for Shared {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl Shared {
        /// What stands on the screen after these bytes: a terminal that knows the
        /// few sequences that `Screen` writes.
        fn screen(&self) -> Vec<String> {
            let text = String::from_utf8(self.0.lock().unwrap().clone()).unwrap();
            let mut rows: Vec<Vec<char>> = vec![Vec::new()];
            let (mut row, mut column) = (0, 0);
            let mut chars = text.chars();
            while let Some(character) = chars.next() {
                match character {
                    '\n' => (row, column) = (row + 1, 0),
                    '\r' => column = 0,
                    '\u{1b}' => {
                        assert_eq!(chars.next(), Some('['));
                        let mut number = String::new();
                        let end = loop {
                            match chars.next().unwrap() {
                                digit @ ('0'..='9' | ';') => number.push(digit),
                                end => break end,
                            }
                        };
                        let count: usize = number.parse().unwrap_or(1);
                        match end {
                            'A' => row -= count,
                            'B' => row += count,
                            'C' => column += count,
                            'D' => column -= count,
                            'K' => rows[row].clear(),
                            other => panic!("a sequence that is not ours: {other}"),
                        }
                    }
                    character => {
                        // A full row wraps when the next character comes, not before.
                        if column == COLUMNS {
                            (row, column) = (row + 1, 0);
                            rows.resize(rows.len().max(row + 1), Vec::new());
                        }
                        let line = &mut rows[row];
                        line.resize(line.len().max(column + 1), ' ');
                        line[column] = character;
                        column += 1;
                    }
                }
                rows.resize(rows.len().max(row + 1), Vec::new());
            }
            rows.into_iter()
                .map(|row| row.into_iter().collect::<String>().trim_end().to_owned())
                .filter(|line| !line.is_empty())
                .collect()
        }
    }

    fn live(out: impl Write + Send + 'static) -> Live {
        Live::new(
            Box::new(out),
            Look {
                width: COLUMNS,
                colour: false,
                live: true,
            },
            || None,
        )
    }

    #[test]
    fn after_a_debate_only_permanent_lines_are_left() {
        let out = Shared::default();
        let mut reporter = live(out.clone());
        for event in example::eventful_debate() {
            reporter.event(&event).unwrap();
        }
        drop(reporter);
        assert!(out.0.lock().unwrap().ends_with(b"\n"));
        insta::assert_snapshot!(out.screen().join("\n"));
    }

    #[test]
    fn a_running_agent_has_a_line_with_its_bytes_and_the_money_below() {
        let out = Shared::default();
        let mut reporter = live(out.clone());
        for event in &example::eventful_debate()[..4] {
            reporter.event(event).unwrap();
        }
        // The drawing is at most `HERTZ` times a second; the ticks bring the rest.
        let deadline = std::time::Instant::now() + Duration::from_secs(10);
        while !out.screen().iter().any(|line| line.contains("2.0 KiB")) {
            assert!(std::time::Instant::now() < deadline, "{:?}", out.screen());
            std::thread::sleep(TICK);
        }
        let screen = out.screen();
        let [.., turn, money] = screen.as_slice() else {
            panic!("{screen:?}")
        };
        assert!(
            turn.contains("champion (claude)") && turn.contains("2.0 KiB"),
            "{turn}"
        );
        assert!(money.contains("$0.00 of $2.50"), "{money}");
        drop(reporter);
        assert!(
            !out.screen()
                .iter()
                .any(|line| line.contains("KiB") || line.contains('╌'))
        );
    }

    #[test]
    fn a_closed_standard_error_does_not_end_the_run() {
        let mut reporter = live(example::Refusing(io::ErrorKind::BrokenPipe));
        for event in example::eventful_debate() {
            reporter.event(&event).unwrap();
        }
    }

    #[test]
    fn a_long_line_is_broken_between_words_and_colours_take_no_room() {
        assert_eq!(wrap("one two three", 9), ["one two", "  three"]);
        assert_eq!(wrap("  in front", 20), ["  in front"]);
        assert_eq!(wrap("", 20), [""]);
        let coloured = "\u{1b}[1m\u{1b}[31mone\u{1b}[0m two";
        assert_eq!(wrap(coloured, 7), [coloured]);
        assert_eq!(wrap("endlessword", 4), ["endlessword"]);
    }

    #[test]
    fn a_phase_of_an_agent_brings_no_escape() {
        let out = Shared::default();
        let mut reporter = live(out.clone());
        let evil = "\u{1b}]0;owned\u{7}\u{9b}2J\nnext\u{202e}";
        for event in [
            example::event(1, example::started("critic", evil, evil, 1)),
            example::event(
                2,
                EventKind::TurnOutput {
                    turn: "r1/critic".into(),
                    bytes: 1,
                    phase: Some(evil.into()),
                },
            ),
            example::event(3, example::finished("critic", evil, 1, None, 0, None)),
        ] {
            reporter.event(&event).unwrap();
        }
        drop(reporter);
        // The emulator refuses every sequence that is not ours.
        let screen = out.screen().join("\n");
        assert!(example::is_inert(&screen), "{screen:?}");
    }
}
