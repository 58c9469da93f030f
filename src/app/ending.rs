//! How a run ends: what a protocol's outcome says of it, what comes of it, and the exit code of a failure.

use crate::exit::ExitStatus;
use crate::kernel::{Failure, FailureClass, Seat, Usd, Warning};
use crate::report::document::PrioritizeDocument;

/// How a protocol's outcome ends its session.
pub(crate) trait Ending {
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

/// What came of a run.
#[derive(Debug)]
pub struct Finished<D = PrioritizeDocument> {
    /// The result.
    pub document: D,
    /// How the program ends.
    pub status: ExitStatus,
}

impl<D> Finished<D> {
    /// Makes another document of the result.
    pub(crate) fn map<E>(self, make: impl FnOnce(D) -> E) -> Finished<E> {
        Finished { document: make(self.document), status: self.status }
    }
}

/// Says how the program ends when an agent failed: a missing agent or login is the
/// environment's matter as long as nothing was spent.
pub(crate) fn failure_status(failure: &Failure, spent: Usd) -> ExitStatus {
    let missing = matches!(
        failure.class,
        FailureClass::NotFound | FailureClass::NotExecutable | FailureClass::NotLoggedIn
    );
    if missing && spent == Usd::ZERO { ExitStatus::Environment } else { ExitStatus::Undecided }
}
