//! What happens within a turn, as the events that reporters get.

use crate::agent::attempts::{Happening, Intent};
use crate::engine::events::EventKind;

/// Says what happened within a turn as the event that reporters get.
pub(crate) fn event(intent: &Intent, what: Happening, vendor: &str) -> EventKind {
    let turn = intent.turn.clone();
    match what {
        Happening::Started => EventKind::TurnStarted {
            turn,
            role: intent.role.clone(),
            agent: intent.agent.clone(),
            vendor: vendor.to_owned(),
        },
        Happening::Output { bytes, phase } => EventKind::TurnOutput { turn, bytes, phase },
        Happening::Retrying { failure, delay } => EventKind::TurnRetrying {
            turn,
            // The intent is of the attempt to come.
            attempt: intent.attempt.saturating_sub(1),
            failure,
            delay,
        },
        Happening::Repairing { defect } => EventKind::TurnRepairing { turn, defect },
        Happening::FellBack { from, to, failure: _ } => EventKind::TurnFellBack { turn, from, to },
    }
}
