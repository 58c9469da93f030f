//! The result of a run, and the exit code of a failure.

use crate::exit::ExitStatus;
use crate::kernel::{Ended, Failure, FailureClass, Halt, Outcome, Usd};
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

/// Returns how the program ends when nothing was decided: by the signal that stopped it, or by what failed.
pub(crate) fn undecided<O, V, R>(
    outcome: &Outcome<Ended<O>, V, R>,
    signal: Option<i32>,
    spent: Usd,
) -> ExitStatus {
    match (&outcome.outcome, signal) {
        (Ended::Stopped(Halt::Interrupted), Some(signal)) => ExitStatus::from_signal(signal),
        (Ended::Stopped(_), _) => ExitStatus::Undecided,
        (Ended::Closed(_), _) => (outcome.failure.as_ref())
            .map_or(ExitStatus::Undecided, |failure| failure_status(failure, spent)),
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
