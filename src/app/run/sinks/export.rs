//! Builds the export of a session: its result, its record, its rows and its files, all redacted.

use std::collections::BTreeMap;

use chrono::{DateTime, SecondsFormat, Utc};
use serde_json::{Value, json};

use super::issue;
use crate::error::{Error, Kind, store_error};
use crate::kernel::Usd;
use crate::report::document::to_json;
use crate::report::review::ReviewDocument;
use crate::report::review::pull_request::{self, LineComment};
use crate::report::session_result::SessionResult;
use crate::report::short_id;
use crate::session::{Body, StoredSession, TurnStatus};
use crate::sink::pull_request::{self as sink, Posting};
use crate::sink::{Export, RECORD, row};
use crate::text::redact::Redactor;

/// Builds the export. `files`: whether a sink keeps files.
pub(super) fn of(
    result: &SessionResult,
    stored: &StoredSession,
    redactor: &Redactor,
    files: bool,
) -> Result<Export, Error> {
    let bug = |error: serde_json::Error| {
        Error::new(Kind::Bug, "a result cannot be written as JSON").because(error)
    };
    let document = redactor.text(&to_json(&**result).map_err(bug)?);
    let value: Value = serde_json::from_str(&document).map_err(bug)?;
    let opened = stored.ledger.opened();
    let title = opened.map(|opened| redactor.text(&opened.title));
    let seal = seal(stored);
    let mut export = Export {
        session: stored.id.clone(),
        title: title.unwrap_or_default(),
        headline: redactor.text(&result.headline()),
        decided: result.header().decided,
        code_change_required: value["code_change_required"] == true,
        issue: opened.and_then(|opened| issue(&opened.input)),
        posting: (result.document::<ReviewDocument>())
            .and_then(|review| posting(review, redactor, &seal)),
        record: redactor.text(&result.markdown()) + &seal,
        row: Value::Null,
        turns: turns(stored, &value),
        files: BTreeMap::new(),
        document,
        seal,
    };
    export.row = session_row(stored, &export, &value);
    let record = export.record.clone().into_bytes();
    export.files.insert(RECORD.to_owned(), record);
    if files {
        let document = export.document.clone().into_bytes();
        export.files.insert("session.json".to_owned(), document);
        let journal = redactor.bytes(&stored.journal().map_err(store_error)?);
        export.files.insert("journal.jsonl".to_owned(), journal);
        for sha in stored.ledger.answers() {
            let answer = redactor.bytes(&stored.answer(sha).map_err(store_error)?);
            export.files.insert(format!("answer-{}", &sha[..8]), answer);
        }
    }
    Ok(export)
}

/// Returns the hash of the session's last record as a line of Markdown that says how to compare it.
fn seal(stored: &StoredSession) -> String {
    let check = |head| {
        let id = short_id(&stored.id);
        format!("\nIts record: `debate-agent sessions verify {id} --head {head}`\n")
    };
    stored.head.as_ref().map(check).unwrap_or_default()
}

/// Returns what is posted on the pull request that was reviewed.
fn posting(review: &ReviewDocument, redactor: &Redactor, seal: &str) -> Option<Posting> {
    let pull = review.pull_request.as_ref()?;
    let comment = |LineComment { finding, lines, body }: LineComment<'_>| sink::LineComment {
        fingerprint: finding.fingerprint.clone(),
        severity: finding.finding.severity.name().to_owned(),
        path: finding.finding.file.clone(),
        lines,
        body: redactor.text(&body),
    };
    let remaining = review.result.findings.iter().map(|one| &one.reported);
    let eliminated = review.result.eliminated.iter().map(|one| &one.reported);
    Some(Posting {
        session: review.header.session_id.clone(),
        number: pull.number,
        head: pull.head.clone(),
        summary: redactor.text(&pull_request::summary(review)) + seal,
        comments: pull_request::comments(review).into_iter().map(comment).collect(),
        remaining: remaining.map(|one| one.fingerprint.clone()).collect(),
        eliminated: eliminated.map(|one| one.fingerprint.clone()).collect(),
        decided: review.decided(),
    })
}

fn session_row(stored: &StoredSession, export: &Export, document: &Value) -> Value {
    let seat = |seat: &Value| {
        json!({
            "role": seat["role"],
            "agent": seat["agent"],
            "vendor": seat["vendor"],
            "status": seat["status"],
        })
    };
    let more = json!({
        "protocol": document["protocol"],
        "title": export.title,
        "outcome": document["outcome"],
        "verdict": document["verdict"],
        "decided": export.decided,
        "code_change_required": document.get("code_change_required"),
        "started_at": stored.ledger.times().map(|(started, _)| timestamp(started)),
        "completed_at": (document["completed_at"].as_str())
            .and_then(|_| stored.ledger.times())
            .map(|(_, ended)| timestamp(ended)),
        "rounds": document["rounds_used"],
        "cost_usd": document["cost"]["total_usd"],
        "budget_usd": document["cost"]["budget_usd"],
        "cost_basis": document["cost"]["basis"],
        "dissents": document["dissent"].as_array().map(Vec::len),
        "seats": seats(document).map(seat).collect::<Vec<Value>>(),
        "journal_head": stored.head,
        "program_version": stored.ledger.opened().map(|opened| &opened.program_version),
    });
    row(&stored.id, more)
}

/// Formats a time for `bigquery` sinks: at most to microseconds.
fn timestamp(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Micros, true)
}

fn seats(document: &Value) -> impl Iterator<Item = &Value> {
    document["seats"].as_array().into_iter().flatten()
}

#[derive(Default)]
struct TurnFacts {
    turn: String,
    role: String,
    agent: String,
    model: Option<String>,
    attempts: u32,
    cost: Usd,
    took_ms: u64,
    at: Option<String>,
    status: Option<TurnStatus>,
    failure: Option<String>,
}

/// Returns the rows of the turns: those asked, in order, and one for each seat that was never asked.
fn turns(stored: &StoredSession, document: &Value) -> Vec<Value> {
    let vendor = |known: &TurnFacts| {
        seats(document)
            .find(|seat| seat["role"] == *known.role && seat["agent"] == *known.agent)
            .map(|seat| &seat["vendor"])
    };
    let rows = asked(stored).into_iter().map(|known| {
        let status = match known.status {
            Some(TurnStatus::Answered) => "answered",
            Some(TurnStatus::Failed) => "failed",
            None => "cut_off",
        };
        let millis = u32::try_from(known.took_ms).unwrap_or(u32::MAX);
        json!({
            "turn": known.turn,
            "role": known.role,
            "agent": known.agent,
            "vendor": vendor(&known),
            "model": known.model,
            "status": status,
            "failure": known.failure,
            "attempts": known.attempts,
            "cost_usd": known.cost,
            "seconds": f64::from(millis) / 1000.0,
            "asked_at": known.at,
        })
    });
    let skipped = seats(document).filter(|seat| seat["status"] == "skipped").map(|seat| {
        json!({
            "turn": null,
            "role": seat["role"],
            "agent": seat["agent"],
            "vendor": seat["vendor"],
            "status": "skipped",
            "attempts": 0,
            "cost_usd": Usd::ZERO,
            "seconds": 0.0,
        })
    });
    rows.chain(skipped).map(|more| row(&stored.id, more)).collect()
}

/// Collects the journal's calls by turn.
fn asked(stored: &StoredSession) -> Vec<TurnFacts> {
    let mut turns: Vec<TurnFacts> = Vec::new();
    let mut of_call: BTreeMap<(&str, u32), usize> = BTreeMap::new();
    for record in &stored.records {
        match &record.body {
            Body::Intent(call) => {
                let turn = &call.intent.turn;
                let at = turns.iter().position(|known| known.turn == *turn);
                let at = at.unwrap_or_else(|| {
                    turns.push(TurnFacts {
                        turn: turn.clone(),
                        at: Some(timestamp(record.at)),
                        ..TurnFacts::default()
                    });
                    turns.len() - 1
                });
                turns[at].role.clone_from(&call.intent.role);
                turns[at].agent.clone_from(&call.intent.agent);
                turns[at].attempts += 1;
                of_call.insert((&call.key, call.run), at);
            }
            Body::Result(result) => {
                if let Some(&at) = of_call.get(&(result.key.as_str(), result.run)) {
                    turns[at].cost += result.cost.usd;
                    turns[at].took_ms += result.took_ms;
                    if result.model.is_some() {
                        turns[at].model.clone_from(&result.model);
                    }
                }
            }
            Body::Ambiguous(lost) => {
                if let Some(&at) = of_call.get(&(lost.key.as_str(), lost.run)) {
                    turns[at].cost += lost.charged.usd;
                }
            }
            Body::TurnClosed(closed) => {
                let known = turns.iter_mut().find(|known| known.turn == closed.turn);
                if let Some(known) = known {
                    known.status = Some(closed.status);
                    known.failure =
                        closed.failure.as_ref().map(|failure| failure.class.name().to_owned());
                }
            }
            _ => {}
        }
    }
    turns
}
