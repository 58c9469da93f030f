//! Runs the configured test command, if there is one, and looks for failing tests.
//!
//! The command is the user's own, or one of the project's that the user has trusted. It runs quietly in the root,
//! with the user's environment minus the credentials of the AI CLIs, under a time limit and with bounded output. It
//! runs the project's code anyway, so it does not matter where its program is: one from the project's own environment
//! (`.venv/bin/pytest`) is fine.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::context::Context;
use crate::agent::profile;
use crate::app::run::guard::guard;
use crate::app::run::launch::Tee;
use crate::app::run::workspace::Workspace;
use crate::config::trust::AgentUse;
use crate::discovery::failures::gather::{CommandRun, Input, gather};
use crate::discovery::finding::{AgentName, AgentRun};
use crate::env;
use crate::error::Error;
use crate::ordered::{BTreeMap, BTreeSet, Gather};
use crate::process::{self, Ending, Limits, ProcessResult, Sink, Spec, program};
use crate::skill::SkillSet;
use crate::text::redact::Redactor;
use crate::text::sanitize;

/// Refuses an untrusted test command that comes from the project.
///
/// # Errors
/// [`Kind::Trust`](crate::error::Kind::Trust) with the keys concerned.
pub(super) fn check_trust(workspace: &Workspace) -> Result<(), Error> {
    if workspace.effective.config.discovery.test_command.is_none() {
        return Ok(());
    }
    workspace.require_trust(&SkillSet::new(), AgentUse::TestCommand)
}

/// Runs the test command, if one is configured, reads the test reports, and returns the findings.
pub(crate) async fn run(context: &Context<'_>) -> AgentRun {
    let agent = AgentRun::new(AgentName::TestFailures);
    let workspace = context.workspace;
    // The use case checks before anything runs; this is a second check of the same condition.
    if let Err(error) = check_trust(workspace) {
        return agent.failed(error.what);
    }
    let settings = &workspace.effective.config.discovery;
    let command = match &settings.test_command {
        Some(words) => Some(run_tests(context, words).await),
        None => None,
    };
    if context.switch.stopped().is_some() {
        return agent.failed("stopped");
    }
    let input = Input {
        root: context.root.clone(),
        names: context.tree.files.iter().map(|file| file.name.clone()).collect(),
        head: context.head,
        exclude: settings.exclude.clone(),
        command,
    };
    let gathered = tokio::task::spawn_blocking(move || gather(&input)).await;
    let mut run = match gathered {
        Ok(run) => run,
        Err(error) => {
            return agent
                .failed(format!("the reader of test reports stopped unexpectedly: {error}"));
        }
    };
    if context.switch.stopped().is_some() {
        return run.failed("stopped");
    }
    redact(&mut run, &workspace.redactor());
    run
}

/// Redacts secrets in the findings' texts and in the error.
fn redact(run: &mut AgentRun, redactor: &Redactor) {
    for finding in &mut run.findings {
        finding.title = redactor.text(&finding.title);
        finding.description = redactor.text(&finding.description);
        for evidence in &mut finding.evidence {
            evidence.content = redactor.text(&evidence.content);
        }
    }
    run.error = run.error.take().map(|error| redactor.text(&error));
}

async fn run_tests(context: &Context<'_>, words: &[String]) -> CommandRun {
    let mut run = CommandRun {
        shown: sanitize::line(&words.join(" "), 200),
        started: context.workspace.env().now(),
        ending: Err(String::new()),
        stdout: Vec::new(),
        stderr: Vec::new(),
    };
    let spec = match spec(context, words) {
        Ok(spec) => spec,
        Err(why) => {
            run.ending = Err(why);
            return run;
        }
    };
    let redactor = context.workspace.redactor();
    let mut kept = OutputBuffer::default();
    let mut tee = Tee::new(&redactor, None, &mut kept);
    let ran = process::run(&spec, context.switch.listen(), &mut tee).await;
    tee.finish();
    run.ending = ending(&ran, &spec.limits, kept.stderr_bytes);
    run.stdout = kept.stdout;
    run.stderr = kept.stderr;
    run
}

fn spec(context: &Context<'_>, words: &[String]) -> Result<Spec, String> {
    let workspace = context.workspace;
    let config = &workspace.effective.config;
    let (name, args) = words.split_first().ok_or_else(|| "names no program".to_owned())?;
    let path = workspace.around.var("PATH").unwrap_or_default();
    let program = find(name, path, &context.root)?;
    let guard = guard().map_err(|error| error.what)?;
    Ok(Spec {
        guard,
        program,
        args: args.to_vec(),
        depth: process::Depth::Counts,
        env: environment(workspace),
        cwd: context.root.clone(),
        scratch: None,
        stdin: Vec::new(),
        tag: format!("debate-agent/{}", env::unique()),
        limits: Limits {
            timeout: Duration::from_secs(config.discovery.test_timeout_seconds),
            grace: Duration::from_secs(config.limits.grace_seconds),
            stdout_bytes: config.limits.stdout_bytes,
            ..Limits::default()
        },
    })
}

/// Returns the user's environment minus the credentials of the AI CLIs, including those that the configuration gives
/// to agents.
fn environment(workspace: &Workspace) -> BTreeMap<String, String> {
    let agents = workspace.effective.config.agents.values();
    let given: BTreeSet<&str> =
        agents.flat_map(|agent| &agent.pass_env).map(String::as_str).gather();
    let vars = workspace.around.vars.iter();
    vars.filter(|(name, _)| !profile::is_credential(name) && !given.contains(name.as_str()))
        .map(|(name, value)| (name.clone(), value.clone()))
        .gather()
}

/// Finds a program: on PATH by its absolute entries, or relative to the root.
fn find(name: &str, path: &str, root: &Path) -> Result<PathBuf, String> {
    if name.contains('/') {
        let program = root.join(name);
        let is_program = program
            .metadata()
            .is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0);
        return if is_program {
            Ok(program)
        } else {
            Err(format!(
                "could not be run: {} is not there, or is not a program",
                program.display()
            ))
        };
    }
    program::find(name, path).ok_or_else(|| {
        format!("could not be run: there is no `{name}` on PATH; fix `discovery.test_command`")
    })
}

/// Returns the exit code of the command, or why its ending gives no result.
fn ending(ran: &ProcessResult, limits: &Limits, stderr_seen: u64) -> Result<i32, String> {
    let seconds = limits.timeout.as_secs();
    match &ran.ending {
        Ending::Exited { code } if *code != 0 && stderr_seen >= limits.stderr_bytes => {
            Err(format!(
                "ended with exit code {code} and printed more than {} bytes to standard error, which were not all \
             kept",
                limits.stderr_bytes
            ))
        }
        Ending::Exited { code } => Ok(*code),
        Ending::TimedOut => Err(format!(
            "did not end within {seconds} s (`discovery.test_timeout_seconds`) and was stopped"
        )),
        Ending::Idle | Ending::Lingering => {
            Err("was silent for too long and was stopped".to_owned())
        }
        Ending::OutputLimit => Err(format!(
            "printed more than {} bytes (`limits.stdout_bytes`) and was stopped",
            limits.stdout_bytes
        )),
        ending => Err(ending.to_string()),
    }
}

/// Collects the command's output; the runner limits both streams.
#[derive(Debug, Default)]
struct OutputBuffer {
    stdout: Vec<u8>,
    stderr: Vec<u8>,
    stderr_bytes: u64,
}

impl Sink for OutputBuffer {
    fn stdout(&mut self, chunk: &[u8]) {
        self.stdout.extend_from_slice(chunk);
    }

    fn stderr(&mut self, chunk: &[u8]) {
        self.stderr_bytes += chunk.len() as u64;
        self.stderr.extend_from_slice(chunk);
    }
}
