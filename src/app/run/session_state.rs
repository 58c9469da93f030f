//! The state of a stored session, as its protocol's outcome.
//!
//! [`Status`] gives the state, from journal and lock, in the same way for all commands; this module applies it to a
//! replayed protocol. A session that a person closed or that a process is still running has no outcome of its own,
//! however far its journal goes.

use rustix::process::Signal;

use crate::kernel::{Limit, SeatStatus, SessionOutcome, Stop, Usd};
use crate::session::{Ledger, State, Status};

/// Returns why a session has no outcome of its own, if its protocol is not over.
pub(crate) fn stopped(status: &Status) -> Stop {
    match status {
        Status::Live(_) => Stop::Running,
        Status::Closed { outcome, .. } if outcome == TERMINATED => Stop::Terminated,
        Status::Suspended { limit: Some(Limit::Budget), .. } => Stop::Budget,
        Status::Suspended { limit: Some(Limit::Quota), .. } => Stop::Quota,
        Status::Suspended { limit: Some(Limit::Deadline), .. } => Stop::Deadline,
        Status::Suspended { limit: None, .. }
        | Status::Interrupted
        | Status::Closed { .. }
        | Status::Unreadable(_) => Stop::Cancelled(Signal::INT.as_raw()),
    }
}

/// The outcome of a session that a person ended before it was decided.
pub(crate) const TERMINATED: &str = "terminated";

/// Whether a person ended the session before it was decided.
pub(crate) fn is_terminated(ledger: &Ledger) -> bool {
    matches!(ledger.state(), State::Closed { outcome, .. } if outcome == TERMINATED)
}

/// Returns what a session has spent so far.
pub(crate) fn spent(ledger: &Ledger) -> Usd {
    ledger.spent().map_or(Usd::ZERO, |cost| cost.usd)
}

/// Marks the seats without an answer that were asked: the protocol does not know of a call that was cut off.
pub(crate) fn attend(ledger: &Ledger, outcome: &mut dyn SessionOutcome) {
    for seat in outcome.seats() {
        if seat.status == SeatStatus::Skipped && ledger.asked(&seat.role) {
            seat.status = SeatStatus::Asked;
        }
    }
}
