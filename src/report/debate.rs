//! The result of `debate`: its document and its page.
//!
//! One document for the three styles; what a style does not have is empty or missing. The first line for people
//! depends on the outcome alone, so that nothing else in a document can turn "undecided" into a decision.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::decisions::{Entry, Source};
use super::document::{Header, SessionFacts};
use crate::kernel::share::Share;
use crate::kernel::{Ended, Seat, Stamp};
use crate::ordered::{BTreeMap, BTreeSet, Gather};
use crate::protocol::debate::ballot::Choice;
use crate::protocol::debate::consensus::Basis;
use crate::protocol::debate::outcome::{DebateResult, FinalPosition, at_the_table};
use crate::protocol::debate::{Brief, DebateOutcome, Mode, Outcome, Status, Style, Verdict};
use crate::protocol::facts::{Fact, Facts};
use crate::protocol::opening::Opening;
use crate::report::page::terminal::line;
use crate::text::counted;

#[cfg(test)]
pub(crate) mod example;
mod page;
mod result;

/// The result of `debate`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DebateDocument {
    /// What all results have; `rounds_used` counts the rounds listed in `rounds`.
    #[serde(flatten)]
    pub header: Header<Ended<DebateOutcome>, Verdict>,
    /// The question.
    pub topic: String,
    /// More about it; may be empty.
    #[serde(default)]
    pub description: String,
    /// The tone.
    pub mode: Mode,
    /// Dialogue: how it began; missing where one side opened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opening: Option<Opening>,
    /// What there was to choose from; may be empty.
    #[serde(default)]
    pub options: Vec<String>,
    /// The language that was asked for; missing: that of the topic.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// What the person who asked said about the matter; shown to all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub facts: Vec<Fact>,
    /// What was assumed where nobody said it; shown to all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub assumptions: Vec<Fact>,
    /// The files that were shown to all, without their text.
    #[serde(default)]
    pub context: Vec<ShownPosition>,
    /// Carried from the command line; no agent saw it.
    #[serde(default)]
    pub metadata: BTreeMap<String, Value>,
    /// The debate's state, in the six words of its protocol; `outcome` and `verdict` say more.
    pub status: Status,
    /// What consensus was compared with.
    pub thresholds: Thresholds,
    /// What came of it; `final_positions` are by agent.
    #[serde(flatten)]
    pub result: DebateResult,
    /// The headline: how it ended and why, in one line.
    pub recommendation: String,
    /// The decision in the log of decisions that was made of it; missing where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logged: Option<Logged>,
    /// Typed arguments: what the source document has besides.
    #[serde(flatten)]
    pub stamp: Option<DebateStamp>,
}

/// A debate's entry in the log of decisions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Logged {
    /// `D1`.
    pub id: String,
    /// When it was decided.
    pub date: DateTime<Utc>,
    /// Who logged it.
    pub source: Source,
}

impl From<&Entry> for Logged {
    fn from(entry: &Entry) -> Self {
        Self { id: entry.id.clone(), date: entry.date, source: entry.source }
    }
}

/// A debate of typed arguments as the source document has it, beside what every style has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DebateStamp {
    /// The same as `session_id`.
    pub debate_id: String,
    /// Who proposes.
    pub primary_agent_id: String,
    /// Who challenges.
    pub adversary_agent_id: String,
    /// The number of the round under way, or of the last one; 0 before the first argument.
    pub current_round: u32,
    /// Maximum number of rounds.
    pub max_rounds: u32,
    /// The same as `thresholds.consensus`.
    pub consensus_threshold: Share,
    /// The same as `started_at`.
    pub created_at: DateTime<Utc>,
    /// When something was last recorded.
    pub updated_at: DateTime<Utc>,
}

/// A file that was shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ShownPosition {
    /// Its name, as it was given.
    pub name: String,
    /// Bytes of it that were shown.
    pub bytes: u64,
    /// Its end was left out.
    pub cut: bool,
}

/// What consensus was compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Thresholds {
    /// At or above it, it is consensus; `null` in a panel, where votes are counted.
    pub consensus: Option<Share>,
    /// Below it an expert is asked; `null` in the other styles.
    pub expert: Option<Share>,
    /// What decides.
    pub basis: Basis,
}

/// Facts about a debate that the protocol's outcome does not contain.
#[derive(Debug, Clone)]
pub struct About<'a> {
    /// The question, with its options and context.
    pub brief: &'a Brief,
    /// What was known and what was assumed.
    pub facts: Facts,
    pub style: Style,
    /// The way in which a dialogue begins, unless one side opens it.
    pub opening: Option<Opening>,
    /// The thresholds for consensus and for the expert.
    pub thresholds: Thresholds,
}

impl DebateDocument {
    /// Creates the document. `stamp` contains ids, times and money.
    pub fn new(
        outcome: Outcome,
        about: &About<'_>,
        stamp: &Stamp,
        circumstances: SessionFacts,
    ) -> Self {
        let (header, mut result) = Header::new(about.style.name(), outcome, stamp, circumstances);
        result.final_positions = by_agent(std::mem::take(&mut result.final_positions));
        let Brief { topic, description, mode, options, language, context, metadata, .. } =
            about.brief;
        let Facts { told, assumed } = about.facts.clone();
        let context = context.iter().map(|file| ShownPosition {
            name: file.name.clone(),
            bytes: u64::try_from(file.text.len()).unwrap_or(u64::MAX),
            cut: file.cut,
        });
        let basis = if result.by_text { Basis::Text } else { about.thresholds.basis };
        let mut document = Self {
            topic: topic.clone(),
            description: description.clone(),
            mode: *mode,
            opening: about.opening,
            options: options.clone(),
            language: language.clone(),
            facts: told,
            assumptions: assumed,
            context: context.collect(),
            metadata: metadata.clone(),
            status: header.outcome.into(),
            thresholds: Thresholds { basis, ..about.thresholds },
            recommendation: String::new(),
            logged: None,
            stamp: None,
            header,
            result,
        };
        document.recommendation = line(&document.headline_text());
        document
    }

    /// The earliest round worth debating again: the second if it was reached or begun, else the first.
    pub fn again_from(&self) -> usize {
        let begun = usize::from(!self.header.outcome.closes());
        (self.result.rounds.len() + begun).clamp(1, 2)
    }

    /// The participants' seats, without those that rule and the person who is asked for facts.
    fn table(&self) -> impl Iterator<Item = &Seat> {
        self.header.seats.iter().filter(at_the_table)
    }

    fn chosen(&self) -> Option<&Choice> {
        let decided = self.result.decision.as_ref()?;
        self.result.choices.iter().find(|choice| choice.text == decided.text)
    }

    /// A panel's choices that were not decided; all of them if nothing was decided.
    fn losing(&self) -> impl Iterator<Item = &Choice> {
        let decided = match self.header.verdict {
            Verdict::Consensus | Verdict::Ruled => self.result.decision.as_ref(),
            Verdict::Partial | Verdict::OneVendor | Verdict::NoConsensus | Verdict::Undecided => {
                None
            }
        };
        let text = decided.map(|decision| decision.text.as_str());
        (self.result.choices.iter()).filter(move |choice| Some(choice.text.as_str()) != text)
    }

    /// Returns the alternatives that were considered but not decided: answers or positions, then options.
    pub fn alternatives(&self) -> Vec<String> {
        let by = self.result.decision.as_ref().map(|decision| decision.by.as_str());
        let mut all: Vec<String> = (self.losing())
            .map(|choice| {
                let (id, text) = (&choice.id, &choice.text);
                let votes = counted(choice.votes, "vote");
                let vendors = counted(choice.vendors, "vendor");
                format!("Answer {id} ({votes}, {vendors}): {text}")
            })
            .collect();
        if self.result.choices.is_empty() {
            let others = self.result.final_positions.values();
            let others = others.filter(|position| Some(position.seat.as_str()) != by);
            all.extend(others.map(|position| {
                format!("{} ({}): {}", position.agent, position.seat, position.text)
            }));
        }
        let taken = self.chosen().and_then(|choice| choice.option.as_ref());
        let options = self.options.iter().filter(|option| Some(*option) != taken);
        all.extend(options.map(|option| format!("Given as an option: {option}")));
        all
    }
}

fn by_agent(positions: BTreeMap<String, FinalPosition>) -> BTreeMap<String, FinalPosition> {
    let mut seen = BTreeSet::new();
    let twice: BTreeSet<String> = (positions.values())
        .map(|position| position.agent.clone())
        .filter(|agent| !seen.insert(agent.clone()))
        .gather();
    let named = positions.into_iter().map(|(seat, last)| {
        let agent = &last.agent;
        let name = if twice.contains(agent) { format!("{agent}/{seat}") } else { agent.clone() };
        (name, last)
    });
    named.gather()
}

#[cfg(test)]
mod tests;
