//! The interface between asking an agent and everything that must know of it: journal, money,
//! limits.
//!
//! Each attempt asks for permission and settles through [`Attempts`]. The application implements it
//! over the session's journal and the run's limits, so that no attempt, whether a first call, a
//! retry, a repair or a fallback, escapes reservation, record and count, and this module knows none
//! of them.

use std::error::Error;
use std::time::Duration;

pub use crate::journal::attempt::{AttemptResult, Extent, Intent, Kind, Usage};
use crate::kernel::{Cost, Failure, Stop};
use crate::process::{Control, Ending, ProcessResult, Sink, Spec};

/// Why an attempt may not be made, or its result could not be kept.
#[derive(Debug, thiserror::Error)]
pub enum AttemptError {
    #[error("the run is stopped: {0:?}")]
    Stop(Stop),
    #[error(transparent)]
    State(Box<dyn Error + Send + Sync>),
}

#[derive(Debug)]
pub enum Permit {
    /// The journal has the result of this attempt: no call is made.
    Replay(Box<AttemptResult>),
    /// Make the call, then settle.
    Run,
    /// Make no call: the time limit of the turn's round is used up. Holds the turn's failure.
    OutOfTime(Failure),
}

/// The time left for an attempt within its round's limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeLeft {
    /// The time that it may take.
    pub left: Duration,
    /// The limit of the whole round.
    pub limit: Duration,
}

/// Returns the result of an attempt for which no process of its own ran.
pub(crate) fn ran(ending: Ending, bytes: usize, took: Duration) -> ProcessResult {
    ProcessResult {
        ending,
        survivors_killed: 0,
        unkillable: 0,
        leaked_output: false,
        took,
        stdout_seen: u64::try_from(bytes).unwrap_or(u64::MAX),
    }
}

/// The environment of the agent layer.
#[expect(async_fn_in_trait, reason = "one task runs everything; futures need not be Send")]
pub trait Attempts {
    /// Asks whether an attempt may be made, reserving its cost and journaling the intent with the prompt: system
    /// prompt and prompt.
    ///
    /// `adopt` reads the spool of an earlier, interrupted run of this attempt: `Some` if it
    /// contains a complete answer, which is then adopted instead of being paid for again.
    async fn permit(
        &self,
        intent: &Intent,
        prompt: [&str; 2],
        adopt: &dyn Fn(&[u8]) -> Option<AttemptResult>,
    ) -> Result<Permit, AttemptError>;

    /// Runs the attempt's process. `sink` receives the raw chunks; the implementation writes the
    /// spool.
    async fn launch(&self, intent: &Intent, spec: &Spec, sink: &mut dyn Sink) -> ProcessResult;

    /// Records the result and settles the reservation. Returns the amount charged.
    async fn settle(&self, intent: &Intent, result: &AttemptResult) -> Result<Cost, AttemptError>;

    fn happened(&self, intent: &Intent, what: AttemptEvent);

    /// Returns the time left in the turn's round; `None` if it has no limit.
    fn time_left(&self, _: &Intent) -> Option<TimeLeft> {
        None
    }

    /// Returns the failure if an attempt after this wait would come too late in its round; `None` if not.
    ///
    /// The failure is journaled with the end of the turn, so that a replay also stops there: it returns the same
    /// for the first attempt that was not made.
    fn too_late(&self, _: &Intent, _wait: Duration) -> Option<Failure> {
        None
    }

    /// Returns the control state of the run, for waits between attempts.
    fn control(&self) -> tokio::sync::watch::Receiver<Control>;
}

/// An event within a turn, for progress reports only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AttemptEvent {
    /// The attempt's process is running. Contains its time limit; `None` for a person.
    Started(Option<Duration>),
    /// It produced output: bytes so far, and the phase or last line if the CLI streams one.
    Output {
        /// Bytes of standard output so far.
        bytes: u64,
        /// What it does, or the last words of its answer, as they came.
        phase: Option<String>,
    },
    /// A transient failure: the call is repeated after a delay.
    Retrying { failure: Failure, delay: Duration },
    /// What is left of that delay.
    Waiting { left: Duration },
    /// The reply was unreadable and is asked for again.
    Repairing {
        /// The fault, in one sentence.
        defect: String,
    },
    /// Another agent steps in.
    FellBack {
        /// The agent that failed.
        from: String,
        to: String,
        failure: Failure,
    },
}
