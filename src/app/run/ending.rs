//! The result of a run, and the exit code of a failure.

use crate::exit::ExitStatus;
use crate::kernel::{Failure, FailureClass, Usd};
use crate::report::document::PrioritizeDocument;

/// The result of a run.
#[derive(Debug)]
pub struct RunReport<D = PrioritizeDocument> {
    /// The result document.
    pub document: D,
    /// The exit status.
    pub status: ExitStatus,
}

impl<D> RunReport<D> {
    /// Converts the document of the result.
    pub(crate) fn map<E>(self, make: impl FnOnce(D) -> E) -> RunReport<E> {
        RunReport { document: make(self.document), status: self.status }
    }
}

/// Returns how the program ends when an agent failed: a missing agent or login counts as a problem of the environment
/// as long as nothing was spent.
pub(crate) fn failure_status(failure: &Failure, spent: Usd) -> ExitStatus {
    let missing = matches!(
        failure.class,
        FailureClass::NotFound | FailureClass::NotExecutable | FailureClass::NotLoggedIn
    );
    if missing && spent == Usd::ZERO { ExitStatus::Environment } else { ExitStatus::Undecided }
}
