//! The time limit of rounds: attempts that come too late are not made, in this run and in every replay.

use std::future::Future;
use std::time::Duration;

use super::AttemptRunner;
use crate::agent::attempts::Intent;
use crate::engine::clock::out_of_time;
use crate::kernel::{Failure, Turn};
use crate::session::Found;

impl AttemptRunner<'_> {
    /// Asks a turn while the clock of its round runs.
    pub(crate) async fn timed<T>(&self, turn: &Turn, asking: impl Future<Output = T>) -> T {
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
        let limit = ledger.turns().get(&intent.turn)?.out_of_time?;
        // Attempts made before the time was used up are replayed.
        (ledger.look(intent) == Found::Nothing).then(|| out_of_time(&intent.agent, limit))
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
