//! Runs a test that an agent wrote, where it can do nothing else.
//!
//! # Theory of operation
//!
//! ```text
//!   session           outer helper, under a guard          inner helper, in the sandbox
//!   asks `sandbox` -> writes out change and base -bwrap--> copies one of them into memory, adds the test,
//!        <- report -- reads the runs of each     <-runs--- runs the test under a guard, three times
//! ```
//!
//! For a session the sandbox is one more agent, whose program is this one: its turns are journaled, limited and swept
//! like any other's, and a run that was cut off is made again, while the test that an agent was paid for is kept. The
//! request is the prompt ([`Request`]), the reply is a [`TestReport`].
//!
//! # Promises
//!
//! * The test sees the system's programs, the folders of `review.prove.read` without credentials, and a copy of the
//!   repository's files; not its `.git`, nor home, nor sessions, nor other processes, nor a network ([`bubblewrap`]).
//! * It can write to memory of its own alone, which ends with it, whoever is killed: nothing is mounted for others.
//! * Time, memory, processes and output are limited; beyond a limit everything of it is killed at once.
//! * Its command comes from the user's configuration, never from an answer or a session; no shell reads it.

mod bubblewrap;
mod choose;
mod inner;
#[cfg_attr(all(target_os = "linux", not(portable)), path = "landlock.rs")]
#[cfg_attr(not(all(target_os = "linux", not(portable))), path = "elsewhere.rs")]
mod landlock;
mod outer;
mod view;

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use serde::{Deserialize, Serialize};

pub(crate) use choose::{choose, try_command};
pub(crate) use view::check_read;

use crate::env;
use crate::process::{self, Depth, Limits, Spec};
use crate::protocol::review::proof::Reproduction;
use crate::protocol::review::{Prove, TestSettings};

/// The hidden first argument of the outer helper.
pub(crate) const ARGUMENT: &str = "__sandbox";
/// The hidden first argument of the helper inside the sandbox.
const INNER: &str = "__sandboxed";
/// The hidden first argument of the helper that becomes a test, in bounds of its own.
const CONFINED: &str = "__confined";
/// The variable that tells the outer helper its [`Place`].
pub(crate) const PLACE: &str = "DEBATE_AGENT_SANDBOX";

/// Time for writing out and copying the files of a side, besides the runs.
const COPYING: Duration = Duration::from_mins(2);

/// Maximum number of processes and their threads in a sandbox.
const THREADS: u64 = 1_024;

/// What the sandbox is asked: a turn's prompt.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Request {
    prove: Prove,
    reproduction: Reproduction,
    /// How often the test is run on each side.
    runs: u32,
}

/// Where a sandbox is set up.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Place {
    /// Where the reviewed files are.
    pub(crate) root: PathBuf,
    /// The user's project, whose packages a test may read: another folder for a pull request.
    pub(crate) project: PathBuf,
    /// The user's home.
    pub(crate) home: PathBuf,
    /// The program git.
    pub(crate) git: PathBuf,
    /// The program bubblewrap, which may be missing.
    pub(crate) bubblewrap: PathBuf,
    /// What the user's configuration permits; a session may come from somebody else.
    pub(crate) permitted: TestSettings,
}

/// Returns the most time that a sandbox takes for one side.
pub(crate) fn side_time(test: &TestSettings) -> Duration {
    let runs = crate::protocol::review::proof::RUNS;
    Duration::from_secs(test.timeout_seconds).saturating_mul(runs) + COPYING
}

/// An error of a helper, in words.
type Failure = Box<dyn std::error::Error>;

/// Returns a run of a program under a guard, in no folder of its own, without variables and input.
fn spec(program: &Path, args: Vec<String>, timeout: Duration) -> io::Result<Spec> {
    Ok(Spec {
        guard: process::guard_program()?,
        program: program.to_owned(),
        args,
        depth: Depth::Free,
        env: BTreeMap::new(),
        cwd: PathBuf::from("/"),
        scratch: None,
        stdin: Vec::new(),
        tag: format!("debate-agent/{}/sandbox", env::unique()),
        limits: Limits { timeout, ..Limits::default() },
    })
}

/// Runs a helper's work on this thread.
fn block_on<T>(work: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(work)
}

/// Runs the helper that the first argument of this process asks for; `None` if it asks for none.
pub(crate) fn helper(first: &OsStr) -> Option<ExitCode> {
    match first.to_str()? {
        ARGUMENT => Some(outer::main()),
        INNER => Some(inner::main()),
        CONFINED => {
            let Err(why) = landlock::start(std::env::args_os().skip(2));
            writeln!(io::stderr(), "there is no sandbox: {why}").ok();
            Some(ExitCode::FAILURE)
        }
        _ => None,
    }
}
