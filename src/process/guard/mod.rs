//! The guard: this binary again, small and synchronous, between the orchestrator and one program.
//!
//! It leads a session of its own, so the program has no terminal to ask questions on, and Ctrl-C reaches the program
//! only through us. It is a subreaper (Linux), so whatever the program starts stays its descendant. Its descriptor 0
//! is one end of a socket pair whose other end only the orchestrator has open, so the death of the orchestrator, by
//! whatever signal, is an end of file on it. The guard keeps the run's clock itself: an orchestrator that stalls does
//! not extend a run.
//!
//! ```text
//!            request          exec           exit seen (WNOWAIT)      nobody left
//!   Reading ---------> Starting ----> Running --------------> Draining ---------> Swept -> report
//!                         |             | timeout, stop,         ^  ^
//!                         | fails       | owner gone             |  | exit
//!                         v             v                        |  |
//!                      report       Terminating (TERM, grace) ---'  |
//!                                       | grace over, kill          |
//!                                       '------> Killed ------------'
//! ```
//!
//! The program's pid is not released (reaped) before its group has received KILL: until then no other process can get
//! the number, so the signal cannot hit an unrelated process.

mod spawn;
mod supervise;

pub(super) use spawn::passing;

use std::ffi::OsStr;
use std::fs::OpenOptions;
use std::io;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::ExitCode;

use rustix::fs::Mode;

use super::platform;
use super::wire::{self, Report};

/// The hidden first argument that makes this binary a guard, and by which a guard is recognised among ancestors.
pub const ARGUMENT: &str = "__guard";

/// The hidden first argument of a guard that does not count as a level of debates
/// ([`Depth::Free`](super::Depth::Free)).
pub const FREE_ARGUMENT: &str = "__guard-free";

/// Returns whether the first argument asks this process to be a guard.
pub fn is_wanted(first: &OsStr) -> bool {
    first == ARGUMENT || first == FREE_ARGUMENT
}

/// The guard's name in its own command line, whatever file it was started from.
pub(super) const NAME: &str = "debate-agent";

/// Runs one program as requested by the orchestrator at the other end of descriptor 0, reports, and leaves nothing
/// behind. Fails at once if the hidden argument was typed by hand.
pub fn main() -> ExitCode {
    match serve() {
        Ok(()) => ExitCode::SUCCESS,
        // There is no channel to report on: the orchestrator reads the end of file.
        Err(_) => ExitCode::FAILURE,
    }
}

fn serve() -> io::Result<()> {
    let owner = UnixStream::from(rustix::stdio::stdin().try_clone_to_owned()?);
    rustix::process::setsid()?;
    platform::become_subreaper()?;
    rustix::process::umask(Mode::RWXG | Mode::RWXO);
    // Otherwise descriptors that the user's shell left open would reach the program.
    close_fds::set_fds_cloexec(3, &[]);
    let signals = spawn::Signals::catch()?;
    let (request, prompt) = wire::read_request(&mut &owner)?;
    owner.set_nonblocking(true)?;
    let null = OpenOptions::new().read(true).write(true).open("/dev/null")?;
    rustix::stdio::dup2_stdin(&null)?;
    let child = match spawn::start(&request, &owner) {
        Ok(child) => child,
        Err((not_found, message)) => {
            remove(request.scratch.as_deref());
            return wire::send(&mut &owner, &Report::NotStarted { not_found, message });
        }
    };
    let outputs = spawn::release_outputs(&null)?;
    let run = supervise::Run::new(request, prompt, child, owner, signals, outputs)?;
    run.supervise();
    Ok(())
}

/// Removes the call's own directory. A part that cannot be removed is litter, not a failure of the call.
fn remove(scratch: Option<&Path>) {
    if let Some(dir) = scratch {
        std::fs::remove_dir_all(dir).ok();
    }
}
