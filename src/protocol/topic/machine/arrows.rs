//! What follows on a round: the check's bands, the deadlock, the last debating round.

use super::super::contract::Ask;
use super::{Machine, State, first};
use crate::protocol::debate::DebateOutcome;
use crate::protocol::debate::consensus::{Basis, COVERED, Check};

impl Machine {
    /// Whether there is a round for an expert, and one to ask.
    fn has_expert(&self) -> bool {
        self.input.expert.is_some() && self.input.settings.max_rounds > 1
    }

    /// Says what follows on a round in which nobody was silent. `measured` is still that of the check before.
    pub(super) fn after(&self, round: u32, check: Option<&Check>) -> State {
        let settings = &self.input.settings;
        if check.is_some_and(|check| check.reached) {
            return State::Closed(DebateOutcome::Adopted);
        }
        let counts = |check: &&Check| check.basis == Basis::Text || check.covered >= COVERED;
        let between = check
            .filter(counts)
            .and_then(|check| check.decisive)
            .is_some_and(|decisive| decisive >= settings.expert_threshold);
        if round >= settings.debating_rounds() {
            return if between {
                State::Closed(DebateOutcome::Partial)
            } else {
                self.to_expert(round)
            };
        }
        let stuck = (check.and_then(|check| check.decisive).zip(self.measured)).is_some_and(
            |(now, before)| now.get() < before.get().saturating_add(settings.deadlock_rise.get()),
        );
        if round >= 2 && !between && stuck {
            return self.to_expert(round);
        }
        self.further(round)
    }

    /// The next debating round.
    pub(super) fn further(&self, round: u32) -> State {
        let next = round + 1;
        let ask = if self.input.settings.pause { Ask::Remark } else { first(next) };
        State::Asked(next, ask)
    }

    pub(super) fn to_expert(&self, round: u32) -> State {
        if self.has_expert() {
            State::Asked(round + 1, Ask::Expert)
        } else {
            State::Closed(DebateOutcome::Deadlocked)
        }
    }
}
