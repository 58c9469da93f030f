//! Programs that are run for their output, apart from agents and tests: gh, lizard, the clients of the server.

use std::path::PathBuf;
use std::time::Duration;

use tokio::sync::watch;

use crate::env;
use crate::git::{self, Git};
use crate::process::{self, Control, Depth, Ending, Limits, OutputBuffer, Spec};
use crate::sink::github_variables;
use crate::text::redact::Redactor;
use crate::text::sanitize;

/// Runs `gh` in a repository and returns what it printed, without secrets. The git that it starts for the remotes runs
/// nothing of the repository.
///
/// # Errors
/// Why there is nothing to read, for people.
pub(crate) async fn gh(
    git: &Git,
    program: PathBuf,
    args: &[&str],
    timeout: Duration,
    redactor: &Redactor,
) -> Result<Vec<u8>, String> {
    let host = git.host();
    let mut env = git::variables(&host.vars, git.root());
    env.extend(github_variables(&host.vars));
    let spec = Spec {
        guard: host.guard.clone(),
        program,
        args: args.iter().map(|arg| (*arg).to_owned()).collect(),
        depth: Depth::Counts,
        env,
        cwd: git.root().to_owned(),
        scratch: None,
        stdin: Vec::new(),
        tag: format!("{}-gh", env::unique()),
        limits: Limits { timeout, ..host.limits },
    };
    let what = format!("gh {}", args.iter().take(2).copied().collect::<Vec<_>>().join(" "));
    run(&what, &spec, host.control.clone(), redactor).await
}

/// Runs a program to its end and returns what it printed, without secrets; `what` names the call.
///
/// # Errors
/// Why there is nothing to read, for people.
pub(crate) async fn run(
    what: &str,
    spec: &Spec,
    control: watch::Receiver<Control>,
    redactor: &Redactor,
) -> Result<Vec<u8>, String> {
    let mut printed = OutputBuffer::default();
    let ran = process::run(spec, control, &mut printed).await;
    Err(match ran.ending {
        Ending::Exited { code: 0 } => return Ok(redactor.bytes(&printed.stdout)),
        Ending::Exited { code } => {
            let words = String::from_utf8_lossy(&printed.stderr).into_owned();
            let words = sanitize::line(&redactor.text(&words), 300);
            format!("`{what}` failed (exit {code}): {words}")
        }
        ending => format!("`{what}` {ending}"),
    })
}
