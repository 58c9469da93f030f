//! The table of `spec/backlog.md`, row by row.

use super::*;
use crate::discovery::failures::case::Outcome;

fn case(message: &str) -> TestCase {
    TestCase {
        file: None,
        symbol: "t".to_owned(),
        outcome: Outcome::Failed,
        message: message.to_owned(),
        place: None,
    }
}

#[test]
fn clarity_is_the_highest_match() {
    for (message, clarity) in [
        ("", 0.5),
        ("boom", 0.5),
        ("error", 0.2),
        ("Error:", 0.2),
        ("Error occurred", 0.2),
        ("Error: no such thing", 0.5),
        ("assert 1 == 2", 0.8),
        ("AssertionError", 0.8),
        ("AssertionError: expected 3 got 4", 0.9),
        ("Expected: 4\nReceived: 3", 0.9),
        ("expected:<7> but was:<6>", 0.9),
        ("assertion `left == right` failed\n  left: 1\n right: 2", 0.9),
        ("expected to have forgotten", 0.5),
        ("TypeError: int() argument", 0.85),
        ("TypeError: expected str, got int", 0.9),
        ("AssertionError: raised TypeError", 0.85),
        ("NameError: name 'x' is not defined", 0.8),
        ("./a.go:5:30: undefined: x", 0.8),
        ("boom\n  at assertThat(Assertion.java:1)", 0.5),
    ] {
        assert!((score(&case(message)).clarity - clarity).abs() < 1e-9, "{message}");
    }
}

#[test]
fn evidence_counts_file_message_and_line() {
    let long = "x".repeat(51);
    for (message, file, place, evidence) in [
        ("", false, false, 0.5),
        (&*"x".repeat(50), false, false, 0.5),
        (&*long, false, false, 0.6),
        ("", true, false, 0.7),
        ("", true, true, 0.8),
        (&*long, true, true, 0.9),
    ] {
        let mut case = case(message);
        case.file = file.then(|| "a".to_owned());
        case.place = place.then(|| ("a".to_owned(), 1));
        assert!((score(&case).evidence - evidence).abs() < 1e-9, "{message} {file} {place}");
    }
}

#[test]
fn effort_is_small_for_what_names_its_place() {
    for (message, effort) in [
        ("TypeError: x", Effort::Small),
        ("NameError: x", Effort::Small),
        ("KeyError: 'x'", Effort::Small),
        ("ImportError: x", Effort::Small),
        ("ModuleNotFoundError: No module named 'x'", Effort::Small),
        ("TypeError: the database is None", Effort::Small),
        ("Timeout after 5 s", Effort::Large),
        ("timed out", Effort::Large),
        ("connection refused", Effort::Large),
        ("database is locked", Effort::Large),
        ("assert 1 == 2", Effort::Medium),
        ("", Effort::Medium),
    ] {
        let score = score(&case(message));
        assert_eq!(score.effort, effort, "{message}");
        assert_eq!(score.reversibility, Reversibility::Full);
    }
}
