//! Use cases: plain requests in, typed results out. `cli` and `mcp` both call these and nothing below.
//!
//! A request is data ([`prioritize::Request`], [`topic::Request`], [`review::Request`], [`discuss::Request`],
//! [`planning::Request`]) and a [`UseCase`]. It says what it sets in the configuration ([`UseCase::flags`]), the
//! [workspace](workspace::Workspace) is opened with that, the request [reads](UseCase::read) what it only names, and
//! [runs](UseCase::run). Its document says who answered, what was decided, what it cost.
//!
//! # Example
//!
//! A rehearsal: built-in stand-ins rank a backlog, nothing is asked of a model, and nothing of this machine counts.
//! Without `rehearse`, and with [`StartContext::here`](workspace::StartContext::here), the CLIs of this machine do.
//!
//! A session starts its own program again, as the guard of each CLI and as the stand-ins, so the first thing that
//! `main` does is [`run_helper`](crate::run_helper). A program that brings agents of its own
//! ([`Workspace::on`](workspace::Workspace::on)) needs none; one that asks CLIs calls [`begin`] once, too.
//!
//! ```standalone_crate
//! use std::process::ExitCode;
//!
//! use debate_agent::app::prioritize::{Items, Request};
//! use debate_agent::app::workspace::{StartContext, Workspace};
//! use debate_agent::app::{Caller, Env, Error, Input, UseCase as _, block_on};
//! use debate_agent::kernel::Usd;
//!
//! fn main() -> ExitCode {
//!     debate_agent::run_helper().unwrap_or_else(|| {
//!         rehearse().unwrap();
//!         ExitCode::SUCCESS
//!     })
//! }
//!
//! fn rehearse() -> Result<(), Error> {
//!     let home = tempfile::tempdir().unwrap();
//!     let vars = [("HOME".to_owned(), home.path().display().to_string())].into();
//!     let start = StartContext::of(home.path(), vars, Env::system());
//!
//!     let backlog = r#"[{"title": "Login times out"}, {"title": "Export as CSV"}]"#;
//!     let mut request = Request::of(Items::Of(Input::words(backlog)));
//!     request.options.rehearse = true;
//!     let workspace = Workspace::open(start, request.flags(Caller::Client))?;
//!     request.read(&workspace)?;
//!     let report = block_on(request.run(&workspace, Vec::new()))??;
//!
//!     let header = &report.document.header;
//!     assert_eq!((header.outcome.name(), header.verdict.name()), ("consensus", "decided"));
//!     assert_eq!((header.quorum.answered, header.cost.total_usd), (3, Usd::ZERO));
//!     assert_eq!(report.document.ranked_opportunities.len(), 2);
//!     Ok(())
//! }
//! ```

// A door of the library: see docs/library.md.
#![warn(missing_docs)]

#[doc(hidden)]
pub mod agents;
pub(crate) mod backlog;
pub(crate) mod change;
pub(crate) mod clients;
#[doc(hidden)]
pub mod config;
mod context;
mod decision_log;
pub(crate) mod decisions;
pub mod discover;
pub mod discuss;
#[doc(hidden)]
pub mod dismissals;
#[doc(hidden)]
pub mod doctor;
pub mod documents;
pub(crate) mod eval;
pub(crate) mod facts;
pub(crate) mod hook;
pub(crate) mod human;
#[doc(hidden)]
pub mod init;
mod input;
pub(crate) mod kinds;
pub(crate) mod number;
pub mod outline;
pub mod planning;
pub mod prioritize;
pub mod proof;
pub mod pull_request;
pub mod review;
pub(crate) mod run;
pub mod run_agent;
pub mod sessions;
pub(crate) mod show;
pub(crate) mod skills;
mod sources;
pub(crate) mod standing;
pub mod topic;
#[doc(hidden)]
pub mod trust;
pub(crate) mod word;

use std::fs::File;
use std::io;
use std::pin::Pin;

use crate::error::Kind;
pub use input::Input;
pub use run::ending::RunReport;
pub use run::flags::Caller;
pub use run::options::{RoleAgent, RunOptions};
pub(crate) use run::signals::is_ignored;
pub use run::signals::{Order, Stops};
pub use run::use_case::{DryRun, Reporters, UseCase};
pub use run::{launch, sinks, workspace};

// What the signatures of the use cases mention.
pub use crate::config::load::Flag;
pub use crate::engine::events::{Event, EventKind, Reporter};
pub use crate::env::Env;
pub use crate::error::Error;
pub use crate::exit::ExitStatus;

/// Prepares this process for running agents; call it once, before anything else. Returns the number of processes of
/// earlier runs that it had to end, because those runs and their guards were killed at once.
pub fn begin() -> u32 {
    // A second safeguard behind the guards; without it (old kernels) the guards alone suffice.
    crate::process::become_subreaper().ok();
    crate::process::sweep_abandoned()
}

/// Runs a use case on this thread, which is the only one that runs its code.
///
/// # Errors
/// The runtime cannot be started.
pub fn block_on<T>(future: impl Future<Output = T>) -> Result<T, Error> {
    // The runtime's loop is compiled for each type of future: this avoids one for each command.
    let mut answer = None;
    drive(std::pin::pin!(async { answer = Some(future.await) }))?;
    answer.ok_or_else(|| Error::new(Kind::Environment, "the runtime ended before its work did"))
}

fn drive(future: Pin<&mut dyn Future<Output = ()>>) -> Result<(), Error> {
    spare_descriptors().map_err(|error| {
        Error::new(Kind::Environment, "this process may open too few files to run anything")
            .because(error)
            .hint("raise the limit: `ulimit -n 1024`")
    })?;
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(|error| {
            Error::new(Kind::Environment, "failed to start the runtime").because(error)
        })?;
    runtime.block_on(future);
    Ok(())
}

/// The number of files that the runtime opens for itself, with some to spare. It panics if it cannot open them.
const RUNTIME_FILES: usize = 8;

fn spare_descriptors() -> io::Result<()> {
    let opened: io::Result<Vec<File>> =
        (0..RUNTIME_FILES).map(|_| File::open("/dev/null")).collect();
    opened.map(drop)
}
