//! Runs the programs of a sink: found like an agent's, under the guard, in a folder of their own, within the sink's time.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use tokio::sync::watch;

use super::Target;
use crate::agent::profile;
use crate::agent::roster::{Machine, find_tool};
use crate::config::sinks::SinkKind;
use crate::env;
use crate::process::{self, Control, Depth, Ending, Limits, Printed, Spec};
use crate::text::redact::Redactor;
use crate::text::sanitize;

/// What running programs for one sink takes.
#[derive(Debug, Clone)]
pub struct Shell<'a> {
    /// The guard, see [`process::guard_program`].
    pub guard: &'a Path,
    /// Which programs may run.
    pub machine: &'a Machine,
    /// The whole environment of each program.
    pub env: BTreeMap<String, String>,
    /// A private folder, for files that programs are told of.
    pub dir: &'a Path,
    /// Grace and drain.
    pub limits: Limits,
    /// What stops it.
    pub control: watch::Receiver<Control>,
    /// What takes secrets out of what is told.
    pub redactor: &'a Redactor,
    /// When the sink's time is up.
    pub until: Instant,
}

/// One call of a program.
#[derive(Debug)]
pub struct Call<'a> {
    /// Its name on PATH, or its absolute path.
    pub program: &'a str,
    /// Its arguments: of the configuration or of ours, never of an agent.
    pub args: Vec<String>,
    /// What it reads.
    pub stdin: Vec<u8>,
}

/// Most bytes that a program may print: a page of comments is some 10 MB at most.
const MOST_PRINTED: u64 = 64 << 20;

/// Why a step is not done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// What happened, in one line; no secret stands in it.
    pub message: String,
    /// What the program said on standard error, redacted; empty where it did not come to say something.
    pub stderr: String,
    /// What it printed.
    pub stdout: Vec<u8>,
    /// Whether the same call may succeed a moment later.
    passing: bool,
}

impl Failure {
    /// Makes one that a second try does not help against.
    pub fn lasting(message: impl Into<String>) -> Self {
        Self { message: message.into(), stderr: String::new(), stdout: Vec::new(), passing: false }
    }

    /// Makes one that may pass.
    pub fn passing(message: impl Into<String>) -> Self {
        Self { passing: true, ..Self::lasting(message) }
    }

    /// Whether trying again may help. What a server refuses with a reason of its own stays refused.
    pub fn may_pass(&self) -> bool {
        let refused = |status| matches!(status, 400..500) && ![408, 409, 429].contains(&status);
        self.passing && !self.status().is_some_and(refused)
    }

    /// Returns the status that a server answered with, where the program tells it as `gh` does: `(HTTP 404)`.
    pub fn status(&self) -> Option<u16> {
        let (_, rest) = self.stderr.rsplit_once("(HTTP ")?;
        rest.split_once(')')?.0.parse().ok()
    }
}

impl Shell<'_> {
    /// Gives it another time.
    #[must_use]
    pub fn until(&self, until: Instant) -> Self {
        Self { until, ..self.clone() }
    }

    /// Finds a program.
    ///
    /// # Errors
    /// Why it is not run, and how that is mended.
    pub fn find(&self, program: &str) -> Result<PathBuf, String> {
        find_tool(program, self.machine).map_err(|error| error.to_string())
    }

    /// Runs a program to its end and returns what it printed.
    ///
    /// # Errors
    /// It is not there, did not end with 0, or the time is up.
    pub async fn run(&self, call: Call<'_>) -> Result<Vec<u8>, Failure> {
        self.run_with(call, &[]).await
    }

    /// The same, with variables of ours.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub async fn run_with(&self, call: Call<'_>, own: &[(&str, &str)]) -> Result<Vec<u8>, Failure> {
        let name = Path::new(call.program)
            .file_name()
            .map_or(call.program.into(), |name| name.to_string_lossy());
        let program = self.find(call.program).map_err(Failure::lasting)?;
        let timeout = self.until.saturating_duration_since(Instant::now());
        if timeout.is_zero() {
            return Err(Failure::lasting("its time is up"));
        }
        let spec = Spec {
            guard: self.guard.to_owned(),
            program,
            args: call.args,
            depth: Depth::Counts,
            env: (self.env.clone().into_iter())
                .chain(own.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())))
                .collect(),
            cwd: self.dir.to_owned(),
            scratch: None,
            stdin: call.stdin,
            tag: env::unique(),
            limits: Limits { timeout, stdout_bytes: MOST_PRINTED, ..self.limits },
        };
        let mut printed = Printed::default();
        let ran = process::run(&spec, self.control.clone(), &mut printed).await;
        let what = match ran.ending {
            Ending::Exited { code: 0 } => return Ok(printed.stdout),
            Ending::Exited { code } => format!("{name} failed (exit {code})"),
            Ending::Signaled { signal } => format!("{name} was ended by signal {signal}"),
            Ending::TimedOut | Ending::Idle => {
                return Err(Failure::lasting(format!("{name} did not end in time")));
            }
            Ending::Cancelled => return Err(Failure::lasting(format!("{name} was stopped"))),
            Ending::OutputLimit => {
                return Err(Failure::lasting(format!("{name} printed too much")));
            }
            Ending::SpawnFailed { message, .. } => {
                return Err(Failure::lasting(format!("{name} did not start: {message}")));
            }
            Ending::GuardLost => format!("the guard of {name} died"),
        };
        let stderr = self.redactor.text(&String::from_utf8_lossy(&printed.stderr));
        // bq tells its errors on standard output.
        let said = match stderr.trim() {
            "" => self.redactor.text(&String::from_utf8_lossy(&printed.stdout)),
            _ => stderr.clone(),
        };
        let said = sanitize::line(&said, 300);
        let message = if said.is_empty() { what } else { format!("{what}: {said}") };
        Err(Failure { message, stderr, stdout: printed.stdout, passing: true })
    }

    /// Waits; `false`: the run was stopped meanwhile.
    pub async fn wait(&self, pause: Duration) -> bool {
        let mut control = self.control.clone();
        let stopped = |control: &Control| matches!(control, Control::Stop | Control::Kill);
        tokio::select! {
            biased;
            _ = control.wait_for(stopped) => false,
            () = tokio::time::sleep(pause) => true,
        }
    }

    /// Writes a file for a program to read, for the user alone.
    ///
    /// # Errors
    /// The disk.
    pub fn file(&self, name: &str, bytes: &[u8]) -> Result<PathBuf, Failure> {
        use std::io::Write as _;
        use std::os::unix::fs::OpenOptionsExt as _;
        let path = self.dir.join(name);
        let write = || {
            let mut options = std::fs::OpenOptions::new();
            options.write(true).create(true).truncate(true).mode(0o600);
            options.open(&path)?.write_all(bytes)
        };
        write().map_err(|error| {
            Failure::lasting(format!("failed to write {}: {error}", path.display()))
        })?;
        Ok(path)
    }
}

/// Returns the variables that the programs of a sink get.
pub(super) fn variables(
    target: &Target<'_>,
    ambient: &BTreeMap<String, String>,
) -> BTreeMap<String, String> {
    const GOOGLE: &[&str] = &["CLOUDSDK_*", "GOOGLE_*", "BIGQUERYRC"];
    let own: &[&str] = match target.kind {
        SinkKind::Github | SinkKind::Command => &[],
        SinkKind::Bigquery | SinkKind::Gcs | SinkKind::VertexRag => GOOGLE,
    };
    let mut env = profile::passed(own, &target.config.pass_env, ambient);
    match target.kind {
        SinkKind::Github => env.extend(super::github::variables(ambient)),
        SinkKind::Bigquery | SinkKind::Gcs | SinkKind::VertexRag => {
            env.insert("CLOUDSDK_CORE_DISABLE_PROMPTS".to_owned(), "1".to_owned());
        }
        SinkKind::Command => {}
    }
    env
}
