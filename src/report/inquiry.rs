//! The result of an inquiry: the questions to single agents, and the answer to each.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::document::{Conclusion, Header, Quorum, SessionFacts};
use super::page::session::{self, SessionPhase};
use super::page::{Blocks, Emphasis, Item, Page, Text, agent_text, code, count, name, path, text};
use super::short_id;
use crate::kernel::{Limit, Stamp, Usd};
use crate::protocol::inquiry::{Content, Feature, InquiryOutcome, Outcome};
use crate::report::page::ToPage;

mod result;

/// Whether an inquiry has its answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum InquiryVerdict {
    /// Every question has one.
    Answered,
    /// Some have one.
    Partial,
    /// None has.
    Undecided,
}

/// The result of an inquiry: what `discover` asked besides its debate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct InquiryDocument {
    /// What all results have.
    #[serde(flatten)]
    pub header: Header<InquiryOutcome, InquiryVerdict>,
    /// One entry per question, in order: answered ones first.
    pub answers: Vec<AnswerEntry>,
    /// The same as `cost.total_usd`.
    pub cost_usd: Usd,
}

/// What came of one question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AnswerEntry {
    /// The question's turn: `features`, `fix/opp-tf-0123456789ab`.
    pub turn: String,
    /// The features that the analyst proposed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub features: Option<Vec<FeatureEntry>>,
    /// The fix that the advisor suggested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fix: Option<String>,
    /// Why there is no answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
}

/// A proposed feature, as the analyst scored it: 1 to 10 each.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FeatureEntry {
    pub title: String,
    pub description: String,
    pub user_value: String,
    pub impact: f64,
    pub effort: f64,
    pub leverage: f64,
    pub risk: f64,
    pub existing_code: Vec<String>,
}

impl ToPage for InquiryDocument {
    fn page(&self) -> Page {
        let title = text!["Inquiry ", code(short_id(&self.header.session_id))];
        let mut page = session::begin(title, &self.header, self.headline_text());
        let blocks = page.blocks();
        session::about(blocks, &self.header, self.standing(), []);
        for entry in &self.answers {
            blocks.section(name(&entry.turn), |below| entry.draw(below));
        }
        session::record(blocks, &self.header);
        session::foot(blocks, &self.header, [], session::next(&self.header, self.standing()));
        page
    }
}

impl InquiryDocument {
    /// Creates the document. `stamp` contains ids, times and money.
    pub fn new(outcome: Outcome, stamp: &Stamp, about: SessionFacts) -> Self {
        let Outcome { answers, failures, open, seats, warnings, .. } = outcome;
        let ended = outcome.outcome;
        let conclusion = Conclusion {
            outcome: ended,
            verdict: match (ended, answers.is_empty()) {
                (InquiryOutcome::Answered, _) => InquiryVerdict::Answered,
                (_, false) => InquiryVerdict::Partial,
                (_, true) => InquiryVerdict::Undecided,
            },
            decided: ended.closes(),
            quorum: Quorum::of(&seats, u32::try_from(seats.len()).unwrap_or(u32::MAX)),
            seats,
            rounds_used: 0,
            warnings,
        };
        let header = Header::new("inquiry", conclusion, stamp, about);
        let answered = answers.into_iter().map(|(turn, said)| {
            let entry = AnswerEntry::bare(&turn);
            match said {
                Content::Features(said) => {
                    let features = said.features.into_iter().map(FeatureEntry::from).collect();
                    AnswerEntry { features: Some(features), ..entry }
                }
                Content::Fix(text) => AnswerEntry { fix: Some(text), ..entry },
            }
        });
        let failed = failures.iter().map(|(turn, failure)| AnswerEntry {
            failure: Some(failure.to_string()),
            ..AnswerEntry::bare(turn)
        });
        let why = if ended == InquiryOutcome::Running {
            "it is not answered yet"
        } else {
            "it was not answered: the run was stopped first"
        };
        let open = open
            .iter()
            .map(|turn| AnswerEntry { failure: Some(why.to_owned()), ..AnswerEntry::bare(turn) });
        Self {
            answers: answered.chain(failed).chain(open).collect(),
            cost_usd: header.cost.total_usd,
            header,
        }
    }

    /// Whether a resume would ask questions that have no answer yet.
    pub const fn suspended(&self) -> bool {
        match self.header.outcome {
            InquiryOutcome::Partial
            | InquiryOutcome::AgentFailure
            | InquiryOutcome::Budget
            | InquiryOutcome::Interrupted => true,
            InquiryOutcome::Answered | InquiryOutcome::Running | InquiryOutcome::Terminated => {
                false
            }
        }
    }

    /// Returns in plain words how many questions have an answer.
    pub(crate) fn headline_text(&self) -> Text {
        let answered = self.answers.iter().filter(|entry| entry.failure.is_none()).count();
        let all = || count(self.answers.len(), "question");
        let of_all = || text![answered, " of ", all()];
        let (text, tone) = match self.header.outcome {
            InquiryOutcome::Running => {
                (text![session::RUNNING, " (", of_all(), " answered)."], Emphasis::Doubt)
            }
            InquiryOutcome::Terminated => {
                (text![session::TERMINATED, "; ", of_all(), " answered."], Emphasis::Bad)
            }
            InquiryOutcome::Answered => (text!["ANSWERED: ", all(), "."], Emphasis::Good),
            InquiryOutcome::Partial => (text!["PARTLY ANSWERED: ", of_all(), "."], Emphasis::Doubt),
            InquiryOutcome::AgentFailure => {
                (text!["NO ANSWER to ", all(), ": the agent failed."], Emphasis::Bad)
            }
            InquiryOutcome::Budget => {
                let why = Limit::Budget.reason();
                (text!["NOT FINISHED: ", of_all(), " answered; ", why, "."], Emphasis::Bad)
            }
            InquiryOutcome::Interrupted => {
                let text = text!["NOT FINISHED: ", of_all(), " answered, then it was interrupted."];
                (text, Emphasis::Bad)
            }
        };
        text.tone(tone)
    }

    const fn standing(&self) -> SessionPhase {
        match self.header.outcome {
            // An inquiry has no rounds from which it could be asked again.
            InquiryOutcome::Answered | InquiryOutcome::Terminated => SessionPhase::Decided,
            InquiryOutcome::Partial | InquiryOutcome::AgentFailure => SessionPhase::Failed,
            InquiryOutcome::Budget => SessionPhase::Budget,
            InquiryOutcome::Interrupted => SessionPhase::Stopped,
            InquiryOutcome::Running => SessionPhase::Running,
        }
    }
}

impl AnswerEntry {
    fn bare(turn: &str) -> Self {
        Self { turn: turn.to_owned(), features: None, fix: None, failure: None }
    }

    fn draw(&self, blocks: &mut Blocks) {
        blocks
            .para(self.failure.as_deref().map(|failure| text!["No answer: ", agent_text(failure)]));
        blocks.quote(self.fix.as_deref().unwrap_or_default());
        blocks.list(self.features.iter().flatten().map(FeatureEntry::item));
    }
}

impl FeatureEntry {
    fn item(&self) -> Item {
        Item::new(self.line()).with(|below| {
            let gain = Some(agent_text(&self.user_value)).filter(|gain| !gain.is_blank());
            let builds_on = self.existing_code.iter().map(|file| path(file)).collect();
            let facts = [("For users", gain.into_iter().collect()), ("Builds on", builds_on)];
            below.facts(facts).record_only();
        })
    }

    /// `Export as CSV (impact 7, effort 3, leverage 4, risk 2): ...`.
    fn line(&self) -> Text {
        let Self { impact, effort, leverage, risk, .. } = *self;
        text![
            agent_text(&self.title),
            " (impact ",
            impact,
            ", effort ",
            effort,
            ", leverage ",
            leverage,
            ", risk ",
            risk,
            "): ",
            agent_text(&self.description),
        ]
    }
}

impl From<Feature> for FeatureEntry {
    fn from(feature: Feature) -> Self {
        let Feature {
            title,
            description,
            user_value,
            impact,
            effort,
            leverage,
            risk,
            existing_code,
        } = feature;
        Self { title, description, user_value, impact, effort, leverage, risk, existing_code }
    }
}
