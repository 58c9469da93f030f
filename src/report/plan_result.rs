//! The result of `plan`: its document, its Markdown report, its form for people.
//!
//! Whatever an agent wrote goes through [`crate::text::sanitize::markdown`] in the report and becomes one line of
//! inert text, and through `words` on a screen.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::document::{Circumstances, Conclusion, CostSummary, Header, Quorum};
use super::standing;
use crate::change::NotReviewed;
use crate::kernel::Stamp;
use crate::protocol::council::RoundRecord;
use crate::protocol::plan::{
    FinalStep, LeftOutStep, Outcome, PlanOutcome, ScoreBreakdown, ValidationResult, Verdict,
};

mod people;
mod report;
mod session;

/// Seats that must have answered every time (`spec/contracts.md`).
const NEEDED: u32 = 2;

/// The result of `plan`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PlanDocument {
    /// What all results have; `rounds_used` counts cross-examinations.
    #[serde(flatten)]
    pub header: Header<PlanOutcome, Verdict>,
    /// `plan`.
    pub mode: String,
    /// What was to be planned.
    pub task: String,
    /// The agent whose plan is the base; `null` without a plan.
    pub winner: Option<String>,
    /// 0 to 100: agreeing votes among those cast, times attendance.
    pub confidence: u32,
    /// One entry a round; 0 for the independent plans, then the cross-examinations.
    pub rounds: Vec<RoundRecord>,
    /// The final plan, ordered by phase and dependencies.
    pub steps: Vec<FinalStep>,
    /// Steps of others that are not in it, with reasons.
    pub left_out: Vec<LeftOutStep>,
    /// By agent; one without a plan has none.
    pub scores: BTreeMap<String, ScoreBreakdown>,
    /// The winner's summary.
    pub summary: String,
    /// Risks that were named, each once.
    pub risks: Vec<String>,
    /// Questions that were named, each once.
    pub open_questions: Vec<String>,
    /// One paragraph, by rule.
    pub recommendation: String,
    /// What of the change the planners were not shown.
    pub not_shown: Vec<NotReviewed>,
    /// Fewer than two plans: nothing was examined.
    pub degraded: bool,
}

impl PlanDocument {
    /// Makes the document. `stamp` holds ids, times and money.
    pub fn new(outcome: Outcome, task: String, stamp: &Stamp, about: Circumstances) -> Self {
        let Outcome {
            winner,
            confidence,
            rounds,
            steps,
            left_out,
            scores,
            summary,
            risks,
            open_questions,
            recommendation,
            not_shown,
            degraded,
            vendors,
            ..
        } = outcome;
        let conclusion = Conclusion {
            outcome: outcome.outcome,
            verdict: outcome.verdict,
            // The seats name the configured agents; who stepped in for them, the protocol knows.
            quorum: Quorum { vendors, ..Quorum::of(&outcome.seats, NEEDED) },
            seats: outcome.seats,
            rounds_used: rounds.last().map_or(0, |round| round.round),
            warnings: outcome.warnings,
        };
        Self {
            header: Header::new("plan", conclusion, stamp, about),
            mode: "plan".to_owned(),
            task,
            winner,
            confidence,
            rounds,
            steps,
            left_out,
            scores,
            summary,
            risks,
            open_questions,
            recommendation,
            not_shown,
            degraded,
        }
    }

    /// Whether the planning can go on with `sessions resume`.
    pub const fn suspended(&self) -> bool {
        match self.header.outcome {
            PlanOutcome::Undecided | PlanOutcome::Budget | PlanOutcome::Interrupted => true,
            PlanOutcome::Accepted
            | PlanOutcome::Rejected
            | PlanOutcome::Running
            | PlanOutcome::Terminated => false,
        }
    }

    /// Says what of the plan the final vote does not bear out; nothing where it bears out all.
    fn unsupported(&self) -> String {
        let results = |wanted: ValidationResult| {
            // Where no vote was held at all, nobody voted.
            let results = self.steps.iter().map(|step| {
                let vote = step.validation.as_ref();
                vote.map_or(ValidationResult::Unvalidated, |vote| vote.result)
            });
            results.filter(|result| *result == wanted).count()
        };
        let steps = |count: usize| {
            let steps = super::words::count(u32::try_from(count).unwrap_or(u32::MAX), "step");
            if count == self.steps.len() { format!("all {steps}") } else { steps }
        };
        let mut text = String::new();
        let (rejected, silent) =
            (results(ValidationResult::Rejected), results(ValidationResult::Unvalidated));
        if rejected > 0 {
            write!(text, "; {} rejected in the final vote", steps(rejected)).ok();
        }
        if silent > 0 {
            write!(text, "; nobody could vote on {}", steps(silent)).ok();
        }
        text
    }

    /// Says in one line how it ended.
    pub(super) fn headline(&self) -> String {
        let steps = u32::try_from(self.steps.len()).unwrap_or(u32::MAX);
        let steps = super::words::count(steps, "step");
        let quorum = self.header.quorum;
        match self.header.outcome {
            PlanOutcome::Accepted => {
                format!(
                    "ACCEPTED: a plan of {steps}, confidence {}%{}.",
                    self.confidence,
                    self.unsupported()
                )
            }
            PlanOutcome::Rejected => format!(
                "REJECTED: most of the {steps} were voted down, confidence {}%.",
                self.confidence
            ),
            PlanOutcome::Undecided => {
                let seats = self.header.seats.iter();
                let failed = seats.filter(|seat| seat.failure.is_some());
                format!(
                    "UNDECIDED: {} of {} planners answered every time, {} are needed.{}",
                    quorum.answered,
                    self.header.seats.len(),
                    quorum.needed,
                    super::words::causes(failed, "failed")
                )
            }
            PlanOutcome::Budget => "UNDECIDED: the budget does not cover the next call.".to_owned(),
            PlanOutcome::Interrupted => "UNDECIDED: interrupted.".to_owned(),
            PlanOutcome::Running => format!("{}.", standing::RUNNING),
            PlanOutcome::Terminated => format!("{}.", standing::TERMINATED),
        }
    }
}

/// What it cost, and where the figure comes from.
fn cost(cost: &CostSummary) -> String {
    let amount = super::words::spent(cost.total_usd, cost.budget_usd);
    match cost.basis {
        Some(basis) => format!("{amount}, {}", super::words::basis(basis)),
        None => format!("{amount}: no paid call was made"),
    }
}

/// Who stands for and against a step, in a few words.
fn votes(step: &FinalStep) -> String {
    let mut parts = Vec::new();
    for (word, agents) in [
        ("agree", &step.votes.agree),
        ("modify", &step.votes.modify),
        ("disagree", &step.votes.disagree),
    ] {
        if !agents.is_empty() {
            parts.push(format!("{word}: {}", agents.join(", ")));
        }
    }
    if let Some(vote) = &step.validation {
        let (yes, no) = (vote.approves, vote.rejects);
        parts.push(match vote.result {
            ValidationResult::Unvalidated => "not voted on".to_owned(),
            ValidationResult::Approved | ValidationResult::Rejected | ValidationResult::Tied => {
                format!("{} {yes} to {no}", vote.result.name())
            }
        });
    }
    if parts.is_empty() {
        parts.push("nobody else spoke about it".to_owned());
    }
    parts.join("; ")
}

#[cfg(test)]
pub(crate) mod tests;
