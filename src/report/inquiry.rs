//! The result of an inquiry: the questions to single agents, and the answer to each.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::document::{Header, SessionFacts};
use super::page::session::{self, SessionPhase};
use super::page::template::Data;
use super::page::{Page, ToPage, code, text};
use super::short_id;
use crate::kernel::{Ended, Halt, Stamp, Usd};
use crate::protocol::inquiry::{
    Content, Feature, InquiryAnswers, InquiryOutcome, InquiryVerdict, Outcome,
};

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
        let next = session::next(&self.header, self.standing());
        session::page(title, &self.header, ("inquiry", &self.data()), next)
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

    /// Returns what the templates are filled with.
    fn data(&self) -> Data {
        let answered = self.answers.iter().filter(|entry| entry.failure.is_none());
        session::data(self, &self.header).with("answered", answered.count())
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
