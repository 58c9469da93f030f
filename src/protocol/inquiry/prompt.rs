//! The prompts: rules first, then the question and its data, the contract last.
//!
//! All data is untrusted. Lists and opportunities are JSON inside a fence, as in the partner debate. Text of several
//! lines (the summary of a repository, lines of code) has `| ` before every line: whatever a README says, none of its
//! lines can be the `turn:` line, a marker or a heading, and it stays readable.

use serde_json::Value;

use super::{Question, contract};
use crate::kernel::Prompt;
use crate::kernel::fit::FitCuts;
use crate::kernel::quote::QUOTE;
use crate::protocol::backlog::prompt::fit;
use crate::protocol::frame::{NO_TOOLS, Sheet, how_lines_are_marked, how_to_read};
use crate::text::{Note, sanitize};

/// Maximum titles of known features in a prompt.
const KNOWN: usize = 200;

/// Maximum characters of such a title.
const TITLE_CHARS: usize = 160;

/// The opportunity's share of a fix's data, as a fraction; the rest is for the lines of code.
const OPPORTUNITY_SHARE: (usize, usize) = (1, 2);

/// Builds a question's prompt with at most `max_chars` characters of data, and notes cut or defused text.
pub(crate) fn prompt(question: &Question, boundary: &str, max_chars: usize) -> (Prompt, Vec<Note>) {
    let mut data = Data { sheet: Sheet::new(String::new(), boundary), cut: Vec::new() };
    let task = match question {
        Question::Features { summary, existing, limit } => {
            data.features(summary, existing, max_chars);
            format!(
                "You are the analyst. Below is what a program found out about a repository. Propose at most {limit} features that would \
                 be worth most to its users for the work they take. What is known already is listed; do not propose it again in other words."
            )
        }
        Question::Fix { opportunity, excerpt } => {
            let list = std::slice::from_ref(&**opportunity);
            let room = max_chars * OPPORTUNITY_SHARE.0 / OPPORTUNITY_SHARE.1;
            let (text, cut) = fit(list, room);
            data.sheet.data("opportunity", &text);
            data.note_cut(&cut);
            if let Some(excerpt) = excerpt {
                let room = max_chars.saturating_sub(text.chars().count());
                data.quote("lines of code", excerpt, room);
            }
            "You are the advisor. Below is one piece of work that a program found in a repository, as a JSON array of one entry. Suggest \
             how to do it."
                .to_owned()
        }
    };
    let Data { sheet, cut } = data;
    let (text, forged) = sheet.close("the data holds");
    let mut notes = Vec::new();
    if !cut.is_empty() {
        let message = format!(
            "the prompt may have {max_chars} characters of data: {}; nothing is changed outside the prompt",
            cut.join(", ")
        );
        notes.push(Note::new("shortened_for_prompt", message));
    }
    notes.extend(forged);
    let prompt = Prompt {
        stable: rules(boundary),
        varying: format!("turn: {}\n\n# This turn\n\n{task}\n{text}", question.turn_id()),
        contract: contract::text(question),
    };
    (prompt, notes)
}

fn rules(boundary: &str) -> String {
    format!(
        "# The inquiry\n\n\
         A program looks for work worth doing in a repository. It asks you one question; others are asked elsewhere, and nobody sees your \
         answer before it is given. The program checks its form and keeps it for people to decide on.\n\n\
         {NO_TOOLS}\n\n{}\n{}",
        how_to_read(boundary, "collected from files and tools", ""),
        how_lines_are_marked().trim_end()
    )
}

/// The fenced data of a prompt under construction.
struct Data<'a> {
    sheet: Sheet<'a>,
    cut: Vec<String>,
}

impl Data<'_> {
    fn note_cut(&mut self, cut: &FitCuts) {
        if cut.texts > 0 {
            let (texts, line) = (cut.texts, cut.waterline);
            self.cut.push(format!("{texts} texts were cut to {line} characters"));
        }
        if cut.entries > 0 {
            self.cut.push(format!("{} list entries were left out", cut.entries));
        }
    }

    fn features(&mut self, summary: &str, existing: &[String], room: usize) {
        let titles: Vec<Value> = existing
            .iter()
            .take(KNOWN)
            .map(|title| Value::from(sanitize::line(title, TITLE_CHARS)))
            .collect();
        let mut shown = titles.len();
        let mut known = format!("{:#}", Value::from(&titles[..shown]));
        // The question is about the summary, so the known features get a third at most.
        while known.chars().count() > room / 3 && shown > 0 {
            shown -= shown.div_ceil(4);
            known = format!("{:#}", Value::from(&titles[..shown]));
        }
        if shown < existing.len() {
            self.cut.push(format!(
                "{} of {} titles of known features were left out",
                existing.len() - shown,
                existing.len()
            ));
        }
        let room = room.saturating_sub(known.chars().count());
        self.quote("summary of the repository", summary, room);
        self.sheet.data("titles of features that are known already", &known);
    }

    /// Adds a text with every line quoted, cut to `room` characters, the quotes included.
    fn quote(&mut self, label: &str, text: &str, room: usize) {
        let clean = sanitize::terminal(text);
        let total = clean.chars().count();
        let note = format!("{QUOTE}[cut; {total} characters in all]\n");
        let mut used = note.len();
        let (mut quoted, mut whole) = (String::new(), true);
        for line in clean.lines() {
            let left = room.saturating_sub(used);
            let chars = line.chars().count();
            let needs = QUOTE.len() + chars + 1;
            if needs > left {
                whole = false;
                // The beginning of a long line is worth more than none of it.
                if let Some(kept) = left.checked_sub(QUOTE.len() + 1).filter(|kept| *kept > 0) {
                    quoted.push_str(QUOTE);
                    quoted.extend(line.chars().take(kept));
                    quoted.push('\n');
                }
                break;
            }
            used += needs;
            quoted.push_str(QUOTE);
            quoted.push_str(line);
            quoted.push('\n');
        }
        if !whole {
            quoted.push_str(&note);
            self.cut.push(format!("the {label} were cut to {room} characters of {total}"));
        }
        self.sheet.data(label, &quoted);
    }
}

#[cfg(test)]
mod tests;
