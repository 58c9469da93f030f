//! How a run ends: by type, so that nobody reads it from a word.

use super::{Seat, Stop, Warning};

/// How a run of a session ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The protocol is over, and nothing is left to ask.
    Closed,
    /// Agents failed, so that nothing is decided: a resume asks them again.
    Failed,
    /// Something stopped it: a resume goes on.
    Stopped(Stop),
}

/// What an outcome says of how it came about, alike for every protocol.
pub trait Ending {
    /// Returns the outcome's name as it stands in JSON.
    fn name(&self) -> String;
    /// Returns the verdict's.
    fn verdict(&self) -> &str;
    /// Returns whether the protocol decided, and nothing is left to ask; else a resume goes on.
    fn closes(&self) -> bool;
    /// Returns which of the turns that failed a resume asks again; the others stay failed, as they were recorded.
    fn again(&self, failed: Vec<String>) -> Vec<String> {
        failed
    }
    /// Returns who sat where.
    fn seats(&mut self) -> &mut [Seat];
    /// Returns what was noticed.
    fn warnings(&self) -> &[Warning];
}
