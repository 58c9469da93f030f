//! Tests of live progress, byte by byte.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;
use crate::kernel::Fact;
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
    /// Returns the text on the screen after these bytes, as shown by a terminal that knows the few sequences written
    /// by `Screen`.
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
                    // A full row wraps at the next character, not before.
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

fn live(out: impl Write + Send + 'static) -> LiveProgress {
    LiveProgress::new(
        Box::new(out),
        Look { width: COLUMNS, colour: false, live: true },
        || None,
        || true,
        Instant::now,
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
    let screen = out.screen();
    assert!(screen.iter().all(|line| !line.contains("KiB")), "{screen:?}");
    assert!(screen.iter().any(|line| line.starts_with("Suspended")), "{screen:?}");
}

#[test]
fn a_running_agent_has_a_line_with_its_bytes_and_the_money_below() {
    let out = Shared::default();
    let mut reporter = live(out.clone());
    for event in &example::eventful_debate()[..4] {
        reporter.event(event).unwrap();
    }
    // Redraws are limited to `HERTZ` per second; the ticks draw the rest.
    let deadline = Instant::now() + Duration::from_secs(10);
    while !out.screen().iter().any(|line| line.contains("2.0 KiB")) {
        assert!(Instant::now() < deadline, "{:?}", out.screen());
        std::thread::sleep(SECOND / 4);
    }
    let screen = out.screen();
    let [.., turn, money] = screen.as_slice() else { panic!("{screen:?}") };
    assert!(turn.contains("champion (claude)") && turn.contains("2.0 KiB"), "{turn}");
    assert!(money.contains("$0.00 of $2.50"), "{money}");
    drop(reporter);
    assert!(!out.screen().iter().any(|line| line.contains("KiB") || line.contains('╌')));
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
            EventKind::TurnOutput { turn: "r1/critic".into(), bytes: 1, phase: Some(evil.into()) },
        ),
        example::event(3, example::finished("critic", evil, 1, None, 0, None)),
    ] {
        reporter.event(&event).unwrap();
    }
    drop(reporter);
    // The emulator refuses every sequence but ours.
    let screen = out.screen().join("\n");
    assert!(example::is_inert(&screen), "{screen:?}");
}

#[test]
fn while_a_person_is_asked_nothing_is_drawn() {
    let out = Shared::default();
    let mut reporter = live(out.clone());
    for event in &example::eventful_debate()[..1] {
        reporter.event(event).unwrap();
    }
    assert!(reporter.money.is_some());
    let asked = example::started("primary", HUMAN, HUMAN, 2);
    reporter.event(&example::event(2, asked)).unwrap();
    assert!(reporter.money.is_none() && reporter.turns.is_empty());
    let answered = example::finished("primary", HUMAN, 2, None, 0, None);
    reporter.event(&example::event(3, answered)).unwrap();
    assert!(reporter.money.is_some());
}

/// The events of the beginning of a debate, and these last words of its champion, drawn at last.
fn saying(reporter: &mut LiveProgress, words: &str) {
    for event in &example::eventful_debate()[..3] {
        reporter.event(event).unwrap();
    }
    say(reporter, "r1/champion", words);
}

fn say(reporter: &mut LiveProgress, turn: &str, words: &str) {
    let phase = Some(words.to_owned());
    let said = EventKind::TurnOutput { turn: turn.to_owned(), bytes: 1, phase };
    reporter.event(&example::event(4, said)).unwrap();
    let (code, message) = ("news".to_owned(), "news".to_owned());
    let news = Fact { code, turn: None, message, data: serde_json::Value::Null, warning: false };
    // Permanent lines are drawn at once.
    reporter.event(&example::event(5, EventKind::Found(news))).unwrap();
}

/// The rows of the screen between the champion's and the money.
fn below(out: &Shared) -> Vec<String> {
    let screen = out.screen();
    let at = screen.iter().rposition(|row| row.contains("champion (claude) is asked")).unwrap();
    screen[at + 1..screen.len() - 1].to_vec()
}

#[test]
fn the_words_of_a_chosen_row_take_several_lines_and_go_with_the_same_key() {
    let out = Shared::default();
    let mut reporter = live(out.clone());
    let words = "seven more words of the champion come ".repeat(40);
    saying(&mut reporter, &words);
    assert!(below(&out).is_empty());
    reporter.choose(1);
    say(&mut reporter, "r1/champion", &format!("{words}the end"));
    let rows = below(&out);
    assert_eq!(rows.len(), WORDS_LINES, "{rows:?}");
    assert!(rows.iter().all(|row| row.starts_with("  ") && row.len() <= COLUMNS), "{rows:?}");
    assert!(rows.last().unwrap().ends_with("the end"), "{rows:?}");
    reporter.choose(2);
    reporter.choose(0);
    say(&mut reporter, "r1/champion", &words);
    assert_eq!(below(&out).len(), WORDS_LINES, "there is no such row");
    reporter.choose(1);
    say(&mut reporter, "r1/champion", &words);
    assert!(below(&out).is_empty());
}

#[test]
fn a_chosen_seat_stays_chosen_in_its_next_turn() {
    let out = Shared::default();
    let mut reporter = live(out.clone());
    saying(&mut reporter, "first words");
    reporter.choose(1);
    reporter
        .event(&example::event(6, example::finished("champion", "claude", 1, None, 0, None)))
        .unwrap();
    for (seq, event) in [
        example::started("critic", "codex", "openai", 2),
        example::started("champion", "claude", "anthropic", 2),
    ]
    .into_iter()
    .enumerate()
    {
        reporter.event(&example::event(7 + seq as u64, event)).unwrap();
    }
    say(&mut reporter, "r2/champion", "other words");
    assert_eq!(below(&out), ["  other words"]);
}

#[test]
fn hostile_words_of_a_chosen_row_are_inert() {
    let out = Shared::default();
    let mut reporter = live(out.clone());
    reporter.choose(1);
    saying(&mut reporter, "");
    reporter.choose(1);
    let evil = "\u{1b}]0;owned\u{7}\u{9b}2J\nnext\u{202e}".repeat(9) + &"x".repeat(5_000);
    say(&mut reporter, "r1/champion", &evil);
    let screen = out.screen().join("\n");
    assert!(example::is_inert(&screen), "{screen:?}");
    assert!(below(&out).len() <= WORDS_LINES + 1, "{screen}");
}

#[test]
fn a_narrower_terminal_has_broken_the_rows_anew_and_all_are_erased() {
    static WIDTH: AtomicUsize = AtomicUsize::new(100);
    let out = Shared::default();
    let look = Look { width: COLUMNS, colour: false, live: true };
    let size = || Some((WIDTH.load(Ordering::Relaxed), 40));
    let mut reporter = LiveProgress::new(Box::new(out.clone()), look, size, || true, Instant::now);
    saying(&mut reporter, &"many words ".repeat(9));
    let before = out.0.lock().unwrap().len();
    WIDTH.store(40, Ordering::Relaxed);
    say(&mut reporter, "r1/champion", "few");
    let drawn = String::from_utf8(out.0.lock().unwrap()[before..].to_vec()).unwrap();
    // The champion's row had nearly 100 columns, so three rows of 40; that of the money one.
    assert!(drawn.contains("\u{1b}[3A\r\u{1b}[J"), "{drawn:?}");
}
