//! The actionability of a failing test (`docs/discover.md`).
//!
//! **Clarity**: of all rules that match the test's output, the one with the highest figure counts.
//!
//! | output | clarity |
//! |---|---|
//! | the expected and the actual value | 0.9 |
//! | a type error | 0.85 |
//! | an assertion; a name that is not defined | 0.8 |
//! | anything else | 0.5 |
//! | only `error` | 0.2 |
//!
//! The last row replaces "anything else"; it does not compete with the other rules.
//!
//! **Evidence**: 0.5, plus 0.2 for a file, 0.1 for a message of more than 50 characters, 0.1 for a
//! line.
//!
//! **Effort**: small for errors of type, name, key and import, else large for time-outs, connections
//! and databases, else medium; small is checked first, since such an error names its location.

use crate::protocol::backlog::model::{ActionabilityScore, Effort, Reversibility};

use super::case::TestCase;
use super::cut;

/// Bytes of a message that are judged: the first part of a test's output.
const JUDGED: usize = 1_000;

pub fn score(case: &TestCase) -> ActionabilityScore {
    let words = judged(&case.message);
    ActionabilityScore {
        clarity: clarity(&words),
        evidence: evidence(case),
        effort: effort(&words),
        reversibility: Reversibility::Full,
    }
}

/// Returns the judged part of a message: in lower case, without stack frames.
fn judged(message: &str) -> String {
    let kept: Vec<String> = message
        .lines()
        .map(|line| line.trim().to_lowercase())
        .filter(|line| !is_frame(line))
        .collect();
    cut::head(&kept.join("\n"), JUDGED).to_owned()
}

fn is_frame(line: &str) -> bool {
    let numbered = line.split_once(": ").is_some_and(|(number, _)| number.parse::<u32>().is_ok());
    numbered || ["at ", "file \"", "note: run with"].iter().any(|start| line.starts_with(start))
}

fn clarity(words: &str) -> f64 {
    let has = |part: &str| words.contains(part);
    let any = |parts: &[&str]| parts.iter().any(|part| has(part));
    let expected =
        has("expected") && (word(words, &["got", "actual", "received", "found"]) || has("but was"));
    // Rust's assertions call the two `left` and `right`.
    let left_right = has("left: ") && has("right: ");
    let rules =
        [(expected || left_right, 0.9), (any(TYPE), 0.85), (has("assert"), 0.8), (any(NAME), 0.8)];
    let best =
        rules.iter().filter(|(fits, _)| *fits).map(|(_, clarity)| *clarity).fold(0.0, f64::max);
    if best > 0.0 {
        best
    } else if matches!(words.trim_matches(['.', '!', ':', ' ', '\n']), "error" | "error occurred") {
        0.2
    } else {
        0.5
    }
}

fn evidence(case: &TestCase) -> f64 {
    let tenths = 5
        + if case.file.is_some() { 2 } else { 0 }
        + u32::from(case.message.trim().chars().nth(50).is_some())
        + u32::from(case.place.is_some());
    f64::from(tenths.min(10)) / 10.0
}

fn effort(words: &str) -> Effort {
    let any = |parts: &[&str]| parts.iter().any(|part| words.contains(part));
    if any(TYPE) || any(NAME) || any(KEY) || any(IMPORT) {
        Effort::Small
    } else if any(&["timeout", "timed out", "connection", "connecting", "database"]) {
        Effort::Large
    } else {
        Effort::Medium
    }
}

const TYPE: &[&str] = &["typeerror", "type error", "mismatched types", "classcastexception"];

/// Phrases for undefined names in various languages.
const NAME: &[&str] = &[
    "nameerror",
    "undefined:",
    "is undefined",
    "undefined name",
    "undefined variable",
    "is not defined",
    "referenceerror",
    "cannot find symbol",
];

const KEY: &[&str] = &["keyerror", "key error"];

const IMPORT: &[&str] = &[
    "importerror",
    "import error",
    "modulenotfounderror",
    "cannot find module",
    "no module named",
    "unresolved import",
];

/// Whether a text contains one of some words as a whole word: `got`, not `forgot`.
fn word(text: &str, words: &[&str]) -> bool {
    text.split(|c: char| !c.is_alphanumeric()).any(|part| words.contains(&part))
}

#[cfg(test)]
mod tests {
    //! The table of `docs/discover.md`, row by row.

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
}
