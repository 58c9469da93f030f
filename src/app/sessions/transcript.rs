//! A session's transcript: its journal read in order, with the answers it refers to.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::agent::attempts::Kind;
use crate::app::backlog::record::no_session;
use crate::app::run::workspace::Workspace;
use crate::error::{Error, store_error};
use crate::report::sessions::SessionEntry;
use crate::report::transcript::{CallEntry, Capacity, Transcript};
use crate::session::StoredSession;
use crate::session::record::{Body, CallIntent, CallResult};

/// Returns the conversation of a session, as Markdown of at most
/// [`MOST_BYTES`](crate::report::transcript::MOST_BYTES), as far as it goes: that of a running session ends with the
/// last record. No agent is asked and nothing is written.
///
/// Secrets were removed before an answer was kept; the transcript also prevents any of it from acting as markup.
///
/// # Errors
/// The id is unknown, the journal cannot be read, or an answer does not match its record.
pub fn transcript(workspace: &Workspace, id: &str) -> Result<String, Error> {
    let store = crate::app::run::foreign::store(workspace)?;
    let read = store.read(id);
    let stored = read.map_err(|error| no_session(workspace, id, error))?;
    let session = SessionEntry::from(&store.listed(stored.id.clone()));
    let mut transcript = Transcript::new(&session);
    let judged: BTreeMap<&str, bool> = (stored.records.iter())
        .filter_map(|record| {
            let Body::Parsed(parsed) = &record.body else {
                return None;
            };
            Some((parsed.key.as_str(), parsed.ok))
        })
        .collect();
    let mut open: BTreeMap<(&str, u32), &CallIntent> = BTreeMap::new();
    let mut room = Capacity::Left;
    for record in &stored.records {
        let happened = match &record.body {
            Body::Opened(_) | Body::Parsed(_) => continue,
            Body::Intent(intent) => {
                open.insert((&intent.key, intent.run), intent);
                continue;
            }
            Body::Result(result) => {
                if let Some(intent) = open.remove(&(result.key.as_str(), result.run)) {
                    let valid = judged.get(result.key.as_str()).copied();
                    room = say(&mut transcript, &stored, intent, result, valid, room)?;
                }
                continue;
            }
            Body::Ambiguous(lost) => {
                let turn = open.remove(&(lost.key.as_str(), lost.run));
                let turn = turn.map_or("a call", |intent| intent.intent.turn.as_str());
                format!(
                    "{turn}: its process died before it ended; what it would have cost counts as spent"
                )
            }
            Body::TurnClosed(closed) => match &closed.failure {
                // A failed call has an entry of its own; without this line a call that was never made would not
                // appear.
                Some(failure) => format!("{}: no answer ({})", closed.turn, failure.class.name()),
                None => continue,
            },
            Body::RoundClosed(closed) => format!("Round {} is over.", closed.round),
            Body::Resumed(_) => "A later run continued it.".to_owned(),
            Body::Suspended(suspended) => format!("The run ended: {}.", suspended.outcome),
            Body::Closed(closed) => {
                format!("The session is over: {} ({}).", closed.outcome, closed.verdict)
            }
        };
        transcript.happened(&happened);
    }
    let unanswered: Vec<String> =
        (open.into_values()).map(|intent| intent.intent.turn.clone()).collect();
    Ok(transcript.finish(&unanswered, stored.dir()))
}

/// Adds a call with its answer, which is read only if there is room for it.
fn say(
    transcript: &mut Transcript,
    stored: &StoredSession,
    intent: &CallIntent,
    result: &CallResult,
    valid: Option<bool>,
    room: Capacity,
) -> Result<Capacity, Error> {
    let answer = match (&result.answer, room) {
        (Some(sha), Capacity::Left) => Some(stored.answer(sha).map_err(store_error)?),
        (Some(_), Capacity::Gone) | (None, _) => None,
    };
    Ok(transcript.said(CallEntry {
        turn: &intent.intent.turn,
        role: &intent.intent.role,
        agent: &intent.intent.agent,
        again: match intent.intent.kind {
            Kind::First => None,
            Kind::Retry => Some("a retry"),
            Kind::Repair => Some("asked to repair"),
            Kind::Fallback => Some("stepped in"),
        },
        attempt: intent.intent.attempt,
        answer: answer.as_deref(),
        cut: result.cut,
        failure: result.failure.as_ref(),
        valid,
        cost: result.kept.unwrap_or(result.cost),
        model: result.model.as_deref(),
        took: Duration::from_millis(result.took_ms),
        kept: result.kept.is_some(),
    }))
}
