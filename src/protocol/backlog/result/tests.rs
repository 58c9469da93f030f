//! The documents of the scenarios that the fakes run.

use super::super::model::BacklogOutcome;
use super::super::testing::{give, input, now};
use super::super::{Machine, intake};
use super::*;
use crate::kernel::{Basis, Cost, Step, Stop};

macro_rules! scenario {
    ($name:literal: $($turn:literal),+) => {
        [$(include_str!(concat!("../../../../fixtures/scenarios/backlog/", $name, "/", $turn, ".txt"))),+]
    };
}

fn play(replies: &[&str]) -> (Outcome, Vec<Opportunity>) {
    let bytes = include_bytes!("../../../../fixtures/opportunities/six.json");
    let opportunities =
        intake::read("six", bytes, now(), intake::Limits::default()).unwrap().opportunities;
    let mut machine = Machine::open(input(opportunities.clone())).unwrap();
    for reply in replies {
        give(&mut machine, reply.as_bytes());
    }
    match machine.next() {
        Step::Done(outcome) => (outcome, opportunities),
        Step::Ask { .. } => (machine.stop(Stop::Budget), opportunities),
    }
}

fn codes(outcome: &Outcome) -> Vec<&str> {
    outcome.warnings.iter().map(|warning| warning.code.as_str()).collect()
}

const CONSENSUS: [&str; 6] = scenario!("consensus":
    "r1_champion", "r1_critic", "r1_moderator", "r2_champion", "r2_critic", "r2_moderator");

#[test]
fn each_scenario_ends_as_its_name_says() {
    let stalemate = scenario!("stalemate": "r1_champion", "r1_critic", "r1_moderator", "r2_champion", "r2_critic",
        "r2_moderator", "r3_champion", "r3_critic", "r3_moderator");
    let overridden = scenario!("claim-overridden": "r1_champion", "r1_critic", "r1_moderator", "r2_champion", "r2_critic", "r2_moderator");
    for (replies, outcome, rounds, warnings) in [
        (&CONSENSUS[..], BacklogOutcome::Consensus, 2, &[][..]),
        (&stalemate, BacklogOutcome::MaxRounds, 3, &[]),
        (&overridden, BacklogOutcome::Consensus, 2, &["consensus_overridden"]),
        (
            &scenario!("consensus-in-one": "r1_champion", "r1_critic", "r1_moderator"),
            BacklogOutcome::Consensus,
            1,
            &[],
        ),
        (
            &scenario!("moderator-stop": "r1_champion", "r1_critic", "r1_moderator"),
            BacklogOutcome::ModeratorStop,
            1,
            &[],
        ),
        (
            &scenario!("unknown-ids": "r1_champion", "r1_critic", "r1_moderator"),
            BacklogOutcome::Consensus,
            1,
            &["unknown_id", "unknown_id", "duplicate_id", "unknown_id", "completed_by_rule"],
        ),
        (
            &scenario!("forged-markers": "r1_champion", "r1_critic", "r1_moderator"),
            BacklogOutcome::Consensus,
            1,
            &["forged_marker", "forged_marker"],
        ),
        (&scenario!("missing-ids-twice": "r1_champion"), BacklogOutcome::AgentFailure, 0, &[]),
        (&scenario!("refusal": "r1_champion"), BacklogOutcome::AgentFailure, 0, &[]),
        (&scenario!("truncated": "r1_champion"), BacklogOutcome::AgentFailure, 0, &[]),
        (&scenario!("no-markers": "r1_champion"), BacklogOutcome::AgentFailure, 0, &[]),
        (&scenario!("conflicting-blocks": "r1_champion"), BacklogOutcome::AgentFailure, 0, &[]),
    ] {
        let (got, _) = play(replies);
        assert_eq!(
            (got.outcome, got.rounds.len(), codes(&got).as_slice()),
            (outcome, rounds, warnings),
            "{:?}",
            got.warnings
        );
    }
}

#[test]
fn the_document_of_a_consensus() {
    let (outcome, opportunities) = play(&CONSENSUS);
    let stamp = Stamp {
        session_id: "s-1".to_owned(),
        started_at: now(),
        completed_at: Some(now()),
        budget: Usd::from_micros(2_500_000),
        cost: Some(Cost { usd: Usd::from_micros(600_000), basis: Basis::Reported }),
    };
    let mut session = session(&outcome, &opportunities, 3, &stamp);
    session.rounds.truncate(1);
    insta::assert_snapshot!("session", serde_json::to_string_pretty(&session).unwrap());
    let ranked = ranked(&outcome, &opportunities, "s-1");
    let rows: Vec<String> = ranked
        .iter()
        .map(|each| {
            let word =
                each.opportunity.disposition.map_or("-", super::super::model::Disposition::name);
            let rank = each.opportunity.priority_rank.unwrap_or_default();
            format!(
                "{rank} {} {word}: {}",
                each.opportunity.opportunity_id,
                each.main_concern.as_deref().unwrap_or("-")
            )
        })
        .collect();
    insta::assert_snapshot!("ranked", rows.join("\n"));
}

#[test]
fn without_a_complete_round_nothing_is_ranked() {
    let (outcome, opportunities) = play(&CONSENSUS[..2]);
    assert!(ranked(&outcome, &opportunities, "s-1").is_empty());
}
