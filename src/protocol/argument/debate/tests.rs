//! A debate with its times, and what it is as data.

use super::super::testing::{said, stances};
use super::*;
use crate::protocol::debate::typed::ArgumentType::{Challenge, Defense, Proposal, Resolution};
use serde_json::{Value, json};

fn at(second: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(1_800_000_000 + second, 0).unwrap()
}

fn new() -> New {
    New {
        debate_id: "d1".to_owned(),
        topic: "Redis?".to_owned(),
        description: "The cache.".to_owned(),
        primary_agent_id: "ada".to_owned(),
        adversary_agent_id: "grace".to_owned(),
        max_rounds: 2,
        consensus_threshold: Share::thousandths(800),
        impact_areas: Vec::new(),
        metadata: [("team".to_owned(), "core".into())].into(),
    }
}

fn round(debate: &mut Debate, stance: &str, mut second: i64) {
    for (agent, kind) in
        [("ada", Proposal), ("grace", Challenge), ("ada", Defense), ("grace", Resolution)]
    {
        debate.submit(agent, said(kind, json!({})), at(second)).unwrap();
        second += 1;
    }
    let stances = stances(&[("P1", stance), ("P2", stance)]);
    debate.submit_stances("ada", stances, at(second)).unwrap();
    debate.evaluate_round(at(second + 1)).unwrap();
}

#[test]
fn ids_and_times_are_kept_and_only_what_happened_moves_them() {
    let mut debate = Debate::create(new(), at(0)).unwrap();
    assert_eq!((debate.record().status, debate.record().current_round), (Status::Pending, 0));
    debate.start(at(1)).unwrap();
    debate.submit("grace", said(Proposal, json!({})), at(2)).unwrap_err();
    assert_eq!(debate.record().updated_at, at(1), "what is refused leaves no trace");
    round(&mut debate, "disagree", 10);
    let record = debate.record();
    assert_eq!((record.status, record.current_round), (Status::InProgress, 2));
    assert_eq!((record.created_at, record.updated_at), (at(0), at(15)));
    let first = &record.rounds[0];
    assert_eq!((first.started_at, first.ended_at), (at(1), Some(at(15))));
    assert_eq!((&*first.round_id, first.status), ("d1/r1", RoundStatus::Evaluated));
    assert_eq!(first.consensus_metrics.as_ref().unwrap().agreement_score, Share::ZERO);
    assert_eq!(first.arguments[3].timestamp, Some(at(13)));
    let second = &record.rounds[1];
    assert_eq!(
        (second.started_at, second.ended_at, second.status),
        (at(15), None, RoundStatus::Open)
    );
    round(&mut debate, "agree", 20);
    let record = debate.record();
    assert_eq!(record.status, Status::ConsensusReached);
    assert_eq!(record.rounds[1].arguments[0].timestamp, Some(at(20)));
    assert_eq!(record.rounds[1].arguments[0].argument_id, "A5");
    assert_eq!(record.rounds[1].ended_at, Some(at(25)));
}

#[test]
fn a_round_that_is_cut_short_is_abandoned() {
    for fail in [false, true] {
        let mut debate = Debate::create(new(), at(0)).unwrap();
        debate.start(at(1)).unwrap();
        debate.submit("ada", said(Proposal, json!({})), at(2)).unwrap();
        let status = if fail {
            debate.fail(at(3)).unwrap();
            Status::Failed
        } else {
            debate.terminate(at(3)).unwrap();
            Status::Terminated
        };
        let record = debate.record();
        assert_eq!(record.status, status);
        assert_eq!(record.rounds[0].status, RoundStatus::Abandoned);
        assert_eq!(record.rounds[0].ended_at, Some(at(3)));
        assert!(debate.terminate(at(4)).is_err() && debate.fail(at(4)).is_err());
        assert!(debate.start(at(4)).is_err() && debate.evaluate_round(at(4)).is_err());
        assert_eq!(debate.record(), record);
    }
}

#[test]
fn what_cannot_be_debated_is_not_created() {
    for (change, message) in [
        (New { topic: " ".to_owned(), ..new() }, "`topic` must be a text that is not empty"),
        (New { max_rounds: 0, ..new() }, "`max_rounds` must be 1 to 10"),
        (New { max_rounds: 11, ..new() }, "`max_rounds` must be 1 to 10"),
        (
            New { consensus_threshold: Share::ZERO, ..new() },
            "`consensus_threshold` must be above 0 and at most 1",
        ),
        (
            New { adversary_agent_id: "ada".to_owned(), ..new() },
            "`ada` cannot argue with itself: name two agents that differ",
        ),
    ] {
        let refused = Debate::create(change, at(0)).unwrap_err();
        assert_eq!(refused.to_string(), message);
    }
}

/// The fields of the specification, no more and no fewer, and they read back.
#[test]
fn as_data_it_has_the_fields_of_the_specification() {
    let mut debate = Debate::create(new(), at(0)).unwrap();
    debate.start(at(1)).unwrap();
    round(&mut debate, "agree", 10);
    let record = debate.record();
    let value = serde_json::to_value(&record).unwrap();
    let keys = |value: &Value| {
        let mut keys: Vec<String> = value.as_object().unwrap().keys().cloned().collect();
        keys.sort();
        keys.join(" ")
    };
    assert_eq!(
        keys(&value),
        "adversary_agent_id consensus_threshold created_at current_round debate_id description max_rounds metadata \
         primary_agent_id rounds status topic updated_at"
    );
    assert_eq!(
        keys(&value["rounds"][0]),
        "arguments consensus_metrics debate_id ended_at round_id round_number stances started_at status"
    );
    let argument = keys(&value["rounds"][0]["arguments"][0]);
    for field in [
        "argument_id",
        "debate_id",
        "type",
        "content",
        "agent_id",
        "timestamp",
        "references",
        "evidence",
        "confidence_score",
        "impact_areas",
    ] {
        assert!(argument.split(' ').any(|key| key == field), "{field}");
    }
    assert_eq!(serde_json::from_value::<Record>(value).unwrap(), record);
}
