//! How ready a failing test is to be worked on (`spec/backlog.md`).
//!
//! **Clarity**: of all rules that match what the test said, the one with the highest figure counts.
//!
//! | what it said | clarity |
//! |---|---|
//! | what was expected and what came instead | 0.9 |
//! | a type error | 0.85 |
//! | an assertion; a name that is not defined | 0.8 |
//! | anything else | 0.5 |
//! | `error`, and nothing else | 0.2 |
//!
//! The last row is no rule among the others: it stands instead of "anything else".
//!
//! **Evidence**: 0.5, and 0.2 for a file, 0.1 for a message of more than 50 characters, 0.1 for a line.
//!
//! **Effort**: small for errors of type, name, key and import, else large for time-outs,
//! connections and databases, else medium; small counts first, since such an error names its place.

use crate::protocol::backlog::model::{ActionabilityScore, Effort, Reversibility};

use super::case::TestCase;
use super::cut;

/// Bytes of a message that are judged: what a test says first.
const JUDGED: usize = 1_000;

/// Scores a failing test.
pub fn score(case: &TestCase) -> ActionabilityScore {
    let words = judged(&case.message);
    ActionabilityScore {
        clarity: clarity(&words),
        evidence: evidence(case),
        effort: effort(&words),
        reversibility: Reversibility::Full,
    }
}

/// Returns what of a message is judged: lower case, without the frames of a stack.
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
    // Rust's assertions say `left` and `right` for the two.
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

/// How languages say that a type is wrong.
const TYPE: &[&str] = &["typeerror", "type error", "mismatched types", "classcastexception"];

/// How languages say that a name is not defined.
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

/// Whether one of some words stands in a text by itself: `got`, not `forgot`.
fn word(text: &str, words: &[&str]) -> bool {
    text.split(|c: char| !c.is_alphanumeric()).any(|part| words.contains(&part))
}

#[cfg(test)]
mod tests;
