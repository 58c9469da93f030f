//! What happens within a turn, as the events that reporters get.

use crate::agent::attempts::{AttemptEvent, Intent};
use crate::engine::events::EventKind;

/// Says what happened within a turn as the event that reporters get.
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
            // The intent is of the attempt to come.
            attempt: intent.attempt.saturating_sub(1),
            failure,
            delay,
        },
        AttemptEvent::Repairing { defect } => EventKind::TurnRepairing { turn, defect },
        AttemptEvent::FellBack { from, to, failure: _ } => {
            EventKind::TurnFellBack { turn, from, to }
        }
    }
}
