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
//! * [`run()`] starts the guard and does what needs the outside: it streams both outputs to a
//!   [`Sink`] with caps, watches for silence, and passes on what its owner wants.
//! * [`guard`] does what must happen even if the orchestrator is gone: time limit, ending the
//!   whole tree, proof that nobody is left. It learns of the orchestrator's death from the end
//!   of file on their socket.
//! * If the guard is the one that dies, the orchestrator sweeps instead (`lost`).
//! * If the guard hangs, the orchestrator's second clock kills it, and goes on as above.
//!
//! # Promises, and where they end
//!
//! * A run ends within timeout + grace + 1 s (2 s more if the guard had to be killed), whatever
//!   the program does; time in which it was paused is not counted.
//! * When [`run()`] returns, or at most grace + 1 s after this process died by any signal, nothing
//!   that the program started is alive. Linux only in full: on macOS what left the guard's session and
//!   the call's environment and lost its parent is not found (`platform`), and no Mac has tried it yet.
//! * Who kills this process *and* its guards at once (`pkill -9 debate-agent`) leaves the program
//!   running; the next start ends what still carries a call's mark ([`sweep_abandoned`]).
//! * Work handed to somebody else's daemon (docker, systemd-run, an already running tmux) is
//!   outside: it is nobody's descendant, and killed only if it still carries the call's tag.
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

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Name of the variable that carries [`Spec::tag`] in the environment of a program and of
/// everything it starts.
pub const TAG_VARIABLE: &str = "DEBATE_AGENT_CALL";

/// Name of the variable that tells a program how deep under a debate it runs; always `1`, since a
/// debate inside a debate is refused. See [`Depth`].
pub const DEPTH_VARIABLE: &str = "DEBATE_AGENT_DEPTH";

/// Returns the program to be the guard: the running image itself, so that an upgrade on disk in
/// mid-run mixes no versions (Linux), or its path.
pub fn guard_program() -> std::io::Result<PathBuf> {
    platform::guard_program()
}

/// The environment entry that marks the processes of one call.
fn tag_entry(tag: &str) -> String {
    format!("{TAG_VARIABLE}={tag}")
}

/// What to run, as data.
#[derive(Debug, Clone)]
pub struct Spec {
    /// The guard: this binary, see [`guard_program`].
    pub guard: PathBuf,
    /// The program, an absolute path.
    pub program: PathBuf,
    /// Its arguments; nothing untrusted stands here.
    pub args: Vec<String>,
    /// Whether debate-agent refuses to run below it.
    pub depth: Depth,
    /// Its whole environment, but for `PWD`, [`TAG_VARIABLE`] and [`DEPTH_VARIABLE`], which we set.
    pub env: BTreeMap<String, String>,
    /// Its working directory; `PWD` is set to agree.
    pub cwd: PathBuf,
    /// A directory made for this call alone, which the guard removes at its end: it does so
    /// also where the orchestrator is gone and cannot.
    pub scratch: Option<PathBuf>,
    /// What it gets on standard input, which is then closed.
    pub stdin: Vec<u8>,
    /// Identifies the call in the process table, also for descendants that left the session.
    /// Not empty, and never used twice: whoever carries it is killed at the end of the call.
    pub tag: String,
    /// Its limits.
    pub limits: Limits,
}

/// Whether a program counts as one more level of debates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Depth {
    /// It does: it gets [`DEPTH_VARIABLE`], and debate-agent refuses to run below it. An agent, and
    /// whatever else is none of this program's own business.
    Counts,
    /// It does not: it is this program itself, or a client that registers it, asked by the user
    /// whether it works. What the environment already says of the depth stays.
    Free,
}

/// Limits of one run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Wall time, without the time in which the run was paused.
    pub timeout: Duration,
    /// Longest silence on both outputs; `None`: no limit.
    pub idle: Option<Duration>,
    /// From TERM to KILL (5 s).
    pub grace: Duration,
    /// From the leader's exit to the cut of its outputs while descendants live (500 ms).
    pub drain: Duration,
    /// Bytes of standard output (8 MiB).
    pub stdout_bytes: u64,
    /// Bytes of standard error that are kept (1 MiB); more is drained and dropped.
    pub stderr_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            timeout: Duration::from_mins(3),
            idle: None,
            grace: Duration::from_secs(5),
            drain: Duration::from_millis(500),
            stdout_bytes: 8 << 20,
            stderr_bytes: 1 << 20,
        }
    }
}

/// How a run ended. There is no "code or 0".
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "ending", rename_all = "snake_case")]
pub enum Ending {
    /// By itself, with this code.
    Exited {
        /// 0 to 255.
        code: i32,
    },
    /// By a signal that we did not send.
    Signaled {
        /// Its number.
        signal: i32,
    },
    /// We ended it at its time limit.
    TimedOut,
    /// We ended it after too long a silence.
    Idle,
    /// We ended it at its output cap.
    OutputLimit,
    /// We ended it because the run was stopped.
    Cancelled,
    /// It never ran.
    SpawnFailed {
        /// Not there at all (`ENOENT`), as against not executable or no resources.
        not_found: bool,
        /// The system's words.
        message: String,
    },
    /// Its guard died; what it left was swept by us.
    GuardLost,
}

/// What became of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcessResult {
    /// How it ended.
    pub ending: Ending,
    /// Descendants that were still alive after the leader's exit and were killed.
    pub survivors_killed: u32,
    /// Descendants that even KILL did not end within a second (a dead disk, another user's
    /// process). They may still run: say so.
    pub unkillable: u32,
    /// Some of them held an output open beyond the drain window.
    pub leaked_output: bool,
    /// Wall time without pauses.
    pub took: Duration,
    /// Bytes seen on standard output, also beyond the cap.
    pub stdout_seen: u64,
}

/// What the owner of a run wants of it now; sent over a `tokio::sync::watch` channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Control {
    /// Go on.
    #[default]
    Run,
    /// Stop the processes and the timers (SIGTSTP).
    Pause,
    /// TERM, grace, KILL.
    Stop,
    /// KILL now (the second Ctrl-C).
    Kill,
}

/// Takes what the program prints, as it comes. Redaction and spooling live behind it.
pub trait Sink {
    /// Takes a chunk of standard output, at most the cap in all.
    fn stdout(&mut self, chunk: &[u8]);
    /// Takes a chunk of standard error, at most the cap in all.
    fn stderr(&mut self, chunk: &[u8]);
}

/// Keeps all that a program prints, which its limits bound.
#[derive(Debug, Default)]
pub struct OutputBuffer {
    /// Standard output.
    pub stdout: Vec<u8>,
    /// Standard error.
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
