//! The result of `plan`: its document and its page.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Look;
use super::document::{Circumstances, CostSummary, Header, Quorum, SCHEMA_VERSION};
use crate::change::NotReviewed;
use crate::kernel::{Stamp, Usd};
use crate::protocol::council::RoundRecord;
use crate::protocol::plan::{
    FinalStep, LeftOutStep, Outcome, PlanOutcome, ScoreBreakdown, Verdict,
};

mod page;

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
    pub fn new(outcome: &Outcome, task: &str, stamp: &Stamp, about: Circumstances) -> Self {
        let mut warnings = outcome.warnings.clone();
        for warning in about.warnings {
            if !warnings.contains(&warning) {
                warnings.push(warning);
            }
        }
        let mut quorum = Quorum::of(&outcome.seats, NEEDED);
        // The seats name the configured agents; who stepped in for them, the protocol knows.
        quorum.vendors = outcome.vendors;
        Self {
            header: Header {
                session_id: stamp.session_id.clone(),
                protocol: "plan".to_owned(),
                outcome: outcome.outcome,
                verdict: outcome.verdict,
                seats: outcome.seats.clone(),
                quorum,
                rehearsal: about.rehearsal,
                cost: CostSummary {
                    total_usd: stamp.cost.map_or(Usd::ZERO, |cost| cost.usd),
                    budget_usd: Some(stamp.budget),
                    basis: stamp.cost.map(|cost| cost.basis),
                    short: about.short,
                },
                rounds_used: outcome.rounds.last().map_or(0, |round| round.round),
                warnings,
                skills: about.skills,
                started_at: stamp.started_at,
                completed_at: stamp.completed_at,
                report_path: about.report_path,
                parent: about.parent,
                stopped_by: about.stopped_by,
                sinks: Vec::new(),
                schema_version: SCHEMA_VERSION,
            },
            mode: "plan".to_owned(),
            task: task.to_owned(),
            winner: outcome.winner.clone(),
            confidence: outcome.confidence,
            rounds: outcome.rounds.clone(),
            steps: outcome.steps.clone(),
            left_out: outcome.left_out.clone(),
            scores: outcome.scores.clone(),
            summary: outcome.summary.clone(),
            risks: outcome.risks.clone(),
            open_questions: outcome.open_questions.clone(),
            recommendation: outcome.recommendation.clone(),
            not_shown: outcome.not_shown.clone(),
            degraded: outcome.degraded,
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

    /// Returns the result for people, with a newline at the end.
    pub fn render(&self, look: Look) -> String {
        super::page::terminal::render(&self.page(), look)
    }

    /// Returns the result as a Markdown report.
    pub fn markdown(&self) -> String {
        super::page::markdown::render(&self.page())
    }
}

#[cfg(test)]
pub(crate) mod tests;
