//! Converts what happens within a turn to the reporters' events.

use crate::agent::attempts::{AttemptEvent, Intent};
use crate::engine::events::EventKind;

/// Returns the event for what happened within a turn.
pub(crate) fn event(intent: &Intent, what: AttemptEvent, vendor: &str) -> EventKind {
    let turn = intent.turn.clone();
    match what {
        AttemptEvent::Started => EventKind::TurnStarted {
            turn,
            role: intent.role.clone(),
            agent: intent.agent.clone(),
            vendor: vendor.to_owned(),
        },
        AttemptEvent::Output { bytes, phase } => EventKind::TurnOutput { turn, bytes, phase },
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
