//! The stand-ins of a critique: a handful of lexical rules over the artifact.
//!
//! Each perspective searches the lines for words of its field: a line that contains one yields a strength that cites
//! the line; if no line does, that is a weakness with a suggestion. Quality counts placeholders, vague words and
//! empty headings, risk weighs words of dependence against words of a way back, coverage searches for the words of
//! each requirement of the context. A user's own perspective searches for the words of the aspects that it was told
//! to examine.
//!
//! A weakness costs a point of five, a grave one two or more, so that a different artifact gets a different verdict.
//! A few points are raised by two perspectives in the same words, and one is praised by one and faulted by another,
//! so that a rehearsal shows a theme and a differing view too. The lines found are real; their interpretation is
//! nobody's opinion.

use serde::Deserialize;
use serde_json::Value;

use crate::protocol::discuss::Critique;
use crate::protocol::discuss::input::Perspective;
use crate::text::sanitize;

mod coverage;
mod rules;
mod sheet;

use sheet::ArtifactText;

/// Maximum aspects of a user's own perspective; as many as a configuration may name.
const THINGS: usize = 50;

/// Maximum entries of one list.
const ENTRIES: usize = 12;

/// Maximum characters of the artifact that an entry repeats.
const SHORT: usize = 60;

/// The data of a turn.
#[derive(Deserialize)]
struct TurnData {
    perspective: Perspective,
    artifact: String,
    context: Option<String>,
}

/// Answers for a perspective; `None` if the data is not that of a critique.
pub(super) fn answer(data: &Value) -> Option<Critique> {
    let TurnData { perspective, artifact, context } = TurnData::deserialize(data).ok()?;
    let artifact: Vec<&str> = artifact.lines().collect();
    let things = perspective.looks_at.iter().map(|thing| sanitize::line(thing, SHORT));
    let scene = RuleContext {
        name: &perspective.name,
        sheet: ArtifactText::new(&artifact),
        context: context.as_deref(),
        things: things.filter(|thing| !thing.is_empty()).take(THINGS).collect(),
        owes_risk: perspective.rates_risk,
        owes_context: perspective.needs_context,
    };
    Some(scene.critique())
}

/// The input of the rules.
struct RuleContext<'a> {
    name: &'a str,
    sheet: ArtifactText<'a>,
    context: Option<&'a str>,
    things: Vec<String>,
    owes_risk: bool,
    owes_context: bool,
}

impl RuleContext<'_> {
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

/// A critique under construction.
#[derive(Debug, Default)]
struct Notes {
    said: Critique,
    /// Points deducted from the rating.
    lost: usize,
}

/// Returns a count with its noun, in singular or plural.
fn counted(count: usize, what: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {what}{plural}")
}

/// Marks a text as a rehearsal's, so that no reader mistakes it for an opinion.
fn marked(text: &str) -> String {
    format!("{text} (rehearsal)")
}

impl Notes {
    fn praise(&mut self, text: &str) {
        self.said.strengths.push(marked(text));
    }

    /// Adds a weakness that costs nothing by itself.
    fn remark(&mut self, text: &str) {
        self.said.weaknesses.push(marked(text));
    }

    /// Adds a weakness that costs the given points, and a suggestion to fix it.
    fn fault(&mut self, points: usize, text: &str, change: &str) {
        self.lost += points;
        self.remark(text);
        self.said.suggestions.push(marked(change));
    }

    fn risk(&mut self, text: &str) {
        self.said.risks.push(marked(text));
    }

    /// Sets the rating to five minus the points lost, at least one; a perspective with a weakness never gives five.
    /// Missing requirements are never cut: each counts.
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
