//! The common parts of all styles' prompts: the brief as their stable part, the data of a turn, a person's remark.
//!
//! The stable part has the same bytes in every turn of a session, so that providers can cache it. Texts of several
//! lines have `| ` before every line, and data of a turn is JSON, which has no line breaks of its own: no line of
//! either can be the `turn:` line, a marker or a heading. All of it is fenced and defused. Metadata is shown to
//! nobody.

use serde_json::Value;

use super::brief::{Brief, CONTEXT_BYTES};
use crate::kernel::fit::fit_value;
use crate::kernel::quote::quoted;
use crate::protocol::debate::Mode;
use crate::protocol::facts;
use crate::protocol::frame::{NO_TOOLS, how_lines_are_marked, how_to_read, today};
use crate::text::{Note, fence, sanitize};

/// The heading that opens the stable part of every debate.
pub const HEADING: &str = "# The debate";
/// The heading of the topic.
pub const TOPIC: &str = "# The topic";
/// The heading of the options to choose from.
pub const OPTIONS: &str = "# The options";

/// Maximum length of the data in one turn, in characters.
const DATA_CHARS: usize = 400_000;

/// The part that all prompts of a session share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StablePrefix {
    /// The text, the same in every turn.
    pub text: String,
    /// Notes on what was defused in it or is not shown.
    pub notes: Vec<Note>,
}

/// Builds the part that all prompts of a session share. `how` describes a debate of this style, in one or two
/// paragraphs of our own.
pub fn stable(brief: &Brief, how: &str, boundary: &str) -> StablePrefix {
    let mut sheet = PromptText {
        text: format!(
            "{HEADING}\n\n{how}\n\n{}\n\n\
             {NO_TOOLS}{}\n\n{}\n{}",
            language(brief, boundary),
            today(brief.today),
            how_to_read(boundary, "a question, files, the words of others", ""),
            how_lines_are_marked()
        ),
        forged: 0,
        boundary,
    };
    sheet.section(TOPIC, "the topic", &brief.topic);
    if !brief.description.trim().is_empty() {
        sheet.section("# More about it", "the description", &brief.description);
    }
    if !brief.options.is_empty() {
        let options: Vec<String> =
            (brief.options.iter()).map(|option| sanitize::line(option, 1_000)).collect();
        sheet.section(OPTIONS, "the options", &options.join("\n"));
    }
    let (facts, forged) = facts::sections(&brief.facts, boundary);
    sheet.text.push_str(&facts);
    sheet.forged += forged;
    let mut notes = Vec::new();
    if !brief.context.is_empty() {
        sheet.text.push_str("\n# Context\n");
    }
    let mut room = CONTEXT_BYTES;
    for file in &brief.context {
        let name = sanitize::line(&file.name, 100);
        let shown = &file.text[..file.text.floor_char_boundary(room)];
        room -= shown.len();
        let cut = file.cut || shown.len() < file.text.len();
        let end = if cut { "\n[cut here]" } else { "" };
        sheet.section("", &format!("the file {name}"), &format!("{shown}{end}"));
        if cut {
            let message = format!("the context file {name} is too long; its end is not shown");
            notes.push(Note::new("context_cut", message));
        }
    }
    notes.extend(forged_note("the brief holds", sheet.forged));
    sheet.text.truncate(sheet.text.trim_end().len());
    StablePrefix { text: sheet.text, notes }
}

/// Returns the tone in a sentence; skills stay neutral. It is about the words of others, so a turn without any goes
/// without it.
const fn tone(mode: Mode) -> &'static str {
    match mode {
        Mode::Adversarial => {
            "The tone of this debate is adversarial: attack the weakest point first, and treat every claim as doubtful until something \
             supports it."
        }
        Mode::Consensus => {
            "The tone of this debate is a search for consensus: look for what both sides can accept, without giving up what is right."
        }
        Mode::Collaborative => {
            "The tone of this debate is collaborative: build on the other's work, keep what is good in it and mend what is not."
        }
    }
}

fn language(brief: &Brief, boundary: &str) -> String {
    match &brief.language {
        Some(language) => {
            let (language, _) = fence::defuse(&sanitize::line(language, 40), boundary);
            format!(
                "Write every text of your answer in this language: {language}. Keys, ids and words in angle brackets stay as they are."
            )
        }
        None => "Write in the language of the topic. Keys, ids and words in angle brackets stay as they are.".to_owned(),
    }
}

/// A text under construction, with the number of forged markers defused in it.
struct PromptText<'a> {
    text: String,
    forged: usize,
    boundary: &'a str,
}

impl PromptText<'_> {
    fn section(&mut self, heading: &str, label: &str, text: &str) {
        let (fenced, forged) = fence::fence(label, &quoted(text), self.boundary);
        self.forged += forged;
        self.text.push('\n');
        if !heading.is_empty() {
            self.text.push_str(heading);
            self.text.push_str("\n\n");
        }
        self.text.push_str(&fenced);
    }
}

/// The additions of one turn to the stable part.
#[derive(Debug, Clone, Copy)]
pub struct Ask<'a> {
    /// The turn's id.
    pub turn: &'a str,
    /// The task of this turn, in our own words.
    pub task: &'a str,
    /// The tone in which it is done; `None` in a turn in which there is nothing of others to judge.
    pub tone: Option<Mode>,
    /// The remark before this round by the person who asked.
    pub remark: Option<&'a str>,
    /// Statements of others, with their label; never with an agent's or vendor's name added by us.
    pub data: Option<(&'a str, &'a Value)>,
}

/// Builds the part of a prompt that this turn adds, with notes on what was cut or defused in it.
pub fn varying(ask: Ask<'_>, boundary: &str) -> (String, Vec<Note>) {
    let mut sheet = PromptText {
        text: format!("turn: {}\n\n# This turn\n\n{}\n", ask.turn, ask.task),
        forged: 0,
        boundary,
    };
    if let Some(mode) = ask.tone {
        sheet.text.extend(["\n", tone(mode), "\n"]);
    }
    let mut notes = Vec::new();
    if let Some(remark) = ask.remark {
        sheet.section("", "a remark of the person who asked", remark);
    }
    if let Some((label, data)) = ask.data {
        let (text, cut) = fit_value(data, DATA_CHARS);
        if cut.texts > 0 {
            let (texts, line) = (cut.texts, cut.waterline);
            let message = format!("{texts} texts were cut to {line} characters for the prompt");
            notes.push(Note::new("shortened_for_prompt", message));
        }
        let (fenced, forged) = fence::fence(label, &text, boundary);
        sheet.forged += forged;
        sheet.text.push('\n');
        sheet.text.push_str(&fenced);
    }
    notes.extend(forged_note("the words of others hold", sheet.forged));
    sheet.text.truncate(sheet.text.trim_end().len());
    (sheet.text, notes)
}

fn forged_note(what: &str, places: usize) -> Option<Note> {
    let message =
        format!("{what} text that looks like our markers in {places} places; it was defused");
    (places > 0).then(|| Note::new("forged_marker", message))
}

#[cfg(test)]
mod tests;
