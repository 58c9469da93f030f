//! Shows events and results. Reporters show and never decide.
//!
//! # Theory of operation
//!
//! During a run, the engine hands each event to every [`Reporter`], in order and synchronously: [`progress`] (plain
//! lines) or [`live`] (a terminal) on standard error for people, [`jsonl`] for programs. At its end, one result
//! [`document`] is made. It is shown as JSON, or described once as a `page`, which is drawn for a terminal and as a
//! Markdown report.
//!
//! Nothing in this module opens a stream: writers are passed in, so tests see every byte. Every text from an agent, a
//! file or another program passes [`crate::text::sanitize`] on its way out, terminal or not.

pub(crate) mod backlog;
pub(crate) mod backlog_export;
#[doc(hidden)]
pub mod backlog_item;
#[doc(hidden)]
pub mod backlog_list;
#[doc(hidden)]
pub mod change;
#[doc(hidden)]
pub mod clients;
pub(crate) mod compact;
pub mod debate;
#[doc(hidden)]
pub mod decisions;
pub mod discovery;
pub mod discuss;
pub mod document;
#[doc(hidden)]
pub mod eval;
pub mod inquiry;
pub mod jsonl;
// For the golden screens.
#[doc(hidden)]
pub mod live;
pub(crate) mod look;
#[doc(hidden)]
pub mod outline;
pub(crate) mod page;
pub mod plan;
pub mod plan_result;
pub(crate) mod progress;
pub mod review;
pub(crate) mod run_progress;
pub mod session_result;
pub mod sessions;
#[doc(hidden)]
pub mod sinks;
#[doc(hidden)]
pub mod standing;
pub(crate) mod stored_result;
pub(crate) mod table;
pub mod transcript;
#[doc(hidden)]
pub mod verify;
mod words;

#[cfg(test)]
pub(crate) mod example;

use std::io;

pub use crate::engine::events::Reporter;
#[doc(hidden)]
pub use look::Look;
#[doc(hidden)]
pub use page::ToPage;
pub(crate) use words::raise;
pub use words::short_id;

/// The consequence of a failed write to a foreign stream for the run.
#[derive(Debug, thiserror::Error)]
pub enum SinkLost {
    /// The reader closed its end (`| head`), or the terminal is gone: the run ends quietly, and the exit code is
    #[error("the reader of the output went away")]
    Closed,
    #[error("failed to write the output")]
    Failed(#[source] io::Error),
}

impl From<io::Error> for SinkLost {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe { Self::Closed } else { Self::Failed(error) }
    }
}
