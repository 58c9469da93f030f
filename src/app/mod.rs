//! Use cases: plain requests in, typed results out. `cli` and `mcp` both call these and nothing below.

mod afford;
pub mod agents;
mod asker;
mod assign;
pub mod attempts;
pub mod backlog;
mod beside;
mod calls;
pub mod change;
mod circumstances;
pub mod clients;
pub mod config;
mod context;
mod decide;
pub mod decisions;
pub mod discover;
pub mod discuss;
pub mod dismissals;
pub mod doctor;
pub mod documents;
mod drive;
mod ending;
mod foreign;
mod fork;
mod git;
mod guard;
pub mod human;
pub mod init;
mod kind;
mod kinds;
pub mod launch;
mod logins;
mod options;
pub mod outline;
mod panel;
pub mod planning;
pub mod prioritize;
mod probe;
mod relay;
mod replay;
mod reports;
mod resume;
pub mod review;
mod roles;
pub mod run_agent;
mod session_run;
pub mod sessions;
mod setup;
pub(crate) mod shown;
mod signals;
pub mod sinks;
pub mod skills;
mod sources;
mod standing;
mod stored;
pub mod topic;
mod tree_check;
pub mod trust;
pub mod workspace;

use std::fs::File;
use std::io;
use std::pin::Pin;

use crate::error::{Error, Kind};
pub use ending::Finished;
pub use options::{RunOptions, Sending};
pub(crate) use signals::is_ignored;
pub use signals::{Order, Stops};

/// Prepares this process for running agents; once, before anything else. Returns how many processes
/// of earlier runs it had to end, because those runs and their guards were killed at once.
pub fn begin() -> u32 {
    // The second line behind the guards; without it (old kernels) they still hold alone.
    crate::process::become_subreaper().ok();
    crate::process::sweep_abandoned()
}

/// Runs a use case on this thread, which is the one that everything of it runs on.
///
/// # Errors
/// The system gives no runtime.
pub fn block_on<T>(future: impl Future<Output = T>) -> Result<T, Error> {
    spare_descriptors().map_err(|error| {
        Error::new(Kind::Environment, "this process may open too few files to run anything")
            .because(error)
            .hint("raise the limit: `ulimit -n 1024`")
    })?;
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(|error| {
            Error::new(Kind::Environment, "failed to start the runtime").because(error)
        })?;
    // The runtime's loop is compiled for each type of future, and there would be one for each command.
    let future: Pin<&mut dyn Future<Output = T>> = std::pin::pin!(future);
    Ok(runtime.block_on(future))
}

/// Files that the runtime opens for itself, with some to spare. Where it cannot, it panics.
const RUNTIME_FILES: usize = 8;

fn spare_descriptors() -> io::Result<()> {
    let opened: io::Result<Vec<File>> =
        (0..RUNTIME_FILES).map(|_| File::open("/dev/null")).collect();
    opened.map(drop)
}
