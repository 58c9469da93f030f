//! Runs the programs of a sink: found like an agent's, under the guard, in a folder of their own, within the sink's
//! time limit.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use tokio::sync::watch;

use super::Target;
use crate::agent::profile;
use crate::agent::roster::{HostRules, find_tool};
use crate::config::sinks::SinkKind;
use crate::env;
use crate::ordered::{BTreeMap, Gather};
use crate::process::{self, Control, Depth, Ending, Limits, OutputBuffer, Spec};
use crate::text::redact::Redactor;
use crate::text::sanitize;

/// The environment for running one sink's programs.
#[derive(Debug, Clone)]
pub(crate) struct Shell<'a> {
    /// The guard, see [`process::guard_program`].
    pub guard: &'a Path,
    /// Which programs may run.
    pub machine: &'a HostRules,
    /// The whole environment of each program.
    pub env: BTreeMap<String, String>,
    /// A private folder for files passed to programs.
    pub dir: &'a Path,
    /// Grace and drain.
    pub limits: Limits,
    pub control: watch::Receiver<Control>,
    /// Removes secrets from messages.
    pub redactor: &'a Redactor,
    /// The end of the sink's time.
    pub until: Instant,
}

#[derive(Debug)]
pub(crate) struct Call<'a> {
    /// Its name on PATH, or its absolute path.
    pub program: &'a str,
    /// Its arguments: from the configuration or from us, never from an agent.
    pub args: Vec<String>,
    /// Its standard input.
    pub stdin: Vec<u8>,
}

/// Maximum output of a program in bytes: a page of comments is some 10 MB at most.
const MOST_PRINTED: u64 = 64 << 20;

/// Why a step failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Failure {
    /// A description in one line, without secrets.
    pub message: String,
    /// The program's standard error, redacted; empty if it did not get that far.
    pub stderr: String,
    /// The program's standard output.
    pub stdout: Vec<u8>,
    /// Whether the same call may succeed a moment later.
    passing: bool,
}

impl Failure {
    /// Creates a failure that a retry does not help.
    pub(crate) fn lasting(message: impl Into<String>) -> Self {
        Self { message: message.into(), stderr: String::new(), stdout: Vec::new(), passing: false }
    }

    /// Creates a failure that may be transient.
    pub(crate) fn passing(message: impl Into<String>) -> Self {
        Self { passing: true, ..Self::lasting(message) }
    }

    /// Whether a retry may help. A server's refusal with a reason stays a refusal.
    pub(crate) fn may_pass(&self) -> bool {
        let refused = |status| matches!(status, 400..500) && ![408, 409, 429].contains(&status);
        self.passing && !self.status().is_some_and(refused)
    }

    /// Returns a server's HTTP status, if the program reports it as `gh` does: `(HTTP 404)`.
    pub(crate) fn status(&self) -> Option<u16> {
        let (_, rest) = self.stderr.rsplit_once("(HTTP ")?;
        rest.split_once(')')?.0.parse().ok()
    }
}

impl Shell<'_> {
    /// Sets another end of time.
    #[must_use]
    pub(crate) fn until(&self, until: Instant) -> Self {
        Self { until, ..self.clone() }
    }

    /// Finds a program.
    ///
    /// # Errors
    /// Why it cannot be run, and how to fix that.
    pub(crate) fn find(&self, program: &str) -> Result<PathBuf, String> {
        find_tool(program, self.machine).map_err(|error| error.to_string())
    }

    /// Runs a program to its end and returns its standard output.
    ///
    /// # Errors
    /// It does not exist, did not exit with 0, or the time is up.
    pub(crate) async fn run(&self, call: Call<'_>) -> Result<Vec<u8>, Failure> {
        self.run_with(call, &[]).await
    }

    /// The same, with additional variables.
    ///
    /// # Errors
    /// As for [`run`](Self::run).
    pub(crate) async fn run_with(
        &self,
        call: Call<'_>,
        own: &[(&str, &str)],
    ) -> Result<Vec<u8>, Failure> {
        let name = Path::new(call.program)
            .file_name()
            .map_or(call.program.into(), |name| name.to_string_lossy());
        let program = self.find(call.program).map_err(Failure::lasting)?;
        let timeout = self.until.saturating_duration_since(Instant::now());
        if timeout.is_zero() {
            return Err(Failure::lasting("its time limit was reached"));
        }
        let spec = Spec {
            guard: self.guard.to_owned(),
            program,
            args: call.args,
            depth: Depth::Counts,
            env: (self.env.clone().into_iter())
                .chain(own.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())))
                .gather(),
            cwd: self.dir.to_owned(),
            scratch: None,
            stdin: call.stdin,
            tag: env::unique(),
            limits: Limits { timeout, stdout_bytes: MOST_PRINTED, ..self.limits },
        };
        let mut printed = OutputBuffer::default();
        let ran = process::run(&spec, self.control.clone(), &mut printed).await;
        let what = match ran.ending {
            Ending::Exited { code: 0 } => return Ok(printed.stdout),
            Ending::Exited { code } => format!("{name} failed (exit {code})"),
            Ending::Signaled { .. } | Ending::GuardLost => format!("{name} {}", ran.ending),
            ending => return Err(Failure::lasting(format!("{name} {ending}"))),
        };
        let stderr = self.redactor.text(&String::from_utf8_lossy(&printed.stderr));
        // bq reports its errors on standard output.
        let said = match stderr.trim() {
            "" => self.redactor.text(&String::from_utf8_lossy(&printed.stdout)),
            _ => stderr.clone(),
        };
        let said = sanitize::line(&said, 300);
        let message = if said.is_empty() { what } else { format!("{what}: {said}") };
        Err(Failure { message, stderr, stdout: printed.stdout, passing: true })
    }

    /// Waits; `false`: the run was stopped in the meantime.
    pub(crate) async fn wait(&self, pause: Duration) -> bool {
        let mut control = self.control.clone();
        let stopped = |control: &Control| matches!(control, Control::Stop | Control::Kill);
        tokio::select! {
            biased;
            _ = control.wait_for(stopped) => false,
            () = tokio::time::sleep(pause) => true,
        }
    }

    /// Writes a file for a program, readable only by the user.
    ///
    /// # Errors
    /// The disk failed.
    pub(crate) fn file(&self, name: &str, bytes: &[u8]) -> Result<PathBuf, Failure> {
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

/// Returns the variables for the programs of a sink.
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
