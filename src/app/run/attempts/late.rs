//! Attempts that are not made, in this run and in every replay: those that come too late in their round, and those that
//! the budget does not cover and the run can go on without.

use std::future::Future;
use std::time::Duration;

use super::AttemptRunner;
use crate::agent::attempts::Intent;
use crate::engine::clock::out_of_time;
use crate::kernel::{Failure, FailureClass, Turn};
use crate::session::Found;
use crate::session::record::TurnClosed;

impl AttemptRunner<'_> {
    /// Asks a turn while the clock of its round runs.
    pub(crate) async fn timed<T>(&self, turn: &Turn, asking: impl Future<Output = T>) -> T {
        if turn.spare {
            self.spare.borrow_mut().insert(turn.id.to_string(), false);
        }
        match &self.rounds {
            Some(rounds) => {
                let control = self.parts.switch.listen();
                rounds.time(&turn.id, &turn.role, control, asking).await
            }
            None => asking.await,
        }
    }

    /// Returns the limit in seconds of the round that left no time for a turn, in this run.
    pub(crate) fn out_of_time(&self, turn: &str) -> Option<u64> {
        self.late.borrow().get(turn).copied()
    }

    /// Returns the failure of an attempt for which its round left no time in the original run.
    pub(super) fn was_late(&self, intent: &Intent) -> Option<Failure> {
        let session = self.session.borrow();
        let ledger = session.ledger();
        let closed = ledger.turns().get(&intent.turn)?;
        // Attempts that were made before are replayed.
        (ledger.look(intent) == Found::Nothing).then(|| not_made(closed, &intent.agent))?
    }

    /// Records that the budget does not cover a turn, if the run can go on without it. Returns whether it can.
    pub(super) fn leave_out(&self, turn: &str) -> bool {
        self.spare.borrow_mut().get_mut(turn).map(|unaffordable| *unaffordable = true).is_some()
    }

    /// Whether the budget did not cover a turn, in this run.
    pub(crate) fn is_unaffordable(&self, turn: &str) -> bool {
        self.spare.borrow().get(turn).copied().unwrap_or_default()
    }

    /// Returns the failure of an attempt that would come too late after this wait, and records the turn as late.
    pub(super) fn no_time_after(&self, intent: &Intent, wait: Duration) -> Option<Failure> {
        let rounds = self.rounds.as_ref()?;
        let left = rounds.left(&intent.turn, &intent.role)?.left;
        if left > wait {
            return None;
        }
        let limit = rounds.limit_seconds();
        self.late.borrow_mut().insert(intent.turn.clone(), limit);
        Some(out_of_time(&intent.agent, limit))
    }
}

/// Returns the failure of an attempt that the original run did not make: its round left no time for it, or the budget did
/// not cover it.
pub(crate) fn not_made(closed: &TurnClosed, agent: &str) -> Option<Failure> {
    let late = closed.out_of_time.map(|limit| out_of_time(agent, limit));
    late.or_else(|| closed.unaffordable.then(|| unaffordable(agent)))
}

/// Returns the failure of a call that the budget does not cover, and without which the run goes on.
pub(super) fn unaffordable(agent: &str) -> Failure {
    let message = format!("{agent} was not asked: the budget does not cover the call");
    Failure { class: FailureClass::RefusedByPolicy, message }
}
