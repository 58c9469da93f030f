//! The stand-ins of a critique: a handful of lexical rules over the artifact.
//!
//! Each perspective looks for words of its trade, line by line: where they stand is a strength, with the line; where none
//! stands is a weakness, with what to write. Quality counts placeholders, vague words and empty headings, risk counts words
//! that tell of dependence against words that tell of a way back, coverage looks for the words of each requirement of the
//! context. A perspective of one's own looks for the words of the things that it was told to look at.
//!
//! Every weakness costs a point of five, grave ones two or more, so that another artifact has another verdict. A few
//! points are raised by two perspectives in the same words, and one is praised by one and faulted by another one, so that a
//! rehearsal shows a theme and a differing view too. What is found stands there; what it means is nobody's opinion.

use serde::Deserialize;
use serde_json::Value;

use crate::protocol::discuss::Critique;
use crate::protocol::discuss::input::Perspective;
use crate::text::sanitize;

mod coverage;
mod rules;
mod sheet;

use sheet::ArtifactText;

/// Things that an own perspective looks at, at most; as many as a configuration may name.
const THINGS: usize = 50;

/// Entries of one list at most.
const ENTRIES: usize = 12;

/// Characters of the artifact that an entry repeats.
const SHORT: usize = 60;

/// What a perspective is shown.
#[derive(Deserialize)]
struct TurnData {
    perspective: Perspective,
    artifact: String,
    context: Option<String>,
}

/// Answers for a perspective; `None` if it is none.
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

/// What the rules look at.
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
