//! The result of an inquiry: what was asked of single agents, and what came of each question.

use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::document::{Circumstances, Conclusion, Header, Quorum};
use super::progress::REHEARSAL;
use super::table::push_wrapped;
use super::words::{self, BAD, DOUBT, GOOD, count, paint};
use super::{Look, short_id, standing};
use crate::kernel::{Limit, Stamp, Usd};
use crate::protocol::inquiry::{Feature, InquiryOutcome, Outcome, Said};
use crate::text::sanitize;

mod session;

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
    /// One entry a question, in their order: answered ones first.
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
#[expect(missing_docs, reason = "the names are those of the contract")]
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

impl InquiryDocument {
    /// Makes the document. `stamp` holds ids, times and money.
    pub fn new(outcome: Outcome, stamp: &Stamp, about: Circumstances) -> Self {
        let Outcome { answers, failures, open, seats, warnings, .. } = outcome;
        let ended = outcome.outcome;
        let conclusion = Conclusion {
            outcome: ended,
            verdict: match (ended, answers.is_empty()) {
                (InquiryOutcome::Answered, _) => InquiryVerdict::Answered,
                (_, false) => InquiryVerdict::Partial,
                (_, true) => InquiryVerdict::Undecided,
            },
            quorum: Quorum::of(&seats, u32::try_from(seats.len()).unwrap_or(u32::MAX)),
            seats,
            rounds_used: 0,
            warnings,
        };
        let header = Header::new("inquiry", conclusion, stamp, about);
        let answered = answers.into_iter().map(|(turn, said)| {
            let entry = AnswerEntry::bare(&turn);
            match said {
                Said::Features(said) => {
                    let features = said.features.into_iter().map(FeatureEntry::from).collect();
                    AnswerEntry { features: Some(features), ..entry }
                }
                Said::Fix(text) => AnswerEntry { fix: Some(text), ..entry },
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

    /// Whether a resume asks what has no answer.
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

    /// Says in plain words how many questions have an answer.
    pub(super) fn headline(&self) -> (String, anstyle::Style) {
        let answered = self.answers.iter().filter(|entry| entry.failure.is_none());
        let (answered, all) = (answered.count(), self.answers.len());
        let all = count(u32::try_from(all).unwrap_or(u32::MAX), "question");
        match self.header.outcome {
            InquiryOutcome::Running => {
                (format!("{} ({answered} of {all} answered).", standing::RUNNING), DOUBT)
            }
            InquiryOutcome::Terminated => {
                (format!("{}; {answered} of {all} answered.", standing::TERMINATED), BAD)
            }
            InquiryOutcome::Answered => (format!("ANSWERED: {all}."), GOOD),
            InquiryOutcome::Partial => (format!("PARTLY ANSWERED: {answered} of {all}."), DOUBT),
            InquiryOutcome::AgentFailure => (format!("NO ANSWER to {all}: the agent failed."), BAD),
            InquiryOutcome::Budget => (
                format!("NOT FINISHED: {answered} of {all} answered; {}.", Limit::Budget.reason()),
                BAD,
            ),
            InquiryOutcome::Interrupted => (
                format!("NOT FINISHED: {answered} of {all} answered, then it was interrupted."),
                BAD,
            ),
        }
    }

    /// Returns the result as a Markdown report: text of agents is text, never markup.
    pub fn markdown(&self) -> String {
        let mut text = format!("# Inquiry {}\n\n", short_id(&self.header.session_id));
        if self.header.rehearsal {
            writeln!(text, "> {REHEARSAL}\n").ok();
        }
        // Writing to a String cannot fail.
        writeln!(text, "{}\n", self.headline().0).ok();
        for entry in &self.answers {
            writeln!(text, "## {}\n", sanitize::markdown(&entry.turn)).ok();
            if let Some(failure) = &entry.failure {
                writeln!(text, "No answer: {}\n", sanitize::markdown(failure)).ok();
            }
            if let Some(fix) = &entry.fix {
                writeln!(text, "{}\n", sanitize::markdown(fix)).ok();
            }
            for feature in entry.features.iter().flatten() {
                let said = format!("{}: {}", feature.title, feature.description);
                writeln!(
                    text,
                    "* {} (impact {}, effort {}, leverage {}, risk {})",
                    sanitize::markdown(&said).replace('\n', " "),
                    feature.impact,
                    feature.effort,
                    feature.leverage,
                    feature.risk
                )
                .ok();
            }
        }
        text
    }

    /// Returns the result for people, with a newline at the end.
    pub fn render(&self, look: Look) -> String {
        let mut text = String::new();
        if self.header.rehearsal {
            text.push_str(&paint(REHEARSAL, DOUBT, look.colour));
            text.push('\n');
        }
        let (head, style) = self.headline();
        text.push_str(&paint(&head, style, look.colour));
        text.push_str("\n\n");
        for entry in &self.answers {
            entry.render(&mut text, look);
        }
        let cost = &self.header.cost;
        let from = cost.basis.map_or(String::new(), |basis| format!(", {}", words::basis(basis)));
        let money = words::spent(cost.total_usd, cost.budget_usd);
        // Writing to a String cannot fail.
        writeln!(text, "Cost  {money}{from}").ok();
        for warning in &self.header.warnings {
            let line = format!("! {}", words::sentence(&warning.message));
            push_wrapped(&mut text, &line, "", "  ", look.width);
        }
        if self.suspended() {
            let id = short_id(&self.header.session_id);
            let raise = words::raised(self.header.cost.short);
            writeln!(text, "Next  debate-agent sessions resume {id}{raise}").ok();
        }
        if self.header.outcome == InquiryOutcome::Running {
            let status = standing::look_again(&self.header.session_id);
            writeln!(text, "Next  {status}").ok();
        }
        text
    }
}

impl AnswerEntry {
    fn bare(turn: &str) -> Self {
        Self { turn: turn.to_owned(), features: None, fix: None, failure: None }
    }

    fn render(&self, text: &mut String, look: Look) {
        let name = words::name(&self.turn);
        if let Some(failure) = &self.failure {
            let line = format!("{name}: {}", words::sentence(failure));
            push_wrapped(text, &line, "", "  ", look.width);
        }
        if let Some(fix) = &self.fix {
            push_wrapped(text, &format!("{name}:"), "", "", look.width);
            for line in sanitize::terminal(fix).lines() {
                push_wrapped(text, line, "  ", "  ", look.width);
            }
        }
        for feature in self.features.iter().flatten() {
            let line = format!(
                "{} (impact {}, effort {}, leverage {}, risk {}): {}",
                words::sentence(&feature.title),
                feature.impact,
                feature.effort,
                feature.leverage,
                feature.risk,
                words::sentence(&feature.description)
            );
            push_wrapped(text, &line, "* ", "  ", look.width);
        }
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
