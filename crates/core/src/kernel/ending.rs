//! How a run ends, as types, so that nobody parses it from a word.

use super::{Seat, Stop, Warning};

/// How a run of a session ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The protocol has finished, and nothing is left to ask.
    Closed,
    /// Agents failed, so nothing is decided: a resume asks them again.
    Failed,
    /// It was stopped: a resume continues it.
    Stopped(Stop),
}

/// The properties common to every protocol's outcome.
pub trait SessionOutcome {
    /// Returns the outcome's name in JSON.
    fn name(&self) -> String;
    fn verdict(&self) -> &str;
    /// Whether the protocol decided and nothing is left to ask; otherwise a resume continues.
    fn closes(&self) -> bool;
    /// Returns the failed turns that a resume asks again; the others stay failed, as recorded.
    fn again(&self, failed: Vec<String>) -> Vec<String> {
        failed
    }
    fn seats(&mut self) -> &mut [Seat];
    fn warnings(&self) -> &[Warning];
}
