//! Builds the documents that people and programs read from an outcome.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::machine::Outcome;
use super::model::{BacklogOutcome, DebateSession, Opportunity};
use crate::kernel::{Ended, Halt, Stamp, Usd};

/// An opportunity with its place.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct RankedOpportunity {
    /// The opportunity, with `priority_rank`, `debate_session_id` and `disposition` set.
    #[serde(flatten)]
    pub opportunity: Opportunity,
    /// The critic's first concern in the round that decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub main_concern: Option<String>,
}

/// Builds the document of a debate's session.
pub(crate) fn session(
    outcome: &Outcome,
    opportunities: &[Opportunity],
    max_rounds: u32,
    stamp: &Stamp,
) -> DebateSession {
    DebateSession {
        session_id: stamp.session_id.clone(),
        started_at: stamp.started_at,
        completed_at: stamp.completed_at,
        opportunity_ids: opportunities.iter().map(|each| each.opportunity_id.clone()).collect(),
        max_rounds,
        budget_usd: stamp.budget,
        rounds: outcome.result.rounds.clone(),
        final_rankings: outcome.result.final_rankings.clone(),
        consensus_reached: outcome.outcome == Ended::Closed(BacklogOutcome::Consensus),
        // Out of money, or out of rounds.
        stalemate: matches!(
            outcome.outcome,
            Ended::Stopped(Halt::Budget) | Ended::Closed(BacklogOutcome::MaxRounds)
        ),
        total_cost_usd: stamp.cost.map_or(Usd::ZERO, |cost| cost.usd),
        outcome: Some(outcome.outcome),
        cost_basis: stamp.cost.map(|cost| cost.basis),
        seats: outcome.seats.clone(),
    }
}

/// Returns the opportunities in the decided order, ranks from 1; empty if nothing was decided.
pub(crate) fn ranked(
    outcome: &Outcome,
    opportunities: &[Opportunity],
    session_id: &str,
) -> Vec<RankedOpportunity> {
    let concerns = outcome.result.rounds.last().map(|round| &round.critic_concerns);
    let place = |(rank, id): (u32, &String)| {
        let mut opportunity = opportunities.iter().find(|each| each.opportunity_id == *id)?.clone();
        opportunity.priority_rank = Some(rank);
        opportunity.debate_session_id = Some(session_id.to_owned());
        opportunity.disposition = outcome.result.dispositions.get(id).copied();
        Some(RankedOpportunity {
            opportunity,
            main_concern: concerns.and_then(|all| all.get(id)?.first().cloned()),
        })
    };
    (1..).zip(&outcome.result.final_rankings).filter_map(place).collect()
}
