//! Converts what happens within a turn to the reporters' events.

use std::time::Duration;

use crate::agent::attempts::{AttemptEvent, Intent};
use crate::engine::events::EventKind;
use crate::text::redact::Redactor;
use crate::text::sanitize;

/// Maximum number of characters of the last words of an answer.
const WORDS_CHARS: usize = 640;

/// Returns the event for what happened within a turn.
pub(crate) fn event(
    intent: &Intent,
    what: AttemptEvent,
    vendor: &str,
    redactor: &Redactor,
) -> EventKind {
    let turn = intent.turn.clone();
    match what {
        AttemptEvent::Started(limit) => EventKind::TurnStarted {
            turn,
            role: intent.role.clone(),
            agent: intent.agent.clone(),
            vendor: vendor.to_owned(),
            limit,
            since: Duration::ZERO,
        },
        AttemptEvent::Output { bytes, phase } => {
            let phase = phase.map(|words| last_words(&redactor.text(&words)));
            EventKind::TurnOutput { turn, bytes, phase }
        }
        AttemptEvent::Retrying { failure, delay } => EventKind::TurnRetrying {
            turn,
            // The intent is that of the next attempt.
            attempt: intent.attempt.saturating_sub(1),
            failure,
            delay,
        },
        AttemptEvent::Waiting { left } => {
            let (minutes, seconds) = (left.as_secs() / 60, left.as_secs() % 60);
            let phase = Some(format!("waits for its limit, {minutes}:{seconds:02} left"));
            EventKind::TurnOutput { turn, bytes: 0, phase }
        }
        AttemptEvent::Repairing { defect } => EventKind::TurnRepairing { turn, defect },
        AttemptEvent::FellBack { from, to, failure: _ } => {
            EventKind::TurnFellBack { turn, from, to }
        }
    }
}

/// Returns the end of a text, on one line and without what a terminal obeys.
fn last_words(text: &str) -> String {
    let line = sanitize::line(text, usize::MAX);
    let from = line.char_indices().rev().nth(WORDS_CHARS - 1).map_or(0, |(at, _)| at);
    line[from..].to_owned()
}
