//! The requests that are not answered yet.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rmcp::model::RequestId;

/// Most requests at the same time. A client that waits for answers has a handful.
pub(super) const MOST: usize = 256;

/// How many cancelled ids are remembered: what is on its way for one must not be taken for the answer to another request.
const REMEMBERED: usize = 256;

/// Why a request is not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Refusal {
    /// There are too many.
    Full,
    /// Its id is in use.
    Taken,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Asked,
    /// The answer is there, but not yet with the writer: too late to be cancelled.
    Answered,
}

#[derive(Debug, Default)]
struct Inner {
    open: HashMap<RequestId, Stage>,
    cancelled: VecDeque<RequestId>,
}

/// The requests that are not answered yet.
#[derive(Debug, Default)]
pub(super) struct Flight(Mutex<Inner>);

impl Flight {
    /// Takes a request.
    ///
    /// # Errors
    /// Why not.
    pub(super) fn take(&self, id: &RequestId) -> Result<(), Refusal> {
        let mut inner = self.lock();
        if inner.open.contains_key(id) || inner.cancelled.contains(id) {
            return Err(Refusal::Taken);
        }
        if inner.open.len() >= MOST {
            return Err(Refusal::Full);
        }
        inner.open.insert(id.clone(), Stage::Asked);
        Ok(())
    }

    /// Cancels a request: nobody waits for its answer.
    pub(super) fn cancel(&self, id: &RequestId) {
        let mut inner = self.lock();
        if inner.open.get(id) != Some(&Stage::Asked) {
            return;
        }
        inner.open.remove(id);
        if inner.cancelled.len() == REMEMBERED {
            inner.cancelled.pop_front();
        }
        inner.cancelled.push_back(id.clone());
    }

    /// The answer is on its way to the writer.
    pub(super) fn answered(&self, id: &RequestId) {
        if let Some(stage) = self.lock().open.get_mut(id) {
            *stage = Stage::Answered;
        }
    }

    /// The answer is with the writer.
    pub(super) fn sent(&self, id: &RequestId) {
        self.lock().open.remove(id);
    }

    /// Whether everything is answered.
    pub(super) fn is_empty(&self) -> bool {
        self.lock().open.is_empty()
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests;
