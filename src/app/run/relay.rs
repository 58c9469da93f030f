//! Several sessions of one command: their events as one stream.

use std::io;
use std::rc::Rc;

use crate::engine::bus::Bus;
use crate::engine::events::{Event, Reporter};
use crate::error::{Error, Kind};

/// Hands the events of one session on to the stream of the whole run.
struct Relay(Rc<Bus>);

impl Reporter for Relay {
    fn event(&mut self, event: &Event) -> io::Result<()> {
        self.0.emit(event.kind.clone());
        self.0.take_error().map_or(Ok(()), Err)
    }
}

/// Returns what reports a session's events as this run's.
pub(crate) fn relay(bus: &Rc<Bus>) -> Vec<Box<dyn Reporter>> {
    vec![Box::new(Relay(Rc::clone(bus)))]
}

/// Ends the run if its events cannot be written any more.
///
/// # Errors
/// The error of the first write that failed; a reader that went away is `closed_pipe`.
pub(crate) fn check(bus: &Bus) -> Result<(), Error> {
    match bus.take_error() {
        None => Ok(()),
        Some(error) if error.kind() == io::ErrorKind::BrokenPipe => {
            Err(Error::new(Kind::State, "the reader of the events went away").named("closed_pipe"))
        }
        Some(error) => Err(Error::new(Kind::State, "failed to report what happens").because(error)),
    }
}
