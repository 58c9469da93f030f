//! The result of an inquiry: the questions to single agents, and the answer to each.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::document::{Header, SessionFacts};
use super::page::session::{self, SessionPhase};
use super::page::{Blocks, Emphasis, Item, Page, Text, agent_text, code, count, name, path, text};
use super::short_id;
use crate::kernel::{Ended, Halt, Limit, Stamp, Usd};
use crate::protocol::inquiry::{
    Content, Feature, InquiryAnswers, InquiryOutcome, InquiryVerdict, Outcome,
};
use crate::report::page::ToPage;

mod result;

/// The result of an inquiry: what `discover` asked besides its debate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct InquiryDocument {
    /// What all results have.
    #[serde(flatten)]
    pub header: Header<Ended<InquiryOutcome>, InquiryVerdict>,
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
        let running = outcome.outcome == Ended::Stopped(Halt::Running);
        let (header, result) = Header::new("inquiry", outcome, stamp, about);
        let InquiryAnswers { answers, failures, open } = result;
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
        let why = if running {
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

    /// Returns in plain words how many questions have an answer.
    pub(crate) fn headline_text(&self) -> Text {
        let answered = self.answers.iter().filter(|entry| entry.failure.is_none()).count();
        let all = || count(self.answers.len(), "question");
        let of_all = || text![answered, " of ", all()];
        let (text, tone) = match self.header.outcome {
            Ended::Stopped(Halt::Running) => {
                (text![session::RUNNING, " (", of_all(), " answered)."], Emphasis::Doubt)
            }
            Ended::Stopped(Halt::Terminated) => {
                (text![session::TERMINATED, "; ", of_all(), " answered."], Emphasis::Bad)
            }
            Ended::Closed(InquiryOutcome::Answered) => {
                (text!["ANSWERED: ", all(), "."], Emphasis::Good)
            }
            Ended::Closed(InquiryOutcome::Partial) => {
                (text!["PARTLY ANSWERED: ", of_all(), "."], Emphasis::Doubt)
            }
            Ended::Closed(InquiryOutcome::AgentFailure) => {
                (text!["NO ANSWER to ", all(), ": the agent failed."], Emphasis::Bad)
            }
            Ended::Stopped(Halt::Budget) => {
                let why = Limit::Budget.reason();
                (text!["NOT FINISHED: ", of_all(), " answered; ", why, "."], Emphasis::Bad)
            }
            Ended::Stopped(Halt::Interrupted) => {
                let text = text!["NOT FINISHED: ", of_all(), " answered, then it was interrupted."];
                (text, Emphasis::Bad)
            }
        };
        text.tone(tone)
    }

    fn standing(&self) -> SessionPhase {
        match self.header.outcome {
            // An inquiry has no rounds from which it could be asked again.
            Ended::Closed(InquiryOutcome::Answered) | Ended::Stopped(Halt::Terminated) => {
                SessionPhase::Decided
            }
            Ended::Closed(_) => SessionPhase::Failed,
            Ended::Stopped(halt) => SessionPhase::of(halt, 1),
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
