//! A session of 10,000 records on the real disk, to be read and folded.

use std::hint::black_box;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use debate_agent::agent::attempts::{AttemptResult, Intent, Kind, Usage};
use debate_agent::env::Env;
use debate_agent::kernel::{Basis, Cost, Usd};
use debate_agent::session::{
    Body, Digests, ParseResult, RealFs, Session, SessionOpened, Store, TurnClosed, TurnStatus,
};
use serde_json::json;
use tempfile::TempDir;

/// Intent, result, parse result and the turn's end.
const RECORDS_PER_TURN: usize = 4;
const RECORDS: usize = 10_000;
const ANSWER_BYTES: usize = 4 << 10;

fn clock() -> DateTime<Utc> {
    DateTime::from_timestamp(1_790_000_000, 0).unwrap_or_default()
}

fn opened() -> SessionOpened {
    SessionOpened {
        session: "bench".to_owned(),
        protocol: "backlog".to_owned(),
        title: "A long debate".to_owned(),
        input: json!({"text": "x".repeat(100_000)}),
        settings: json!({}),
        boundary: "b".repeat(32),
        seed: 1,
        digests: Digests::default(),
        skills: Vec::new(),
        rehearsal: false,
        budget: None,
        program_version: "0".to_owned(),
        parent: None,
        redacted: Vec::new(),
    }
}

/// Plays turns until the journal is full.
fn fill(session: &mut Session) {
    for turn in 0..RECORDS / RECORDS_PER_TURN {
        let id = format!("r{turn}/critic");
        let intent = Intent {
            turn: id.clone(),
            role: "critic".to_owned(),
            kind: Kind::First,
            attempt: 1,
            agent: "claude".to_owned(),
            prompt_sha: "0".repeat(64),
            prompt_bytes: 20_000,
            effort_above: 0,
            agent_digest: "1".repeat(64),
        };
        let cost = Cost { usd: Usd::from_micros(31_000), basis: Basis::Reported };
        let mut answer = format!("answer {turn} ").into_bytes();
        answer.resize(ANSWER_BYTES, b'x');
        let result = AttemptResult {
            answer: Some(answer),
            cut: false,
            failure: None,
            ending: "exited(0)".to_owned(),
            cost: Some(cost),
            usage: Some(Usage { input: 9_000, cache_read: 8_000, cache_write: 0, output: 900 }),
            model: Some("a-model".to_owned()),
            quota: None,
            took_ms: 12_000,
            notes: Vec::new(),
            stderr_tail: Vec::new(),
        };
        let done = session.begin(&intent, b"prompt", Usd::from_micros(50_000)).and_then(|call| {
            session.settle(&call, &result, cost)?;
            session.append(Body::Parsed(Box::new(ParseResult {
                turn: id.clone(),
                key: call.key,
                ok: true,
                problems: Vec::new(),
                notes: Vec::new(),
            })))?;
            session.append(Body::TurnClosed(Box::new(TurnClosed {
                turn: id,
                status: TurnStatus::Answered,
                failure: None,
                gist: Vec::new(),
                cost: Some(cost),
                out_of_time: None,
                unaffordable: false,
            })))
        });
        assert!(done.is_ok(), "{done:?}");
    }
}

/// Writes the session, which is deleted with the directory.
pub(crate) fn stored() -> (TempDir, Store) {
    let dir = tempfile::tempdir().unwrap();
    let store =
        Store::new(Arc::new(RealFs::default()), dir.path().join(".debate"), Env::fixed(clock(), 0));
    let mut session = store.create(opened()).unwrap();
    fill(&mut session);
    drop(session);
    (dir, store)
}

/// Folds the journal.
pub(crate) fn fold(store: &Store) {
    black_box(store.read("bench").unwrap());
}

/// Folds the journal, and reads and hashes every answer. Returns their total size in bytes.
pub(crate) fn fold_with_answers(store: &Store) -> usize {
    let stored = store.read("bench").unwrap();
    (stored.ledger.answers()).map(|sha| stored.answer(sha).unwrap().len()).sum()
}
