//! The result of `plan`: its document and its page.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::document::{Conclusion, Header, Quorum, SessionFacts};
use crate::change::NotReviewed;
use crate::kernel::Stamp;
use crate::protocol::council::RoundRecord;
use crate::protocol::facts::{Fact, Facts};
use crate::protocol::plan::{
    FinalStep, FinalVote, OmittedStep, Outcome, PlanOutcome, ScoreBreakdown, Verdict,
};
use crate::report::page::terminal::line;

mod page;
mod result;

/// Number of seats that must have answered every time (`docs/exit-codes.md`).
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
    /// What the person who asked said about the task; shown to all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub facts: Vec<Fact>,
    /// What was assumed where nobody said it; shown to all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub assumptions: Vec<Fact>,
    /// The agent whose plan is the base; `null` without a plan.
    pub winner: Option<String>,
    /// 0 to 100: agreeing votes among those cast, times attendance.
    pub confidence: u32,
    /// One entry per round; 0 for the independent plans, then the cross-examinations.
    pub rounds: Vec<RoundRecord>,
    /// The final plan, ordered by phase and dependencies.
    pub steps: Vec<FinalStep>,
    /// Ids of its steps that not everybody stands behind: as many disagree as agree, or more, or others want it changed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub contested: Vec<String>,
    /// Steps of others that are not in it, with reasons.
    pub left_out: Vec<OmittedStep>,
    /// Whether the final vote was held.
    pub final_vote: FinalVote,
    /// By agent; one without a plan has none.
    pub scores: BTreeMap<String, ScoreBreakdown>,
    /// The winner's summary.
    pub summary: String,
    /// Risks that were named, each once.
    pub risks: Vec<String>,
    /// Questions that were named, each once.
    pub open_questions: Vec<String>,
    /// The headline: how it ended and why, in one line.
    pub recommendation: String,
    /// The parts of the change that the planners were not shown.
    pub not_shown: Vec<NotReviewed>,
    /// Fewer than two plans: nothing was examined.
    pub degraded: bool,
}

impl PlanDocument {
    /// Creates the document. `stamp` contains ids, times and money.
    pub fn new(
        outcome: Outcome,
        task: String,
        Facts { told, assumed }: Facts,
        stamp: &Stamp,
        about: SessionFacts,
    ) -> Self {
        let Outcome {
            winner,
            confidence,
            rounds,
            steps,
            left_out,
            final_vote,
            scores,
            summary,
            risks,
            open_questions,
            not_shown,
            degraded,
            vendors,
            ..
        } = outcome;
        let conclusion = Conclusion {
            outcome: outcome.outcome,
            verdict: outcome.verdict,
            decided: outcome.outcome.closes(),
            // The seats name the configured agents; only the protocol knows their stand-ins.
            quorum: Quorum { vendors, ..Quorum::of(&outcome.seats, NEEDED) },
            seats: outcome.seats,
            rounds_used: rounds.last().map_or(0, |round| round.round),
            warnings: outcome.warnings,
        };
        let mut document = Self {
            header: Header::new("plan", conclusion, stamp, about),
            mode: "plan".to_owned(),
            task,
            facts: told,
            assumptions: assumed,
            winner,
            confidence,
            rounds,
            contested: (steps.iter().filter(|step| step.is_contested()))
                .map(|step| step.id.clone())
                .collect(),
            steps,
            left_out,
            final_vote,
            scores,
            summary,
            risks,
            open_questions,
            recommendation: String::new(),
            not_shown,
            degraded,
        };
        document.recommendation = line(&document.headline_text());
        document
    }

    /// Whether the planning can be resumed with `sessions resume`.
    pub const fn suspended(&self) -> bool {
        matches!(
            self.header.outcome,
            PlanOutcome::Undecided | PlanOutcome::Budget | PlanOutcome::Interrupted
        )
    }
}

#[cfg(test)]
pub(crate) mod tests;
