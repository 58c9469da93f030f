//! Shared test code of this module: small records, and a debate small enough to crash at every point.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use chrono::{DateTime, Utc};
use serde_json::json;

use super::*;
use crate::agent::attempts::{AttemptResult, Intent, Kind};
use crate::env::Env;
use crate::kernel::{Basis, Cost, Failure, FailureClass, Usd};

pub(super) const ROOT: &str = "/project/.debate";
pub(super) const STATE: &str = "/state";
pub(crate) const ID: &str = "0190-test";

pub(super) fn clock() -> DateTime<Utc> {
    DateTime::from_timestamp(1_790_000_000, 0).unwrap()
}

pub(crate) fn disk() -> MemFs {
    MemFs::new(Path::new("/project"))
}

pub(crate) fn store(fs: &MemFs) -> Store {
    Store::new(Arc::new(fs.clone()), PathBuf::from(ROOT), Env::fixed(clock(), 0))
        .with_state(PathBuf::from(STATE))
}

pub(super) fn session_dir() -> PathBuf {
    Path::new(ROOT).join("sessions").join(ID)
}

pub(super) fn journal_path() -> PathBuf {
    session_dir().join("journal.jsonl")
}

pub(crate) fn opened(id: &str) -> SessionOpened {
    SessionOpened {
        session: id.to_owned(),
        protocol: "backlog".to_owned(),
        title: "Six items".to_owned(),
        input: json!({"opportunities": [{"id": "a\n{\"v\":1}"}]}),
        redacted: Vec::new(),
        settings: json!({"max_rounds": 3}),
        boundary: "0f".repeat(16),
        seed: u64::MAX,
        digests: Digests { input: "i".to_owned(), config: "c".to_owned(), ..Digests::default() },
        skills: vec![SkillUsed {
            name: "critic".to_owned(),
            origin: "built-in".to_owned(),
            sha256: "ab".repeat(32),
            note: None,
        }],
        rehearsal: false,
        budget: Some(Usd::from_micros(2_500_000)),
        program_version: "0.1.0".to_owned(),
        parent: None,
    }
}

pub(super) fn resumed() -> SessionResumed {
    SessionResumed { program_version: "0.1.0".to_owned(), ..SessionResumed::default() }
}

pub(super) fn intent(turn: &str, kind: Kind, attempt: u32) -> Intent {
    Intent {
        turn: turn.to_owned(),
        role: turn.rsplit('/').next().unwrap().to_owned(),
        kind,
        attempt,
        agent: "claude".to_owned(),
        prompt_sha: format!("prompt of {turn} {attempt}"),
        prompt_bytes: 100,
        effort_above: 0,
        agent_digest: "digest".to_owned(),
    }
}

pub(super) fn usd(micros: u64) -> Usd {
    Usd::from_micros(micros)
}

pub(super) fn reported(micros: u64) -> Cost {
    Cost { usd: usd(micros), basis: Basis::Reported }
}

pub(super) fn answered(text: &str, micros: u64) -> AttemptResult {
    AttemptResult {
        answer: Some(text.as_bytes().to_vec()),
        cut: false,
        failure: None,
        ending: "exited(0)".to_owned(),
        cost: Some(reported(micros)),
        usage: None,
        model: Some("m".to_owned()),
        quota: None,
        took_ms: 1_500,
        notes: Vec::new(),
        stderr_tail: Vec::new(),
    }
}

pub(super) fn failed(class: FailureClass, micros: u64) -> AttemptResult {
    AttemptResult {
        answer: None,
        failure: Some(Failure { class, message: "no".to_owned() }),
        ending: "exited(1)".to_owned(),
        ..answered("", micros)
    }
}

pub(super) fn turn_closed(turn: &str, status: TurnStatus) -> Body {
    Body::TurnClosed(Box::new(TurnClosed {
        turn: turn.to_owned(),
        status,
        failure: None,
        gist: Vec::new(),
        cost: None,
        out_of_time: None,
        unaffordable: false,
    }))
}

/// The outside world: it knows what was really paid, whatever the journal says.
#[derive(Debug, Clone, Default)]
pub(super) struct TestWorld {
    pub(super) paid: Vec<Call>,
}

pub(super) const PRICE: u64 = 100;
pub(super) const RESERVED: u64 = 150;

/// The calls of the small debate: a plain turn, one with a retry, one with a repair.
pub(super) fn script() -> Vec<(Intent, AttemptResult)> {
    let limited = FailureClass::RateLimited { retry_after: None };
    vec![
        (intent("r1/champion", Kind::First, 1), answered("ranking A", PRICE)),
        (intent("r1/critic", Kind::First, 1), failed(limited, PRICE)),
        (intent("r1/critic", Kind::Retry, 2), answered("ranking B", PRICE)),
        (intent("r1/moderator", Kind::First, 1), answered("not readable", PRICE)),
        (intent("r1/moderator", Kind::Repair, 2), answered("final", PRICE)),
    ]
}

/// Starts or resumes the small debate and plays it to its end; returns its answers.
pub(super) fn play(
    store: &Store,
    world: &mut TestWorld,
) -> Result<Vec<Option<Vec<u8>>>, StoreError> {
    let mut session = match store.open(ID) {
        Ok((session, ..)) => session,
        Err(StoreError::UnknownId { .. }) => store.create(opened(ID))?,
        Err(StoreError::NeverOpened { .. }) => {
            store.gc(GcPolicy::default())?;
            store.create(opened(ID))?
        }
        Err(error) => return Err(error),
    };
    if !session.is_closed() {
        session.resume(resumed())?;
    }
    let mut answers = Vec::new();
    for (intent, result) in script() {
        answers.push(one_call(&mut session, world, &intent, &result)?);
        let last = !session.ledger().turns().contains_key(&intent.turn)
            && (intent.turn == "r1/champion" || intent.attempt == 2);
        if last {
            session.append(turn_closed(&intent.turn, TurnStatus::Answered))?;
        }
    }
    if !session.is_closed() {
        session.append(Body::RoundClosed(RoundClosed { round: 1, facts: Vec::new() }))?;
        session.close("consensus", "decided")?;
        session.write_result(&json!({"spent": session.ledger().spent()}), "# Spent")?;
    }
    Ok(answers)
}

fn one_call(
    session: &mut Session,
    world: &mut TestWorld,
    intent: &Intent,
    result: &AttemptResult,
) -> Result<Option<Vec<u8>>, StoreError> {
    let interrupted = match session.ledger().look(intent) {
        Found::Result(found) => return Ok(session.replay(&found.clone())?.answer),
        Found::Interrupted { call, reservation } => Some((call, reservation)),
        Found::Nothing => None,
    };
    if let Some((call, reservation)) = interrupted {
        if let Some(result) = session.adopt_rescued(&call)? {
            return Ok(result.answer);
        }
        let spool = session.spool(&call)?;
        if result.answer.as_ref() == Some(&spool) {
            session.adopt(&call, result, reported(PRICE))?;
            return Ok(Some(spool));
        }
        session.charge_ambiguous(&call, reservation)?;
    }
    let call = session.begin(intent, intent.prompt_sha.as_bytes(), usd(RESERVED))?;
    let mut spool = session.spool_writer(&call)?;
    world.paid.push(call.clone());
    let bytes = result.answer.as_deref().unwrap_or_default();
    let (one, two) = bytes.split_at(bytes.len() / 2);
    spool.write(one)?;
    spool.write(two)?;
    session.settle(&call, result, reported(PRICE))?;
    Ok(result.answer.clone())
}
