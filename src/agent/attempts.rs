//! The seam between asking an agent and everything that must know of it: journal, money, limits.
//!
//! Each attempt asks permission and settles through [`Attempts`]. The
//! application implements it over the session's journal and the run's limits,
//! so that no attempt, be it a first call, a retry, a repair or a fallback,
//! escapes reservation, record and count, and this module knows none of them.

use std::error::Error;
use std::time::Duration;

pub use crate::journal::attempt::{AttemptResult, Extent, Intent, Kind, Usage};
use crate::kernel::{Cost, Failure, Stop};
use crate::process::{Control, Ran, Sink, Spec};

/// Why an attempt may not be made, or its result could not be kept.
#[derive(Debug, thiserror::Error)]
pub enum Halt {
    /// A limit of the run: the protocol wraps up.
    #[error("the run is stopped: {0:?}")]
    Stop(Stop),
    /// The journal or another part of the state failed: no further paid call.
    #[error(transparent)]
    State(Box<dyn Error + Send + Sync>),
}

/// Permission for one attempt.
#[derive(Debug)]
pub enum Permit {
    /// The journal holds the result of this very attempt: nothing is called.
    Replay(AttemptResult),
    /// Make the call, then settle.
    Run,
    /// Make none: the time limit of the turn's round is used up. Holds what the turn fails with.
    OutOfTime(Failure),
}

/// The time that a round's limit leaves an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeLeft {
    /// How long it may take.
    pub left: Duration,
    /// The limit of the whole round.
    pub limit: Duration,
}

/// The surroundings of the agent layer, as far as it asks them for something.
#[expect(async_fn_in_trait, reason = "one task runs everything; futures need not be Send")]
pub trait Attempts {
    /// Asks whether an attempt may be made, reserving its cost and journaling the intent.
    ///
    /// `adopt` reads what an earlier, interrupted run of this attempt left in
    /// its spool: `Some` if that is a complete answer, which is then adopted
    /// instead of being paid for again.
    async fn permit(
        &self,
        intent: &Intent,
        adopt: &dyn Fn(&[u8]) -> Option<AttemptResult>,
    ) -> Result<Permit, Halt>;

    /// Runs the attempt's process. `sink` gets the raw chunks; the spool is written behind this trait.
    async fn launch(&self, intent: &Intent, spec: &Spec, sink: &mut dyn Sink) -> Ran;

    /// Records the result and settles the reservation. Returns what the attempt is charged with.
    async fn settle(&self, intent: &Intent, result: &AttemptResult) -> Result<Cost, Halt>;

    /// Tells what happens, for progress.
    fn happened(&self, intent: &Intent, what: Happening);

    /// Returns what is left of the limit of the turn's round; `None`: there is none.
    fn time_left(&self, _: &Intent) -> Option<TimeLeft> {
        None
    }

    /// Says why an attempt after this wait would come too late in its round; `None`: it would not.
    ///
    /// What it says is journaled with the end of the turn, so that a replay stops there too: it says the same of
    /// the first attempt that was not made then.
    fn too_late(&self, _: &Intent, _wait: Duration) -> Option<Failure> {
        None
    }

    /// Whether the journal holds this attempt as a repair: then the reply before it had a defect, whatever today's reading makes of
    /// it.
    fn was_repair(&self, _: &Intent) -> bool {
        false
    }

    /// Returns what the run wants now, for waits between attempts.
    fn control(&self) -> tokio::sync::watch::Receiver<Control>;
}

/// An event within a turn, for progress alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Happening {
    /// The attempt's process runs.
    Started,
    /// It printed something: bytes so far, and the phase or last line if the CLI streams one.
    Output {
        /// Bytes of standard output so far.
        bytes: u64,
        /// The phase or a line of partial text, sanitized.
        phase: Option<String>,
    },
    /// A passing failure: the same call again after a delay.
    Retrying {
        /// Why.
        failure: Failure,
        /// How long we wait first.
        delay: Duration,
    },
    /// The reply was not readable: asked again.
    Repairing {
        /// The fault, in one sentence.
        defect: String,
    },
    /// Another agent steps in.
    FellBack {
        /// The agent that failed.
        from: String,
        /// The one that steps in.
        to: String,
        /// Why.
        failure: Failure,
    },
}
