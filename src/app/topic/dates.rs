//! Adds ids and times from the journal to a debate of typed arguments, in the form of the source document.

use chrono::{DateTime, Utc};

use crate::protocol::argument::Settings;
use crate::protocol::argument::contract::Ask;
use crate::protocol::debate::Status;
use crate::protocol::debate::outcome::{RoundRecord, RoundStamp};
use crate::protocol::debate::typed::{RoundStatus, Side};
use crate::report::debate::{DebateDocument, DebateStamp};
use crate::session::Ledger;

/// Fills in the ids and times that the rules leave open, since they have no clock.
pub(super) fn date(document: &mut DebateDocument, settings: &Settings, ledger: &Ledger) {
    let id = document.header.session_id.clone();
    let over = match document.status {
        Status::Pending | Status::InProgress => false,
        Status::ConsensusReached | Status::Deadlocked | Status::Terminated | Status::Failed => true,
    };
    for round in &mut document.result.rounds {
        stamp(round, &id, over, ledger);
    }
    let agent = |side: Side| {
        let seats = document.header.seats.iter();
        let mut seats = seats.filter(|seat| seat.role == side.name());
        seats.next().map(|seat| seat.agent.clone())
    };
    let created_at = document.header.started_at;
    document.stamp = Some(DebateStamp {
        primary_agent_id: agent(Side::Primary).unwrap_or_default(),
        adversary_agent_id: agent(Side::Adversary).unwrap_or_default(),
        debate_id: id,
        current_round: document.result.rounds.last().map_or(0, |round| round.round),
        max_rounds: settings.max_rounds,
        consensus_threshold: settings.consensus_threshold,
        created_at,
        updated_at: ledger.times().map_or(created_at, |(_, last)| last),
    });
}

/// Adds the ids and times of one round. `over`: whether the debate has ended, so that a round without a measured
/// consensus will never have one.
fn stamp(round: &mut RoundRecord, id: &str, over: bool, ledger: &Ledger) {
    let spans = ledger.spans();
    let turn = |word: &str| format!("r{}/{word}", round.round);
    let prefix = turn("");
    let of_round = || spans.iter().filter(|(turn, _)| turn.starts_with(&prefix));
    let begun = of_round().map(|(_, (begun, _))| *begun).min();
    let ended = of_round().filter_map(|(_, (_, ended))| *ended).max();
    let status = match (round.consensus.is_some(), over) {
        (true, _) => RoundStatus::Evaluated,
        (false, true) => RoundStatus::Abandoned,
        (false, false) => RoundStatus::Open,
    };
    let made: Vec<Option<DateTime<Utc>>> =
        (Ask::along(&round.arguments)).map(|ask| spans.get(&turn(ask.word()))?.1).collect();
    for (argument, made) in round.arguments.iter_mut().zip(made) {
        argument.debate_id = Some(id.to_owned());
        argument.timestamp = made;
    }
    round.stamp = begun.map(|started_at| RoundStamp {
        round_id: format!("{id}/r{}", round.round),
        debate_id: id.to_owned(),
        round_number: round.round,
        consensus_metrics: round.metrics.clone(),
        started_at,
        ended_at: ended.filter(|_| status != RoundStatus::Open),
        status,
    });
}
