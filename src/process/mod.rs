//! Runs one program under a guard and leaves nothing behind.
//!
//! # Theory of operation
//!
//! ```text
//!   orchestrator (tokio)            guard (this binary, synchronous)        program
//!   run() ── request, prompt ─────> own session, subreaper ── stdin ──────> own group
//!         ── stop kill pause ─────> clock, TERM, grace, KILL, sweep
//!         <─ started, ended ─────── waits for the exit
//!         <─ stdout, stderr ─────────────────────────────────────────────── straight
//! ```
//!
//! * [`run()`] starts the guard and does the part that needs the rest of the program: it streams both outputs to a
//!   [`Sink`] with caps, watches for silence, and passes on its owner's commands.
//! * [`guard`] does what must happen even if the orchestrator is gone: it keeps the time limit, ends the whole tree
//!   and proves that no process is left. The end of file on their socket informs it of the orchestrator's death.
//! * If the guard dies, the orchestrator sweeps instead (`orphans`).
//! * If the guard hangs, the orchestrator's second clock kills it, and the previous rule applies.
//!
//! # Promises and their limits
//!
//! * A run ends within timeout + grace + 1 s (2 s more if the guard had to be killed), whatever the program does;
//!   paused time is not counted.
//! * When [`run()`] returns, or at most grace + 1 s after this process died by any signal, nothing that the program
//!   started is alive. This holds in full on Linux only: on macOS a process that left the guard's session, dropped
//!   the call's environment and lost its parent is not found (`platform`), and it has not been tried on a Mac yet.
//! * Killing this process *and* its guards at once (`pkill -9 debate-agent`) leaves the program running; the next
//!   start ends every process that still carries a call's mark ([`sweep_abandoned`]).
//! * Work handed to another daemon (docker, systemd-run, an already running tmux) is out of reach: it is not a
//!   descendant, and is killed only if it still carries the call's tag.
//! * Memory does not depend on how much the program prints: chunks of a few KiB go to the sink.

mod ancestry;
mod clock;
pub mod guard;
mod inherited;
mod orphans;
mod platform;
pub mod program;
mod run;
mod start;
mod sweep;
mod table;
mod wire;

pub use ancestry::under_guard;
pub use inherited::reset_signals;
pub use orphans::{become_subreaper, sweep_abandoned};
pub use run::run;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fmt;
use std::io;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Name of the variable that contains [`Spec::tag`] in the environment of a program and of everything it starts.
pub const TAG_VARIABLE: &str = "DEBATE_AGENT_CALL";

/// Name of the variable that gives a program its depth in debates. Always `1`, since a debate inside a debate is
/// refused. See [`Depth`].
pub const DEPTH_VARIABLE: &str = "DEBATE_AGENT_DEPTH";

/// Returns the program to start as the guard: the running image itself (Linux), so that an upgrade on disk during a
/// run does not mix versions; elsewhere its path.
pub fn guard_program() -> io::Result<PathBuf> {
    platform::guard_program()
}

/// Starts a person's own program, a browser, that outlives this one: it is not a call, and nobody waits for it. No
/// call may be running: the clean-up after a guard that died would take it for a leftover.
///
/// # Errors
/// It cannot be started.
#[expect(clippy::disallowed_methods, reason = "a guard would end it together with this program")]
pub(crate) fn leave(program: &OsStr, argument: &OsStr) -> io::Result<()> {
    use std::os::unix::process::CommandExt as _;
    let mut command = std::process::Command::new(program);
    command.arg(argument).process_group(0);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().map(drop)
}

/// What the processes below this one use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    /// How many threads they have, one each at least.
    pub threads: u64,
    /// Bytes of memory that they do not share with files.
    pub memory_bytes: u64,
    /// Whether the machine has almost no memory left, whoever took it.
    pub is_machine_full: bool,
}

/// Returns what the processes below this one use; nothing where the system does not tell.
pub fn used_below() -> Usage {
    let me = rustix::process::getpid();
    let table = table::Table::look();
    let below = table.trees(|process| process.parent == me.as_raw_pid());
    let used = below.iter().map(|process| platform::used(process.pid));
    let (bytes, threads): (Vec<u64>, Vec<u64>) = used.unzip();
    Usage {
        threads: threads.iter().sum(),
        memory_bytes: bytes.iter().sum(),
        is_machine_full: platform::is_full(),
    }
}

/// Returns the environment entry that marks the processes of one call.
fn tag_entry(tag: &str) -> String {
    format!("{TAG_VARIABLE}={tag}")
}

/// One program to run, with its input, environment and limits.
#[derive(Debug, Clone)]
pub struct Spec {
    /// The guard: this binary, see [`guard_program`].
    pub guard: PathBuf,
    pub program: PathBuf,
    /// Arguments of the program; they never contain untrusted text.
    pub args: Vec<String>,
    /// Whether debate-agent refuses to run below the program.
    pub depth: Depth,
    /// The program's whole environment, except for `PWD`, [`TAG_VARIABLE`] and [`DEPTH_VARIABLE`], which are set by
    /// the guard.
    pub env: BTreeMap<String, String>,
    /// The working directory; `PWD` is set to match.
    pub cwd: PathBuf,
    /// A directory made for this call alone. The guard removes it at its end, so it goes even if the orchestrator is
    /// gone.
    pub scratch: Option<PathBuf>,
    /// Standard input of the program, which is closed after the last byte.
    pub stdin: Vec<u8>,
    /// Identifies the call in the process table, even for descendants that left the session. Never empty and never
    /// reused: every process that carries it is killed at the end of the call.
    pub tag: String,
    /// Limits of time and output.
    pub limits: Limits,
}

/// Whether a program counts as one more level of debates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Depth {
    /// It counts: the program gets [`DEPTH_VARIABLE`], and debate-agent refuses to run below it. For agents and every
    /// other foreign program.
    Counts,
    /// It does not count: the program is this one itself, or a client that registers it, run because the user asked
    /// whether it works. A depth already in the environment stays.
    Free,
}

/// How long outputs may stay open after the program has ended. A program that leaves a descendant behind rarely writes
/// later than that.
pub const DRAIN: Duration = Duration::from_millis(500);

/// How long a program may live on after its last word: enough to save its session or to send its statistics.
pub const FAREWELL: Duration = Duration::from_secs(5);

/// Maximum bytes of standard error that are kept: enough for any message, and little beside an answer.
pub const STDERR_BYTES: u64 = 1 << 20;

/// Limits of one run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Wall time, excluding pauses.
    pub timeout: Duration,
    /// Maximum silence on both outputs; `None`: no limit.
    pub idle: Option<Duration>,
    /// Time from TERM to KILL (5 s).
    pub grace: Duration,
    /// Time from the leader's exit until its outputs are cut while descendants live (500 ms).
    pub drain: Duration,
    /// Maximum size of standard output (8 MiB).
    pub stdout_bytes: u64,
    /// Bytes of standard error that are kept (1 MiB); the rest is drained and dropped.
    pub stderr_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            timeout: Duration::from_mins(3),
            idle: None,
            grace: Duration::from_secs(5),
            drain: DRAIN,
            stdout_bytes: 8 << 20,
            stderr_bytes: STDERR_BYTES,
        }
    }
}

/// The end of a run. A missing exit code is never replaced by 0.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "ending", rename_all = "snake_case")]
pub enum Ending {
    /// It exited by itself.
    Exited {
        /// The exit code, 0 to 255.
        code: i32,
    },
    /// It was ended by a signal that we did not send.
    Signaled { signal: i32 },
    /// It reached its time limit and was ended.
    TimedOut,
    /// It was silent for too long and was ended.
    Idle,
    /// It had said its last word, did not end within a grace after it, and was ended.
    Lingering,
    /// It reached its output cap and was ended.
    OutputLimit,
    /// The run was stopped.
    Cancelled,
    /// It never ran.
    SpawnFailed {
        /// Whether the program does not exist (`ENOENT`), as opposed to not being executable or a lack of resources.
        not_found: bool,
        /// The system's message.
        message: String,
    },
    /// Its guard died; the orchestrator swept what was left.
    GuardLost,
}

/// The ending in words that follow the program's name.
impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exited { code } => write!(f, "ended with exit code {code}"),
            Self::Signaled { signal } => write!(f, "was ended by signal {signal}"),
            Self::TimedOut | Self::Idle | Self::Lingering => f.write_str("did not end in time"),
            Self::OutputLimit => f.write_str("printed too much"),
            Self::Cancelled => f.write_str("was stopped"),
            Self::SpawnFailed { message, .. } => write!(f, "did not start: {message}"),
            Self::GuardLost => f.write_str("lost its guard"),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcessResult {
    /// The ending, with the exit code or signal if there is one.
    pub ending: Ending,
    /// Descendants that were still alive after the leader's exit and were killed.
    pub survivors_killed: u32,
    /// Descendants that did not end within a second of KILL (a dead disk, another user's process). They may still
    /// run, so users must be told.
    pub unkillable: u32,
    /// Whether a descendant kept an output open beyond the drain window.
    pub leaked_output: bool,
    /// Wall time, excluding pauses.
    pub took: Duration,
    /// Bytes seen on standard output, including those beyond the cap.
    pub stdout_seen: u64,
}

/// The command of a run's owner, sent over a `tokio::sync::watch` channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Control {
    #[default]
    Run,
    /// Stop the processes and the timers (SIGTSTP).
    Pause,
    /// TERM, grace, KILL.
    Stop,
    /// KILL now (the second Ctrl-C).
    Kill,
}

/// Receives the program's output as it arrives. Redaction and spooling happen behind it.
pub trait Sink {
    /// Takes out of a chunk of standard output what is only shown while the program runs; returns the rest, which alone
    /// counts toward the cap and reaches [`Sink::stdout`].
    fn aside<'c>(&mut self, chunk: &'c [u8]) -> Cow<'c, [u8]> {
        Cow::Borrowed(chunk)
    }
    /// Receives a chunk of standard output; all chunks together stay within the cap.
    fn stdout(&mut self, chunk: &[u8]);
    /// Receives a chunk of standard error; all chunks together stay within the cap.
    fn stderr(&mut self, chunk: &[u8]);
    /// Whether the program has said its last word, so that nothing follows but its end.
    fn is_complete(&self) -> bool {
        false
    }
}

/// Keeps the whole output of a program, which its limits bound.
#[derive(Debug, Default)]
pub struct OutputBuffer {
    /// Standard output so far.
    pub stdout: Vec<u8>,
    /// Standard error so far.
    pub stderr: Vec<u8>,
}

impl Sink for OutputBuffer {
    fn stdout(&mut self, chunk: &[u8]) {
        self.stdout.extend_from_slice(chunk);
    }

    fn stderr(&mut self, chunk: &[u8]) {
        self.stderr.extend_from_slice(chunk);
    }
}
