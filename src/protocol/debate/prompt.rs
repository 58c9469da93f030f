//! The common parts of all styles' prompts: the brief as their stable part, the data of a turn.
//!
//! The stable part has the same bytes in every turn of a session, so that providers can cache it. Texts of several
//! lines have `| ` before every line, and data of a turn is JSON, which has no line breaks of its own: no line of
//! either can be the `turn:` line, a marker or a heading. All of it is fenced and defused. Metadata is shown to
//! nobody.

use serde_json::Value;

use super::brief::Brief;
use crate::kernel::fit::fit_value;
use crate::protocol::debate::Mode;
use crate::protocol::facts;
use crate::protocol::frame::{NO_TOOLS, Sheet, how_lines_are_marked, how_to_read, today};
use crate::text::{Note, fence, sanitize};

/// The heading that opens the stable part of every debate.
pub const HEADING: &str = "# The debate";
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
    let mut sheet = Sheet::new(
        format!(
            "{HEADING}\n\n{how}\n\n{}\n\n\
             {NO_TOOLS}{}\n\n{}\n{}",
            language(brief, boundary),
            today(brief.today),
            how_to_read(boundary, "a question, files, the words of others", ""),
            how_lines_are_marked()
        ),
        boundary,
    );
    sheet.section(TOPIC, "the topic", &brief.topic);
    if !brief.description.trim().is_empty() {
        sheet.section("# More about it", "the description", &brief.description);
    }
    if !brief.options.is_empty() {
        let options: Vec<String> =
            (brief.options.iter()).map(|option| sanitize::line(option, 1_000)).collect();
        sheet.section(OPTIONS, "the options", &options.join("\n"));
    }
    facts::sections(&brief.facts, &mut sheet);
    let mut notes = sheet.files("# Context", &brief.context);
    let (text, forged) = sheet.close("the brief holds");
    notes.extend(forged);
    StablePrefix { text, notes }
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

/// The additions of one turn to the stable part.
#[derive(Debug, Clone, Copy)]
pub struct Ask<'a> {
    /// The turn's id.
    pub turn: &'a str,
    /// The task of this turn, in our own words.
    pub task: &'a str,
    /// The tone in which it is done; `None` in a turn in which there is nothing of others to judge.
    pub tone: Option<Mode>,
    /// Statements of others, with their label; never with an agent's or vendor's name added by us.
    pub data: Option<(&'a str, &'a Value)>,
}

/// Builds the part of a prompt that this turn adds, with notes on what was cut or defused in it.
pub fn varying(ask: Ask<'_>, boundary: &str) -> (String, Vec<Note>) {
    let text = format!("turn: {}\n\n# This turn\n\n{}\n", ask.turn, ask.task);
    let mut sheet = Sheet::new(text, boundary);
    if let Some(mode) = ask.tone {
        sheet.text.extend(["\n", tone(mode), "\n"]);
    }
    let mut notes = Vec::new();
    if let Some((label, data)) = ask.data {
        let (text, cut) = fit_value(data, DATA_CHARS);
        if cut.texts > 0 {
            let (texts, line) = (cut.texts, cut.waterline);
            let message = format!("{texts} texts were cut to {line} characters for the prompt");
            notes.push(Note::new("shortened_for_prompt", message));
        }
        sheet.data(label, &text);
    }
    let (text, forged) = sheet.close("the words of others hold");
    notes.extend(forged);
    (text, notes)
}

#[cfg(test)]
mod tests;
