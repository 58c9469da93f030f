//! What one server process may spend, whatever its clients ask for.
//!
//! A run is lent what it may spend before it begins, and what it did not spend comes back when it ends. So however many
//! runs there are at the same time: `spent + lent <= cap` whenever one begins.

use std::sync::{Mutex, PoisonError};

use crate::protocol::Usd;

/// The cap, shared by all runs.
#[derive(Debug)]
pub(crate) struct Cap {
    most: Usd,
    state: Mutex<State>,
}

#[derive(Debug, Clone, Copy, Default)]
struct State {
    spent: Usd,
    lent: Usd,
}

impl Cap {
    pub(crate) fn new(most: Usd) -> Self {
        Self {
            most,
            state: Mutex::default(),
        }
    }

    /// Lends what is left, at most `wanted`. `None`: nothing is left.
    pub(crate) fn lend(&self, wanted: Usd) -> Option<Usd> {
        let mut state = self.lock();
        let left = self
            .most
            .saturating_sub(state.spent)
            .saturating_sub(state.lent);
        let lent = wanted.min(left);
        if lent == Usd::ZERO && wanted > Usd::ZERO {
            return None;
        }
        state.lent += lent;
        Some(lent)
    }

    /// Takes back what was lent; `spent` of it is gone.
    pub(crate) fn settle(&self, lent: Usd, spent: Usd) {
        let mut state = self.lock();
        state.lent = state.lent.saturating_sub(lent);
        state.spent += spent;
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
