//! The prompts: rules first, then the question and its data, the contract last.
//!
//! All data is untrusted. Lists and opportunities are JSON inside a fence, as in the partner debate. Text of several
//! lines (the summary of a repository, lines of code) has `| ` before every line: whatever a README says, none of its
//! lines can be the `turn:` line, a marker or a heading, and it stays readable.

use serde_json::{Value, json};

use super::Question;
use super::contract::{self, FIX_CHARS};
use crate::kernel::Draft;
use crate::kernel::quote::{QUOTE, quoted};
use crate::protocol::backlog::prompt::fit;
use crate::protocol::prompt::{Asked, Prompts};
use crate::text::{Note, sanitize};

/// Maximum titles of known features in a prompt.
const KNOWN: usize = 200;

/// Maximum characters of such a title.
const TITLE_CHARS: usize = 160;

/// Builds a question's prompt with at most `room` characters of data, and notes cut or defused text.
pub(crate) fn prompt(prompts: &Prompts, stable: &str, question: &Question, room: usize) -> Draft {
    let mut notes = Vec::new();
    let data = match question {
        Question::Features { summary, existing, limit } => {
            // The question is about the summary, so the known features get a third at most.
            let known = known(existing, room / 3, &mut notes);
            let room = room.saturating_sub(chars(&known));
            let summary = marked("summary of the repository", summary, room, &mut notes);
            json!({ "summary": summary, "known": known, "most_features": limit })
        }
        Question::Fix { opportunity, excerpt } => {
            let (text, cut) = fit(std::slice::from_ref(&**opportunity), room / 2);
            notes.extend(cut.note());
            let room = room.saturating_sub(text.chars().count());
            let excerpt = excerpt.as_deref();
            let excerpt = excerpt.map(|text| marked("lines of code", text, room, &mut notes));
            json!({ "opportunity": text, "excerpt": excerpt, "most_chars": FIX_CHARS })
        }
    };
    let mut draft = prompts.draft(Asked {
        turn: &question.turn_id(),
        role: question.role().config_name(),
        stable,
        blocks: &[contract::outline(question.role())],
        data,
        shown: None,
    });
    draft.notes.splice(..0, notes);
    draft
}

fn chars(value: &Value) -> usize {
    format!("{value:#}").chars().count()
}

/// Returns the titles of known features that fit.
fn known(existing: &[String], room: usize, notes: &mut Vec<Note>) -> Value {
    let all = existing.len();
    let mut shown = all.min(KNOWN);
    let titles = |shown: usize| -> Value {
        existing[..shown].iter().map(|title| sanitize::line(title, TITLE_CHARS)).collect()
    };
    while chars(&titles(shown)) > room && shown > 0 {
        shown -= shown.div_ceil(4);
    }
    if shown < all {
        let message = format!("{} of {all} titles of known features were left out", all - shown);
        notes.push(Note::new("shortened_for_prompt", message));
    }
    titles(shown)
}

/// Returns a text with every line marked, cut to `room` characters, the marks included.
fn marked(what: &str, text: &str, room: usize, notes: &mut Vec<Note>) -> String {
    let (whole, total) = (quoted(text), text.chars().count());
    if whole.chars().count() <= room {
        return whole;
    }
    notes.push(Note::new(
        "shortened_for_prompt",
        format!("the {what}: {total} characters, of which the prompt holds the first {room}"),
    ));
    let end = format!("{QUOTE}[cut; {total} characters in all]");
    let head: String = whole.chars().take(room.saturating_sub(end.len() + 1)).collect();
    format!("{}\n{end}", head.trim_end())
}

#[cfg(test)]
mod tests;
