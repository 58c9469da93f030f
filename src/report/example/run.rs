//! Example events of a debate.

use std::time::Duration;

use serde_json::json;

use super::{SESSION, at, usd};
use crate::engine::events::{Course, Event, EventKind};
use crate::kernel::{Basis, Cost, Fact, Failure, FailureClass, Respondent, Usd};

pub(crate) fn event(seq: u64, kind: EventKind) -> Event {
    Event {
        seq,
        at: at(i64::try_from(seq).unwrap()),
        elapsed: Duration::from_millis(seq * 1_000),
        kind,
    }
}

pub(crate) fn started(role: &str, agent: &str, vendor: &str, round: u32) -> EventKind {
    EventKind::TurnStarted {
        turn: format!("r{round}/{role}"),
        role: role.into(),
        agent: agent.into(),
        vendor: vendor.into(),
        limit: Some(Duration::from_mins(3)),
        since: Duration::ZERO,
    }
}

pub(crate) fn finished(
    role: &str,
    agent: &str,
    round: u32,
    cost: Option<Cost>,
    spent: u64,
    failure: Option<Failure>,
) -> EventKind {
    EventKind::TurnFinished {
        turn: format!("r{round}/{role}"),
        role: role.into(),
        seated: Respondent { agent: agent.into(), vendor: "v".into(), fell_back_from: None },
        failure,
        replayed: false,
        took: Duration::from_millis(3_250),
        cost,
        spent: usd(spent),
        gist: Vec::new(),
    }
}

#[expect(clippy::unnecessary_wraps, reason = "events hold it so")]
fn paid(micros: u64, basis: Basis) -> Option<Cost> {
    Some(Cost { usd: usd(micros), basis })
}

/// A debate in which everything happens once: success, retry, repair, fallback, failure, budget.
pub(crate) fn eventful_debate() -> Vec<Event> {
    let failure = |class, message: &str| Failure { class, message: message.into() };
    let kinds = vec![
        EventKind::SessionStarted {
            session: SESSION.into(),
            protocol: "backlog",
            title: "6 opportunities to rank".into(),
            resumed: false,
            rehearsal: false,
            budget: Some(usd(2_500_000)),
            spent: Usd::ZERO,
            course: Course::default(),
        },
        EventKind::RoundOpened { round: 1, of: 3 },
        started("champion", "claude", "anthropic", 1),
        EventKind::TurnOutput { turn: "r1/champion".into(), bytes: 2_150, phase: None },
        finished("champion", "claude", 1, paid(110_000, Basis::Reported), 110_000, None),
        started("critic", "codex", "openai", 1),
        EventKind::TurnRetrying {
            turn: "r1/critic".into(),
            attempt: 1,
            failure: failure(
                FailureClass::RateLimited { retry_after: Some(2) },
                "codex: too many requests",
            ),
            delay: Duration::from_secs(2),
        },
        EventKind::TurnRepairing {
            turn: "r1/critic".into(),
            defect: "missing_block in CRITIC_RANKINGS: the block is not there".into(),
        },
        finished("critic", "codex", 1, paid(83_100, Basis::Estimated), 193_100, None),
        started("moderator", "claude", "anthropic", 1),
        EventKind::TurnFellBack {
            turn: "r1/moderator".into(),
            from: "claude".into(),
            to: "gemini".into(),
        },
        finished("moderator", "gemini", 1, paid(120_000, Basis::Reported), 313_100, None),
        EventKind::Found(Fact {
            code: "consensus_overridden".into(),
            turn: Some("r1/moderator".into()),
            message: "the moderator claimed consensus, but one opportunity is still to investigate"
                .into(),
            data: json!({ "investigate": 1 }),
            warning: true,
        }),
        EventKind::RoundClosed {
            round: 1,
            fact: Fact {
                code: "round_closed".into(),
                turn: None,
                message: "round 1: champion and critic agree at tau-b 0.47".into(),
                data: json!({ "tau_b": 0.47 }),
                warning: false,
            },
        },
        EventKind::RoundOpened { round: 2, of: 3 },
        started("champion", "claude", "anthropic", 2),
        finished(
            "champion",
            "claude",
            2,
            paid(150_000, Basis::Declared),
            463_100,
            Some(failure(FailureClass::TimedOut, "claude gave no answer within 180 s")),
        ),
        EventKind::SessionFinished {
            outcome: "agent_failure".into(),
            verdict: "decided".into(),
            stopped_by: None,
            resumable: true,
            cost: paid(463_100, Basis::Mixed),
        },
    ];
    (1..).zip(kinds).map(|(seq, kind)| event(seq, kind)).collect()
}
