//! Use cases: plain requests in, typed results out. `cli` and `mcp` both call these and nothing below them.

pub mod agents;
pub mod backlog;
pub mod change;
pub mod clients;
pub mod config;
mod context;
mod decision_log;
pub mod decisions;
pub mod discover;
pub mod discuss;
pub mod dismissals;
pub mod doctor;
pub mod documents;
pub mod human;
pub mod init;
mod input;
pub(crate) mod kinds;
pub mod outline;
pub mod planning;
pub mod prioritize;
pub mod review;
pub(crate) mod run;
pub mod run_agent;
pub mod sessions;
mod shared_file;
pub(crate) mod show;
pub mod skills;
mod sources;
pub mod topic;
pub mod trust;

use std::fs::File;
use std::io;
use std::pin::Pin;

use crate::error::{Error, Kind};
pub use input::Input;
pub use run::ending::RunReport;
pub use run::flags::Caller;
pub use run::options::{OnAmbiguous, RoleAgent, RunOptions, SinkMode};
pub(crate) use run::signals::is_ignored;
pub use run::signals::{Order, Stops};
pub use run::use_case::{DryRun, Reporters, UseCase};
pub use run::{launch, sinks, workspace};

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
