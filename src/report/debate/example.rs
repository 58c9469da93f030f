//! Example debates of every ending, as their machines would return them.

use std::collections::BTreeMap;

use arguments::arguments;
use panel::panel;

use super::{About, DebateDocument, Thresholds};
use crate::kernel::share::Share;
use crate::kernel::{Basis as Money, Cost, Ended, Halt, Limit, Seat, SeatStatus, Stamp, Warning};
use crate::protocol::context::ContextFile;
use crate::protocol::debate::consensus::{Basis, Check, Conflict, TextParts};
use crate::protocol::debate::model::StanceEntry;
use crate::protocol::debate::outcome::{
    self, DebateResult, Decision, Dissent, ExpertRecord, FinalPosition, OpenPoint, RoundRecord,
};
use crate::protocol::debate::typed::ResolutionKind;
use crate::protocol::debate::{
    Brief, DebateOutcome, Judgement, Outcome, Point, Position, Ruling, Stance, Stances, Style,
};
use crate::report::document::{ParentSession, SessionFacts, SkillUsed};
use crate::report::example::{SESSION, at, usd};
use crate::text::word::Word as _;

mod arguments;
mod panel;

pub(crate) fn percent(percent: u16) -> Share {
    Share::thousandths(percent * 10)
}

pub(crate) fn brief() -> Brief {
    Brief {
        topic: "REST or gRPC between our services?".into(),
        description: "Twelve services, two teams.\nBrowsers call three of them.".into(),
        options: vec!["REST".into(), "gRPC".into()],
        language: Some("English".into()),
        context: vec![ContextFile {
            name: "docs/services.md".into(),
            text: "# Services\n".into(),
            cut: true,
        }],
        metadata: BTreeMap::from([("ticket".into(), "ARC-17".into())]),
        ..Brief::default()
    }
}

fn seat(role: &str, agent: &str, vendor: &str) -> Seat {
    Seat {
        role: role.into(),
        agent: agent.into(),
        vendor: vendor.into(),
        status: SeatStatus::Answered,
        failure: None,
        fell_back_to: None,
    }
}

fn position(summary: &str, claims: &[(&str, u8)]) -> Position {
    Position {
        summary: summary.into(),
        points: (1..)
            .zip(claims)
            .map(|(number, (claim, importance))| Point {
                id: format!("P{number}"),
                claim: (*claim).into(),
                reasoning: "Measured on our traffic.".into(),
                evidence: vec!["docs/services.md:3".into()],
                importance: *importance,
                keep: None,
                kept_from: None,
            })
            .collect(),
        concedes: vec!["Browsers need JSON.".into()],
        changes: Vec::new(),
        risks: vec!["Two stacks to keep.".into()],
        confidence: Some(percent(80)),
        code_change_required: Some(true),
    }
}

fn stances(said: &[(&str, Stance)]) -> Stances {
    Stances {
        stances: said
            .iter()
            .map(|(point, stance)| StanceEntry {
                point: (*point).into(),
                stance: *stance,
                reason: "Browsers cannot call it without a proxy.".into(),
                support: None,
                amendment: (*stance == Stance::Partly).then(|| "Only inside the cluster.".into()),
            })
            .collect(),
        missing: vec!["Who runs the proxy".into()],
    }
}

fn check(decisive: u16, text: Option<u16>, reached: bool) -> Check {
    Check {
        decisive: Some(percent(decisive)),
        stance_score: Some(percent(decisive)),
        text_score: text.map(percent),
        basis: Basis::Stance,
        covered: Share::ONE,
        text: text.map(|_| TextParts {
            keywords: percent(31),
            semantic: percent(88),
            keyword_weight: percent(40),
            semantic_weight: percent(60),
            embedding: "minilm-128".into(),
        }),
        conflict: (!reached).then_some(Conflict::AlikeButOpposed),
        threshold: percent(85),
        reached,
    }
}

fn round(number: u32, check: Option<Check>, sides: [(&str, Position); 2], of: &str) -> RoundRecord {
    RoundRecord {
        round: number,
        consensus: check,
        positions: sides.map(|(seat, position)| (seat.to_owned(), position)).into(),
        stances: BTreeMap::from([(
            of.to_owned(),
            stances(&[("P1", Stance::Agree), ("P2", Stance::Partly)]),
        )]),
        ..RoundRecord::default()
    }
}

fn last(seat: &str, agent: &str, vendor: &str, round: u32, position: &Position) -> FinalPosition {
    let last = FinalPosition::new(seat, (agent, vendor), &position.summary, round);
    FinalPosition { position: Some(position.clone()), ..last }
}

fn nothing(ended: impl Into<Ended<DebateOutcome>>, seats: Vec<Seat>) -> Outcome {
    outcome::outcome(ended.into(), (2, 2), seats, None, &[], DebateResult::default())
}

fn pair() -> Vec<Seat> {
    vec![seat("proposer", "claude", "anthropic"), seat("reviewer", "gemini", "google")]
}

/// Two rounds of a dialogue: 45% consensus, then `second`.
fn dialogue(outcome: impl Into<Ended<DebateOutcome>>, second: u16) -> Outcome {
    let rest =
        position("Keep REST everywhere.", &[("REST is known to all.", 2), ("Tools exist.", 1)]);
    let grpc = position(
        "gRPC between services, REST at the edge.",
        &[("gRPC halves the latency.", 3), ("REST stays for browsers.", 2)],
    );
    let mut all = nothing(outcome, pair());
    let reached = all.outcome == DebateOutcome::Adopted;
    all.result.consensus = Some(percent(second));
    all.result.code_change_required = reached;
    all.result.rounds = vec![
        round(
            1,
            Some(check(45, Some(65), false)),
            [("proposer", rest.clone()), ("reviewer", grpc.clone())],
            "reviewer",
        ),
        round(
            2,
            Some(check(second, Some(72), reached)),
            [("proposer", rest.clone()), ("reviewer", grpc.clone())],
            "proposer",
        ),
    ];
    all.result.final_positions = BTreeMap::from([
        ("proposer".to_owned(), last("proposer", "claude", "anthropic", 2, &rest)),
        ("reviewer".to_owned(), last("reviewer", "gemini", "google", 2, &grpc)),
    ]);
    all.result.dissent = vec![Dissent {
        seat: "proposer".into(),
        agent: "claude".into(),
        about: "P2: REST stays for browsers.".into(),
        reason: "Only inside the cluster.".into(),
    }];
    all.result.decision = Some(Decision {
        text: grpc.summary.clone(),
        by: "reviewer".into(),
        position: Some(grpc),
        amendments: vec!["P2: Only inside the cluster.".into()],
        ..Decision::default()
    });
    all.warnings = vec![Warning {
        code: "renumbered".into(),
        turn: Some("r1/propose".into()),
        message: "points were renumbered".into(),
    }];
    all
}

pub(super) fn open_points() -> Vec<OpenPoint> {
    vec![OpenPoint {
        id: "P2".into(),
        text: "REST stays for browsers.".into(),
        importance: 2,
        stance: Some(Stance::Partly),
        support: None,
        reason: "Only inside the cluster.".into(),
        ruling: None,
    }]
}

fn expert(failure: Option<&str>) -> ExpertRecord {
    ExpertRecord {
        agent: "codex".into(),
        vendor: "openai".into(),
        of_a_participant: false,
        judgement: failure.is_none().then(|| Judgement {
            points: vec![Ruling {
                id: "P2".into(),
                ruling: "REST at the edge alone.".into(),
                reason: "Browsers call three services.".into(),
            }],
            position: "gRPC inside, REST at the edge.".into(),
            confidence: Some(percent(75)),
            code_change_required: Some(true),
        }),
        failure: failure.map(str::to_owned),
        ..ExpertRecord::default()
    }
}

pub(crate) fn outcomes() -> Vec<(&'static str, Outcome)> {
    let mut ruled = dialogue(DebateOutcome::Expert, 46);
    ruled.seats.push(seat("expert", "codex", "openai"));
    ruled.result.expert = Some(expert(None));
    ruled.result.open_points = open_points();
    ruled.result.open_points[0].ruling = Some("REST at the edge alone.".into());
    let mut partial = dialogue(DebateOutcome::Partial, 78);
    partial.result.open_points = open_points();
    let mut one_vendor = dialogue(DebateOutcome::OneVendor, 91);
    one_vendor.quorum.vendors = 1;
    let mut deadlocked = dialogue(DebateOutcome::Deadlocked, 46);
    let mut silent = seat("expert", "codex", "openai");
    silent.status = SeatStatus::Failed;
    silent.failure = Some("timed_out: no answer within 300 s".into());
    deadlocked.seats.push(silent);
    deadlocked.result.expert = Some(expert(Some("timed_out: no answer within 300 s")));
    deadlocked.result.open_points = open_points();
    deadlocked.result.decision = None;
    let mut failed = dialogue(DebateOutcome::Failed, 45);
    failed.result.rounds.truncate(1);
    failed.result.rounds[0].forced = vec!["reviewer".into()];
    failed.result.rounds[0].consensus = None;
    failed.result.consensus = None;
    failed.result.decision = None;
    failed.result.dissent.clear();
    failed.quorum.vendors = 1;
    failed.seats[1].status = SeatStatus::Failed;
    failed.seats[1].failure = Some("not_logged_in: run `gemini` and log in".into());
    let mut budget = dialogue(Halt::Budget, 45);
    budget.result.rounds.truncate(1);
    let mut terminated = budget.clone();
    terminated.outcome = Halt::Terminated.into();
    let interrupted = nothing(Halt::Interrupted, pair());
    let running = nothing(Halt::Running, pair());
    let mut judged = panel(DebateOutcome::Judged, "ABAB", "ABAB");
    judged.seats.push(seat("judge", "extra", "other"));
    let judge = |choices: [&str; 2]| ExpertRecord {
        agent: "extra".into(),
        vendor: "other".into(),
        own_answer: Some("gRPC, but measure first.".into()),
        choices: choices.map(str::to_owned).to_vec(),
        ..expert(None)
    };
    judged.result.expert = Some(judge(["A", "A"]));
    let mut unstable = judged.clone();
    unstable.outcome = DebateOutcome::Unstable.into();
    unstable.result.decision = None;
    unstable.result.expert = Some(judge(["A", "B"]));
    vec![
        ("dialogue", dialogue(DebateOutcome::Adopted, 91)),
        ("dialogue", ruled),
        ("dialogue", partial),
        ("dialogue", one_vendor),
        ("dialogue", deadlocked),
        (
            "argument",
            arguments(DebateOutcome::ConsensusReached, 84, ResolutionKind::ConditionalApproval),
        ),
        ("argument", arguments(DebateOutcome::Deadlocked, 55, ResolutionKind::HumanEscalation)),
        ("panel", panel(DebateOutcome::Settled, "ABAA", "AAAA")),
        ("panel", judged),
        ("panel", unstable),
        ("panel", panel(DebateOutcome::Split, "ABAB", "ABAB")),
        ("dialogue", failed),
        ("dialogue", budget),
        ("dialogue", terminated),
        ("dialogue", interrupted),
        ("dialogue", running),
    ]
}

pub(crate) fn document(style: &str, outcome: &Outcome) -> DebateDocument {
    let stamp = Stamp {
        session_id: SESSION.to_owned(),
        started_at: at(0),
        completed_at: outcome.outcome.closes().then(|| at(200)),
        budget: usd(2_500_000),
        cost: Some(Cost { usd: usd(310_000), basis: Money::Reported }),
    };
    let circumstances = SessionFacts {
        skills: vec![SkillUsed {
            name: "proposer".to_owned(),
            origin: "built-in".to_owned(),
            sha256: "ab".repeat(32),
            note: None,
        }],
        report_path: Some(".debate/debate-20261120T000000Z-abc123.md".to_owned()),
        parent: (outcome.outcome == DebateOutcome::Partial)
            .then(|| ParentSession { session_id: SESSION.replace("0199", "0198"), from_round: 2 }),
        stopped_by: (outcome.outcome == Ended::Stopped(Halt::Budget)).then_some(Limit::Budget),
        ..SessionFacts::default()
    };
    let brief = brief();
    let about = About {
        opening: None,
        brief: &brief,
        facts: crate::protocol::facts::Facts::default(),
        style: Style::of(style).unwrap(),
        thresholds: Thresholds {
            consensus: (style != "panel")
                .then(|| percent(if style == "argument" { 80 } else { 85 })),
            expert: (style == "dialogue").then(|| percent(70)),
            basis: Basis::Stance,
        },
    };
    let quorum = (outcome.quorum.needed, outcome.quorum.vendors);
    let (seats, result) = (outcome.seats.clone(), outcome.result.clone());
    let outcome = outcome::outcome(outcome.outcome, quorum, seats, None, &outcome.warnings, result);
    DebateDocument::new(outcome, &about, &stamp, circumstances)
}

pub(crate) fn documents() -> Vec<(String, DebateDocument)> {
    let named = outcomes().into_iter().map(|(style, outcome)| {
        let name = format!("{style}_{}", outcome.outcome.name());
        (name, document(style, &outcome))
    });
    named.collect()
}

/// The document with this outcome; the first if there are several.
pub(crate) fn ended(outcome: impl Into<Ended<DebateOutcome>>) -> DebateDocument {
    let outcome = outcome.into();
    let mut all = documents().into_iter().map(|(_, document)| document);
    all.find(|document| document.header.outcome == outcome).unwrap()
}
