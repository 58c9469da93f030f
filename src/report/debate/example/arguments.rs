//! An example round of typed arguments.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::{check, nothing, percent, seat, stances};
use crate::kernel::share::Share;
use crate::protocol::debate::consensus::Check;
use crate::protocol::debate::outcome::{Decision, FinalPosition, RoundRecord};
use crate::protocol::debate::typed::{
    Argument, ArgumentBlock, ArgumentType, Concern, ConcernResponse, Evidence, Metrics, Resolution,
    ResolutionKind, Risk, Side,
};
use crate::protocol::debate::{DebateOutcome, Outcome, Stance};

fn evidence(kind: &str, data: &str, checked: Option<bool>) -> Evidence {
    Evidence { kind: kind.into(), data: data.into(), checked }
}

fn argument(number: u32, kind: ArgumentType, side: Side, agent: &str) -> Argument {
    let mut content = Map::from_iter([("text".to_owned(), Value::from("gRPC, for latency."))]);
    if kind == ArgumentType::Resolution {
        let points = json!([{"id": "P1", "claim": "gRPC inside", "importance": 3}]);
        content.insert("points".to_owned(), points);
    }
    let concern = |id: &str| Concern { id: id.into(), text: "Browsers cannot call it.".into() };
    Argument {
        argument_id: format!("A{number}"),
        round: 1,
        side,
        agent_id: agent.into(),
        said: ArgumentBlock {
            kind,
            content,
            references: (number > 1).then(|| format!("A{}", number - 1)).into_iter().collect(),
            evidence: vec![
                evidence("file", "docs/services.md:3", Some(true)),
                evidence("file", "docs/nowhere.md:9", Some(false)),
                evidence("source", "the gRPC book", None),
            ],
            confidence_score: Some(percent(90)),
            impact_areas: vec!["performance".into(), "folklore".into()],
            concerns: (side == Side::Adversary).then(|| concern("C1")).into_iter().collect(),
            addresses: (number == 3)
                .then(|| ConcernResponse { id: "C1".into(), how: "A proxy at the edge.".into() })
                .into_iter()
                .collect(),
            feasibility: Some(percent(75)),
            risks: vec![Risk {
                name: "two stacks".into(),
                likelihood: percent(50),
                impact: percent(40),
            }],
        },
        confidence: Some(percent(75)),
        unknown_areas: vec!["folklore".into()],
        debate_id: None,
        timestamp: None,
    }
}

pub(super) fn arguments(outcome: DebateOutcome, agreement: u16, kind: ResolutionKind) -> Outcome {
    let seats = vec![seat("primary", "human", "human"), seat("adversary", "gemini", "google")];
    let mut all = nothing(outcome, seats);
    let text = "gRPC, for latency.".to_owned();
    all.result.consensus = Some(percent(agreement));
    all.result.rounds = vec![RoundRecord {
        round: 1,
        consensus: Some(Check {
            threshold: percent(80),
            ..check(agreement, None, agreement >= 80)
        }),
        stances: BTreeMap::from([("adversary".to_owned(), stances(&[("P1", Stance::Agree)]))]),
        arguments: vec![
            argument(1, ArgumentType::Proposal, Side::Primary, "human"),
            argument(2, ArgumentType::Challenge, Side::Adversary, "gemini"),
            argument(3, ArgumentType::Defense, Side::Primary, "human"),
            argument(4, ArgumentType::Resolution, Side::Adversary, "gemini"),
        ],
        metrics: Some(Metrics {
            agreement_score: percent(agreement),
            resolution_quality: Share::ONE,
            evidence_strength: percent(50),
            implementation_feasibility: Some(percent(75)),
            risk_assessment: BTreeMap::from([("two stacks".to_owned(), percent(20))]),
            complete: true,
        }),
        ..RoundRecord::default()
    }];
    let side =
        |seat: &str, agent: &str, vendor: &str| FinalPosition::new(seat, (agent, vendor), &text, 1);
    all.result.final_positions = BTreeMap::from([
        ("primary".to_owned(), side("primary", "human", "human")),
        ("adversary".to_owned(), side("adversary", "gemini", "google")),
    ]);
    all.quorum.vendors = 1;
    all.result.decision =
        Some(Decision { text: text.clone(), by: "adversary".into(), ..Decision::default() });
    let list = |text: &str| vec![text.to_owned()];
    all.result.resolution = Some(Resolution {
        kind,
        conditions: list("The proxy is measured first."),
        key_decisions: list("P1: gRPC inside"),
        unresolved_points: list("C1: Browsers cannot call it."),
        recommendations: list("Both sides want a trial."),
        history: list("A1 proposal of primary"),
        asked: list("Who runs the proxy?"),
    });
    all
}
