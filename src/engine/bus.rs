//! The single ordered stream of events: numbers them, stamps them, and passes each to every
//! reporter.
//!
//! Reporters are called synchronously, in order; a slow one slows the run down, as it should, and a
//! failing one ends it, since a run that nobody can follow or record must not continue spending.

use std::cell::RefCell;
use std::io;
use std::time::Instant;

use chrono::DateTime;

use super::events::{Event, EventKind, Reporter};
use crate::env::Env;

/// Passes events to reporters. Shared by everything that runs in the engine's one task.
pub struct Bus {
    inner: RefCell<Inner>,
    env: Env,
    start: Instant,
}

struct Inner {
    seq: u64,
    reporters: Vec<Box<dyn Reporter>>,
    error: Option<io::Error>,
}

impl std::fmt::Debug for Bus {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Bus").field("start", &self.start).finish_non_exhaustive()
    }
}

impl Bus {
    /// Creates a stream without reporters, for replays.
    pub fn silent() -> Self {
        Self::new(Vec::new(), &Env::fixed(DateTime::UNIX_EPOCH, 0))
    }

    /// Creates the stream. `env` stamps events for people; order and elapsed times never come from
    /// it.
    pub fn new(reporters: Vec<Box<dyn Reporter>>, env: &Env) -> Self {
        Self {
            inner: RefCell::new(Inner { seq: 0, reporters, error: None }),
            env: env.clone(),
            start: Instant::now(),
        }
    }

    /// Passes an event to every reporter. After a reporter has failed, no more events are passed
    /// on.
    pub fn emit(&self, kind: EventKind) {
        let mut inner = self.inner.borrow_mut();
        if inner.error.is_some() {
            return;
        }
        inner.seq += 1;
        let event =
            Event { seq: inner.seq, at: self.env.now(), elapsed: self.start.elapsed(), kind };
        for reporter in &mut inner.reporters {
            if let Err(error) = reporter.event(&event) {
                inner.error = Some(error);
                return;
            }
        }
    }

    /// Asks every reporter to show more of the words of a row, or no longer.
    pub fn choose(&self, row: usize) {
        self.inner.borrow_mut().reporters.iter_mut().for_each(|reporter| reporter.choose(row));
    }

    /// Whether a reporter has failed.
    pub fn failed(&self) -> bool {
        self.inner.borrow().error.is_some()
    }

    /// Takes the failure of a reporter, if there was one.
    pub fn take_error(&self) -> Option<io::Error> {
        self.inner.borrow_mut().error.take()
    }
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::*;

    struct Collect(Rc<RefCell<Vec<u64>>>, u64);

    impl Reporter for Collect {
        fn event(&mut self, event: &Event) -> io::Result<()> {
            self.0.borrow_mut().push(event.seq);
            if event.seq == self.1 { Err(io::Error::other("full")) } else { Ok(()) }
        }
    }

    #[test]
    fn events_are_numbered_in_order_and_stop_at_a_failed_reporter() {
        let seen = Rc::new(RefCell::new(Vec::new()));
        let bus = Bus::new(vec![Box::new(Collect(Rc::clone(&seen), 2))], &Env::system());
        for round in 1..=4 {
            bus.emit(EventKind::RoundOpened { round, of: 4 });
        }
        assert_eq!(*seen.borrow(), [1, 2]);
        assert!(bus.failed());
        assert_eq!(bus.take_error().unwrap().to_string(), "full");
    }
}
