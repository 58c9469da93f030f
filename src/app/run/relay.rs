//! Merges the events of several sessions of one command into one stream.

use std::io;
use std::rc::Rc;

use crate::engine::bus::Bus;
use crate::engine::events::{Event, Reporter};
use crate::error::{Error, Kind};

/// Passes the events of one session on to the stream of the whole run.
struct Relay(Rc<Bus>);

impl Reporter for Relay {
    fn event(&mut self, event: &Event) -> io::Result<()> {
        self.0.emit(event.kind.clone());
        self.0.take_error().map_or(Ok(()), Err)
    }
}

/// Returns reporters that pass a session's events on as this run's.
pub(crate) fn relay(bus: &Rc<Bus>) -> Vec<Box<dyn Reporter>> {
    vec![Box::new(Relay(Rc::clone(bus)))]
}

/// Ends the run if its events can no longer be written.
///
/// # Errors
/// The error of the first failed write; it is `closed_pipe` if the reader is gone.
pub(crate) fn check(bus: &Bus) -> Result<(), Error> {
    match bus.take_error() {
        None => Ok(()),
        Some(error) if error.kind() == io::ErrorKind::BrokenPipe => {
            Err(Error::new(Kind::State, "the reader of the events has gone").named("closed_pipe"))
        }
        Some(error) => Err(Error::new(Kind::State, "failed to report progress").because(error)),
    }
}
