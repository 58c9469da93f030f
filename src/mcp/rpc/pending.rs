//! The requests that have not been answered yet.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rmcp::model::RequestId;

/// Maximum number of open requests. A client that waits for answers has a handful.
pub(super) const MOST: usize = 256;

/// Number of cancelled ids that are remembered: an answer still on its way for one must not pass for the answer to
/// another request.
const REMEMBERED: usize = 256;

/// The reason why a request is not accepted.
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
    /// The answer exists but is not yet with the writer: too late to cancel.
    Answered,
}

#[derive(Debug, Default)]
struct Inner {
    open: HashMap<RequestId, Stage>,
    cancelled: VecDeque<RequestId>,
}

#[derive(Debug, Default)]
pub(super) struct PendingRequests(Mutex<Inner>);

impl PendingRequests {
    /// Registers a request.
    ///
    /// # Errors
    /// There are too many, or the id is in use.
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

    /// Cancels a request: its answer is no longer wanted.
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

    /// Marks a request as answered: the answer is on its way to the writer.
    pub(super) fn answered(&self, id: &RequestId) {
        if let Some(stage) = self.lock().open.get_mut(id) {
            *stage = Stage::Answered;
        }
    }

    /// Removes a request: the answer is with the writer.
    pub(super) fn sent(&self, id: &RequestId) {
        self.lock().open.remove(id);
    }

    /// Whether all requests are answered.
    pub(super) fn is_empty(&self) -> bool {
        self.lock().open.is_empty()
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    //! Tests of open requests: their number, and the uniqueness of each id.

    use super::*;

    fn id(number: usize) -> RequestId {
        RequestId::String(number.to_string().into())
    }

    #[test]
    fn there_are_so_many_and_no_more_until_one_is_with_the_writer() {
        let flight = PendingRequests::default();
        for number in 0..MOST {
            flight.take(&id(number)).unwrap();
        }
        assert_eq!(flight.take(&id(MOST)), Err(Refusal::Full));
        flight.answered(&id(0));
        assert_eq!(flight.take(&id(MOST)), Err(Refusal::Full));
        flight.sent(&id(0));
        assert_eq!(flight.take(&id(MOST)), Ok(()));
    }

    #[test]
    fn an_id_is_free_again_once_its_answer_is_written() {
        let flight = PendingRequests::default();
        flight.take(&id(1)).unwrap();
        assert_eq!(flight.take(&id(1)), Err(Refusal::Taken));
        // A number is not the text of it.
        assert_eq!(flight.take(&RequestId::Number(1)), Ok(()));
        flight.sent(&RequestId::Number(1));
        flight.answered(&id(1));
        assert_eq!(flight.take(&id(1)), Err(Refusal::Taken));
        flight.sent(&id(1));
        assert!(flight.is_empty());
        assert_eq!(flight.take(&id(1)), Ok(()));
    }

    #[test]
    fn what_is_cancelled_is_waited_for_by_nobody_and_its_id_is_not_used_again() {
        let flight = PendingRequests::default();
        flight.take(&id(1)).unwrap();
        flight.cancel(&id(1));
        assert!(flight.is_empty());
        assert_eq!(flight.take(&id(1)), Err(Refusal::Taken));
        // Too late: the answer goes out all the same, and the end waits for it.
        flight.take(&id(2)).unwrap();
        flight.answered(&id(2));
        flight.cancel(&id(2));
        assert!(!flight.is_empty());
        // The id of no request.
        flight.cancel(&id(3));
        assert_eq!(flight.take(&id(3)), Ok(()));
    }

    #[test]
    fn cancelled_ids_are_not_remembered_for_ever() {
        let flight = PendingRequests::default();
        for number in 0..=REMEMBERED {
            flight.take(&id(number)).unwrap();
            flight.cancel(&id(number));
        }
        assert_eq!(flight.take(&id(1)), Err(Refusal::Taken));
        assert_eq!(flight.take(&id(0)), Ok(()));
    }
}
