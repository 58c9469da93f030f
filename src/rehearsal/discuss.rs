//! The stand-ins of a critique: a handful of lexical rules over the artifact in the prompt.
//!
//! Each perspective looks for words of its trade, line by line: where they stand is a strength, with the line; where none
//! stands is a weakness, with what to write. Quality counts placeholders, vague words and empty headings, risk counts words
//! that tell of dependence against words that tell of a way back, coverage looks for the words of each requirement of the
//! context. A perspective of one's own looks for the words of the things that it was told to look at. What is owed
//! (a risk level, missing requirements) is read from the contract at the end of the prompt.
//!
//! Every weakness costs a point of five, grave ones two or more, so that another artifact has another verdict. A few
//! points are raised by two perspectives in the same words, and one is praised by one and faulted by another one, so that a
//! rehearsal shows a theme and a differing view too. What is found stands there; what it means is nobody's opinion.

use crate::kernel::quote::QUOTE;
use crate::protocol::discuss::Critique;
use crate::protocol::discuss::contract::CRITIQUE;
use crate::protocol::discuss::prompt::{ARTIFACT, CONTEXT, HEADING, LOOK_AT};
use crate::text::sanitize;

mod coverage;
mod rules;
mod sheet;

use sheet::Sheet;

/// Things that an own perspective looks at, at most; as many as a configuration may name.
const THINGS: usize = 50;

/// Entries of one list at most.
const ENTRIES: usize = 12;

/// Characters of the artifact that an entry repeats.
const SHORT: usize = 60;

/// Answers the turn of a prompt; `None` if it is no critique's.
pub(super) fn answer(prompt: &str) -> Option<Critique> {
    let lines: Vec<&str> = prompt.lines().collect();
    // Artifact and context have a mark before each line, so such lines are always ours.
    let head = lines.iter().position(|line| *line == HEADING)?;
    let (at, turn) = (lines.iter().enumerate().skip(head).rev())
        .find_map(|(at, line)| Some((at, line.strip_prefix("turn: ")?)))?;
    let (name, ask) = (turn.strip_prefix("r1/")?, &lines[at..]);
    if name.is_empty() || name.contains('/') {
        return None;
    }
    let artifact = section(&lines[head..at], ARTIFACT)?;
    let context = section(&lines[head..at], CONTEXT).map(|context| context.join("\n"));
    let scene = Scene {
        name,
        sheet: Sheet::new(&artifact),
        context: context.as_deref(),
        things: things(ask),
        owes_risk: owes(ask, "risk_level"),
        owes_context: owes(ask, "missing_requirements"),
    };
    Some(scene.critique())
}

/// The quoted lines between a heading and the next one, without their marks; `None` without the heading.
fn section<'a>(lines: &[&'a str], heading: &str) -> Option<Vec<&'a str>> {
    let at = lines.iter().position(|line| *line == heading)?;
    let after = lines[at..].iter().skip(1);
    let quoted = after
        .take_while(|line| !line.starts_with("# "))
        .filter_map(|line| line.strip_prefix(QUOTE));
    Some(quoted.collect())
}

/// What the perspective was told to look at.
fn things(ask: &[&str]) -> Vec<String> {
    let after = ask.iter().skip_while(|line| !line.ends_with(LOOK_AT));
    let listed = (after.skip(1)).skip_while(|line| line.is_empty());
    listed
        .map_while(|line| line.strip_prefix("- "))
        .map(|thing| sanitize::line(thing, SHORT))
        .filter(|thing| !thing.is_empty())
        .take(THINGS)
        .collect()
}

/// Whether the block at the end of the prompt shows a field: the fields of others stand outside of it.
fn owes(ask: &[&str], key: &str) -> bool {
    let start = format!("<<<{CRITIQUE}_START>>>");
    let block = ask.iter().skip_while(|line| **line != start).skip(1);
    let mut body = block.take_while(|line| !line.starts_with("<<<"));
    body.any(|line| line.contains(&format!("\"{key}\":")))
}

/// What a prompt shows.
struct Scene<'a> {
    name: &'a str,
    sheet: Sheet<'a>,
    context: Option<&'a str>,
    things: Vec<String>,
    owes_risk: bool,
    owes_context: bool,
}

impl Scene<'_> {
    fn critique(&self) -> Critique {
        let mut notes = Notes::default();
        match (self.name, self.context) {
            ("product", _) => rules::product(&self.sheet, &mut notes),
            ("technical", _) => rules::technical(&self.sheet, &mut notes),
            ("quality", _) => rules::quality(&self.sheet, &mut notes),
            ("risk", _) => rules::risk(&self.sheet, &mut notes),
            ("coverage", Some(context)) => coverage::compare(&self.sheet, context, &mut notes),
            (_, _) => rules::own(&self.sheet, &self.things, &mut notes),
        }
        if self.owes_risk && notes.said.risk_level.is_none() {
            rules::risks(&self.sheet, &mut notes);
        }
        if let (true, Some(context)) = (self.owes_context && self.name != "coverage", self.context)
        {
            coverage::requirements(&self.sheet, context, &mut notes);
        }
        notes.close()
    }
}

/// A critique as it is put together.
#[derive(Debug, Default)]
struct Notes {
    said: Critique,
    /// Points of the rating that are lost.
    lost: usize,
}

/// A count and what is counted, in as many words as it takes.
fn counted(count: usize, what: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {what}{plural}")
}

/// What every text ends with: nobody shall take it for an opinion.
fn marked(text: &str) -> String {
    format!("{text} (rehearsal)")
}

impl Notes {
    fn praise(&mut self, text: &str) {
        self.said.strengths.push(marked(text));
    }

    /// A weakness that costs nothing by itself.
    fn remark(&mut self, text: &str) {
        self.said.weaknesses.push(marked(text));
    }

    /// A weakness, and what would mend it.
    fn fault(&mut self, points: usize, text: &str, change: &str) {
        self.lost += points;
        self.remark(text);
        self.said.suggestions.push(marked(change));
    }

    fn risk(&mut self, text: &str) {
        self.said.risks.push(marked(text));
    }

    /// The rating is what is left of five points, and one at least; whoever found a weakness gives no five. Missing
    /// requirements are never cut: each counts.
    fn close(mut self) -> Critique {
        let said = &mut self.said;
        for list in
            [&mut said.strengths, &mut said.weaknesses, &mut said.suggestions, &mut said.risks]
        {
            list.truncate(ENTRIES);
        }
        let found = usize::from(!said.weaknesses.is_empty());
        said.rating = match self.lost.max(found) {
            0 => 5,
            1 => 4,
            2 => 3,
            3 => 2,
            _ => 1,
        };
        self.said
    }
}

#[cfg(test)]
mod tests;
