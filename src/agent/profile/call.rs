//! One call: argv, environment and standard input, built from the profile's invocation.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::Limit;
use super::environment::{is_nesting, passed_on};
use crate::agent::roster::agent::Agent;
use crate::config::agents::PromptBy;
use crate::kernel::{Failure, FailureClass};
use crate::text::Note;

/// Counts the nesting depth of calls; a run that finds it above 0 refuses (promise of no
/// recursion).
pub const DEPTH_VAR: &str = "DEBATE_AGENT_DEPTH";

/// One call, ready for a process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreparedCall {
    pub args: Vec<String>,
    /// The whole environment.
    pub env: BTreeMap<String, String>,
    /// Standard input.
    pub stdin: Vec<u8>,
    /// The working directory: an empty one inside the private one, or the repository.
    pub cwd: PathBuf,
    /// Files to write first, readable only by the user.
    pub files: Vec<(PathBuf, String)>,
    /// Notes on doubts about the call's permissions.
    pub notes: Vec<Note>,
}

/// One call, as passed to a profile.
#[derive(Debug, Clone, Copy)]
pub(in crate::agent) struct Call<'a> {
    pub(super) agent: &'a Agent,
    /// The system prompt's file, if this CLI reads one.
    pub(super) system_file: &'a Path,
    pub(super) cwd: &'a Path,
    /// A private folder for temporary files.
    pub(super) tmp: &'a Path,
    /// The variables that are passed through or configured.
    pub(super) env: &'a BTreeMap<String, String>,
}

/// How to start a call of a CLI.
#[derive(Debug, Default)]
pub(in crate::agent) struct Invocation {
    pub(super) args: Vec<String>,
    /// Variables that the configuration may override.
    pub(super) defaults: Vec<(&'static str, String)>,
    /// Variables that keep files out of prompts and switch tools off: nothing overrides them.
    pub(super) fixed: Vec<(&'static str, String)>,
    /// The argument after the configured ones.
    pub(super) last: Option<String>,
    /// The working directory, if not the empty folder.
    pub(super) cwd: Option<PathBuf>,
    /// Files that it reads, in addition to the system prompt.
    pub(super) files: Vec<(PathBuf, String)>,
    /// Notes on doubts about the call's permissions.
    pub(super) notes: Vec<Note>,
}

impl Invocation {
    pub(super) fn of(args: &[&str]) -> Self {
        let args = args.iter().map(|arg| (*arg).to_owned()).collect();
        Self { args, ..Self::default() }
    }

    pub(super) fn with(mut self, flag: &str, value: Option<&str>) -> Self {
        self.args.extend(value.into_iter().flat_map(|value| [flag.to_owned(), value.to_owned()]));
        self
    }
}

/// Checks that the CLI would accept a prompt of this size, and that `most`, the configured limit,
/// allows it.
pub fn check(agent: &Agent, system: &str, prompt: &str, most: u64) -> Result<(), Failure> {
    let head = if agent.cli().system_in_file { "" } else { system };
    let text = headed(head, prompt);
    if u64::try_from(text.len()).unwrap_or(u64::MAX) > most {
        return Err(Failure {
            class: FailureClass::ContextTooLong,
            message: format!(
                "{}: the prompt has {} bytes, `limits.prompt_bytes` allows {most}; no call was made",
                agent.name,
                text.len()
            ),
        });
    }
    check_size(agent, &text)
}

/// Prepares one call inside the private directory `dir`. Whether the CLI would accept the prompt must be tested with
/// [`check`] first.
///
/// Reads the configuration files of a CLI whose MCP servers can only be switched off individually: they belong to the
/// user, and are not part of an agent's identity (its digest).
pub fn prepare(
    agent: &Agent,
    system: &str,
    prompt: &str,
    dir: &Path,
    ambient: &BTreeMap<String, String>,
) -> PreparedCall {
    let (cwd, tmp, system_file) = (dir.join("work"), dir.join("tmp"), dir.join("system.md"));
    let profile = agent.cli();
    let mut env = passed_on(agent, ambient);
    let mut seen = env.clone();
    seen.extend(agent.env.clone());
    let call = Call { agent, system_file: &system_file, cwd: &cwd, tmp: &tmp, env: &seen };
    let invocation = (profile.invocation)(call);
    let told = agent.error_text();
    let system = &format!("{system}{told}");
    let text = headed(if profile.system_in_file { "" } else { system }, prompt);

    let defaults = invocation.defaults.into_iter().chain([("NO_COLOR", "1".to_owned())]);
    for (name, value) in defaults {
        // What the user passes on is the user's setting.
        let set = agent.pass_env.iter().any(|own| own == name) && env.contains_key(name);
        if !set {
            env.insert(name.to_owned(), value);
        }
    }
    env.extend(agent.env.clone());
    let depth = (DEPTH_VAR, "1".to_owned());
    env.extend(invocation.fixed.into_iter().chain([depth]).map(|(k, v)| (k.to_owned(), v)));

    let mut args = invocation.args;
    args.extend(agent.args.iter().cloned());
    args.extend(invocation.last);
    let stdin = match agent.prompt {
        PromptBy::Stdin => text.into_bytes(),
        PromptBy::Argument => {
            args.push(text);
            Vec::new()
        }
    };
    let mut files = invocation.files;
    if profile.system_in_file {
        files.insert(0, (system_file, system.clone()));
    }
    PreparedCall {
        args,
        env,
        stdin,
        cwd: invocation.cwd.unwrap_or(cwd),
        files,
        notes: invocation.notes,
    }
}

/// Returns the first variable in an agent's `pass_env` that its CLI never gets, and why.
pub fn never_passed(agent: &Agent) -> Option<(&str, &'static str)> {
    let anywhere = Path::new("/call/system.md");
    let env = BTreeMap::new();
    let call = Call { agent, system_file: anywhere, cwd: anywhere, tmp: anywhere, env: &env };
    let fixed = (agent.cli().invocation)(call).fixed;
    agent.pass_env.iter().find_map(|name| {
        let is_fixed = name == DEPTH_VAR || fixed.iter().any(|(fixed, _)| fixed == name);
        let why = if is_nesting(name) {
            "it marks a CLI as running inside another agent"
        } else if is_fixed {
            "every call sets it itself"
        } else {
            return None;
        };
        Some((name.as_str(), why))
    })
}

fn headed(system: &str, prompt: &str) -> String {
    let text = if system.is_empty() { prompt.to_owned() } else { format!("{system}\n\n{prompt}") };
    if text.trim_start().starts_with('/') { format!("Prompt:\n\n{text}") } else { text }
}

fn limit(agent: &Agent) -> Option<Limit> {
    match agent.prompt {
        PromptBy::Stdin => agent.cli().limit,
        // The kernel allows 128 KiB in one argument, including its final NUL.
        PromptBy::Argument => Some(Limit::Bytes((128 << 10) - 1)),
    }
}

fn check_size(agent: &Agent, text: &str) -> Result<(), Failure> {
    let (size, most, unit) = match limit(agent) {
        None => return Ok(()),
        Some(Limit::Bytes(most)) => (text.len(), most, "bytes"),
        Some(Limit::Characters(most)) => (text.chars().count(), most, "characters"),
    };
    if size <= most {
        return Ok(());
    }
    let how = match agent.prompt {
        PromptBy::Stdin => "takes",
        PromptBy::Argument => "takes as an argument",
    };
    Err(Failure {
        class: FailureClass::ContextTooLong,
        message: format!(
            "{}: the prompt has {size} {unit}, this CLI {how} at most {most}; no call was made",
            agent.name
        ),
    })
}
