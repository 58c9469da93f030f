//! Asks a CLI for what costs nothing: its version, its help, whether it is logged in.
//!
//! It runs under the guard, with the environment and the empty working directory of a real call.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::sync::watch;

use crate::agent::profile::{self, PreparedCall, Probes};
use crate::agent::roster::Agent;
use crate::config::limits::LimitsConfig;
use crate::env;
use crate::process::{self, Control, Depth, Ending, Limits, OutputBuffer, Spec};

/// The context for asking one agent's CLI.
pub(crate) struct Probe<'a> {
    /// The guard, see [`process::Spec::guard`].
    pub(crate) guard: &'a Path,
    /// The environment variables of this process.
    pub(crate) vars: &'a BTreeMap<String, String>,
    /// The source of the grace period and the output sizes.
    pub(crate) limits: &'a LimitsConfig,
    /// This agent's private folder.
    pub(crate) dir: PathBuf,
    pub(crate) control: watch::Receiver<Control>,
}

impl Probe<'_> {
    pub(crate) fn prepare(&self, agent: &Agent, prompt: &str) -> Result<PreparedCall, String> {
        let system = "Answer briefly.";
        profile::check(agent, system, prompt, u64::MAX).map_err(|failure| failure.message)?;
        let prepared = profile::prepare(agent, system, prompt, &self.dir, self.vars);
        let made = fs::create_dir_all(&prepared.cwd)
            .and_then(|()| fs::create_dir_all(self.dir.join("tmp")))
            .and_then(|()| {
                prepared.files.iter().try_for_each(|(path, text)| fs::write(path, text))
            });
        made.map_err(|error| format!("failed to make {}: {error}", self.dir.display()))?;
        Ok(prepared)
    }

    /// Runs the program with these arguments instead of a call's.
    pub(crate) async fn ask(
        &self,
        agent: &Agent,
        prepared: &PreparedCall,
        args: &[&str],
        at_most: Duration,
    ) -> (Ending, OutputBuffer) {
        let args = args.iter().map(|arg| (*arg).to_owned()).collect();
        let spec = self.spec(agent, prepared, args, Vec::new(), at_most);
        let mut printed = OutputBuffer::default();
        let ran = process::run(&spec, self.control.clone(), &mut printed).await;
        (ran.ending, printed)
    }

    pub(crate) fn spec(
        &self,
        agent: &Agent,
        prepared: &PreparedCall,
        args: Vec<String>,
        stdin: Vec<u8>,
        timeout: Duration,
    ) -> Spec {
        Spec {
            guard: self.guard.to_owned(),
            program: agent.program.clone(),
            args,
            depth: Depth::Counts,
            env: prepared.env.clone(),
            cwd: prepared.cwd.clone(),
            scratch: None,
            stdin,
            tag: env::unique(),
            limits: Limits {
                timeout,
                grace: Duration::from_secs(self.limits.grace_seconds),
                stdout_bytes: self.limits.stdout_bytes,
                ..Limits::default()
            },
        }
    }
}

/// Whether a CLI reports by its own login check that it is logged out. A failed check is no such report.
pub(crate) fn says_logged_out(ending: &Ending, printed: &OutputBuffer, known: Probes) -> bool {
    let solid = |bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes);
        text.split_whitespace().collect::<String>()
    };
    let words = solid(known.logged_out.as_bytes());
    let failed = matches!(ending, Ending::Exited { code } if *code != 0);
    let said = [&printed.stdout, &printed.stderr].map(|bytes| solid(bytes));
    failed && !words.is_empty() && said.iter().any(|said| said.contains(&words))
}
