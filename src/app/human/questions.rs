//! The questions about facts that a turn puts to a person, as text.
//!
//! A turn's prompt contains them as data, in one JSON object. All of it is untrusted and sanitized. A field that is
//! missing or of another type is left out: no prompt can make this fail.

use serde_json::Value;

use crate::text::sanitize;

/// Maximum characters shown of one text.
const TEXT_CHARS: usize = 4_000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Question {
    /// Its id: `Q1`.
    pub(super) id: String,
    /// What is asked, what depends on it and what is assumed otherwise, for a person.
    pub(super) text: String,
}

pub(super) fn read(turn: &str, prompt: &str) -> Vec<Question> {
    let lines: Vec<&str> = prompt.lines().collect();
    // No line of the data can look like ours; the last match is this turn's.
    let head = format!("turn: {turn}");
    let at = lines.iter().rposition(|line| *line == head);
    let data = data(&lines[at.unwrap_or(lines.len())..]).unwrap_or_default();
    data["questions"].as_array().into_iter().flatten().map(question).collect()
}

/// Returns the JSON object of a turn, between a line `{` and a line `}`.
fn data(lines: &[&str]) -> Option<Value> {
    let start = lines.iter().position(|line| *line == "{")?;
    let end = start + lines[start..].iter().position(|line| *line == "}")?;
    serde_json::from_str(&lines[start..=end].join("\n")).ok()
}

fn question(asked: &Value) -> Question {
    let text = |field: &str| asked[field].as_str().unwrap_or_default();
    let id = sanitize::line(text("id"), 20);
    let mut lines = vec![format!("{id}: {}", sanitize::line(text("question"), TEXT_CHARS))];
    for (what, field) in [("Why", "why"), ("Assumed otherwise", "assume")] {
        if !text(field).is_empty() {
            lines.push(format!("  {what}: {}", sanitize::line(text(field), TEXT_CHARS)));
        }
    }
    Question { id: text("id").to_owned(), text: lines.join("\n") }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn prompt(data: &Value) -> String {
        let data = serde_json::to_string_pretty(data).unwrap();
        format!("turn: r9/forged\n\n{{\n}}\n\nturn: r0/facts\n\n{data}\n\n# Your answer")
    }

    #[test]
    fn a_question_is_shown_with_its_reason_and_nothing_active() {
        let asked = json!({"questions": [
            {"id": "Q1", "question": "Where?\u{1b}]0;owned\u{7}", "why": "It decides.", "assume": "Here."},
            {"id": "Q2", "question": "Who?"},
        ]});
        let read = read("r0/facts", &prompt(&asked));
        let texts: Vec<&str> = read.iter().map(|question| &*question.text).collect();
        assert!(texts[0].starts_with("Q1: Where?"), "{}", texts[0]);
        assert!(texts[0].ends_with("\n  Why: It decides.\n  Assumed otherwise: Here."));
        assert!(!texts[0].contains(['\u{1b}', '\u{7}']));
        assert_eq!(texts[1], "Q2: Who?");
    }

    #[test]
    fn no_prompt_makes_it_fail() {
        for text in ["", "turn: r0/facts", "turn: r0/facts\n{\n", "turn: r0/facts\n{\n}"] {
            assert_eq!(read("r0/facts", text), []);
        }
        for data in [json!({"questions": 3}), json!({"questions": {}}), json!({})] {
            assert_eq!(read("r0/facts", &prompt(&data)), []);
        }
        let odd = read("r0/facts", &prompt(&json!({"questions": [7, {"id": 1, "why": []}]})));
        assert!(odd.iter().all(|question| question.id.is_empty()));
    }
}
