//! Resolves the configured agents and roles to programs that can be started.
//!
//! A program is looked up once, to an absolute path, and only where nobody but the user and the
//! machine's administrators can have put it: a program that a repository or another account could
//! have planted is never run. Everything that this depends on is passed in as [`HostRules`].

pub(super) mod agent;
mod program;
#[cfg(test)]
mod tests;

pub use agent::Agent;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

pub use program::{HostRules, ToolError, find_tool, trusted_groups};

use super::dangerous;
use super::profile::{PROFILES, never_passed};
use crate::config::agents::{AgentConfig, OutputConfig, ProfileName, PromptBy, RoleConfig};
use crate::journal::key;
use crate::kernel::Usd;

/// Why an agent cannot be used. Each names the agent, the fault and how to fix it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RosterError {
    #[error("the agent `{agent}` is not configured: add `agents.{agent}`, or name another one")]
    UnknownAgent { agent: String },
    #[error("role `{role}` has no agent: set `roles.{role}.agent`")]
    NoAgent { role: String },
    /// The agent's `name` is not its key.
    #[error(
        "agent `{agent}` calls itself `{name}`: remove `agents.{agent}.name` or make it `{agent}`"
    )]
    NameDiffers { agent: String, name: String },
    #[error(
        "agent `{agent}`: no program `{program}` {place}: install it, or set `agents.{agent}.path` (`debate-agent doctor` looks in the usual places)"
    )]
    NotFound { agent: String, program: String, place: String },
    #[error("agent `{agent}`: {path} is not an executable file: `chmod +x` it, or set `agents.{agent}.path`", path = path.display())]
    NotExecutable { agent: String, path: PathBuf },
    #[error(
        "agent `{agent}`: the path `{path}` is relative, so it would depend on the working directory: set `agents.{agent}.path` to an absolute path or a bare name"
    )]
    Relative { agent: String, path: String },
    #[error("agent `{agent}`: {path} lies inside the workspace, so the repository could have brought it: install it elsewhere and set `agents.{agent}.path`", path = path.display())]
    InWorkspace { agent: String, path: PathBuf },
    #[error("agent `{agent}`: {path} can be replaced by {whom}, because {place} is writable for them: move the program, or `chmod {mend} {place}`", path = path.display(), place = place.display())]
    Replaceable { agent: String, path: PathBuf, place: PathBuf, whom: String, mend: &'static str },
    #[error(
        "agent `{agent}`: permissions or a sandbox would be switched off, or MCP servers started, by {found}: remove it from `agents.{agent}` (only `limits.allow_dangerous` in your own configuration file permits it)"
    )]
    Dangerous { agent: String, found: String },
    #[error(
        "agent `{agent}`: `{name}` in `agents.{agent}.pass_env` cannot be passed on, because {why}: remove it there"
    )]
    NotPassed { agent: String, name: String, why: &'static str },
    #[error(
        "agent `{agent}`: this CLI has no setting for reasoning effort: remove `agents.{agent}.effort`"
    )]
    NoEffort { agent: String },
    #[error(
        "agent `{agent}` cannot be given access to the repository: {why}; set `read_repo` to false or leave this agent out"
    )]
    CannotRead { agent: String, why: String },
}

/// Default time limit of one attempt (`docs/how-it-works.md`).
const TIMEOUT: Duration = Duration::from_mins(3);

impl Agent {
    /// Resolves a configured agent, with the overrides of its role.
    pub fn resolve(
        name: &str,
        config: &AgentConfig,
        role: Option<&RoleConfig>,
        machine: &HostRules,
        allow_dangerous: bool,
    ) -> Result<Self, RosterError> {
        if let Some(own) = config.name.as_deref().filter(|own| *own != name) {
            return Err(RosterError::NameDiffers { agent: name.to_owned(), name: own.to_owned() });
        }
        let profile = config.profile.unwrap_or_else(|| guess(&config.path));
        let cli = profile.profile();
        let dangerous = dangerous::find(profile, &config.args, &config.env);
        if !dangerous.is_empty() && !allow_dangerous {
            return Err(RosterError::Dangerous {
                agent: name.to_owned(),
                found: dangerous.join(", "),
            });
        }
        if config.effort.is_some() && !cli.has_effort {
            return Err(RosterError::NoEffort { agent: name.to_owned() });
        }
        let program = program::locate(name, &config.path, machine)?;
        let model = role.and_then(|role| role.model.clone()).or_else(|| config.model.clone());
        let seconds = role.and_then(|role| role.timeout_seconds).or(config.timeout_seconds);
        let mut agent = Self {
            name: name.to_owned(),
            program,
            profile,
            vendor: vendor(name, config, model.as_deref()),
            model,
            effort: config.effort.clone(),
            args: cli.without_implied(&config.args),
            env: config.env.clone(),
            pass_env: config.pass_env.clone(),
            timeout: seconds.map_or(TIMEOUT, Duration::from_secs),
            timeout_is_usual: seconds.is_none(),
            idle: config.idle_timeout_seconds.map(Duration::from_secs),
            max_parallel: config.max_parallel,
            declared_cost: config.declared_cost_usd,
            prompt: config.prompt.unwrap_or(PromptBy::Stdin),
            output: config.output.clone().unwrap_or_else(|| cli.output()),
            dangerous,
            rehearsal: false,
            reads: None,
            digest: String::new(),
        };
        if let Some((name, why)) = never_passed(&agent) {
            let (agent, name) = (agent.name.clone(), name.to_owned());
            return Err(RosterError::NotPassed { agent, name, why });
        }
        agent.digest = agent.digested();
        Ok(agent)
    }

    /// Creates the stand-in that plays `role` without asking a model: this binary, started as an
    /// agent.
    ///
    /// Each role's stand-in counts as a vendor of its own, so that the rule about the critic's vendor
    /// applies in a rehearsal as in a real run.
    pub fn rehearsal(role: &str, guard: &Path) -> Self {
        let mut agent = Self {
            name: "rehearsal".to_owned(),
            program: guard.to_owned(),
            profile: ProfileName::Generic,
            vendor: format!("rehearsal-{role}"),
            model: None,
            effort: None,
            args: vec!["__rehearse".to_owned()],
            env: BTreeMap::new(),
            pass_env: Vec::new(),
            timeout: TIMEOUT,
            timeout_is_usual: true,
            idle: None,
            max_parallel: None,
            declared_cost: Some(Usd::ZERO),
            prompt: PromptBy::Stdin,
            output: OutputConfig::default(),
            dangerous: Vec::new(),
            rehearsal: true,
            reads: None,
            digest: String::new(),
        };
        agent.digest = agent.digested();
        agent
    }

    /// Creates a part of this program that is asked like an agent: it costs nothing, and nobody else steps in. `guard`: this
    /// program; `argument`: what makes it that part.
    pub fn tool(name: &str, guard: &Path, argument: &str, timeout: Duration) -> Self {
        let mut agent = Self {
            name: name.to_owned(),
            vendor: name.to_owned(),
            args: vec![argument.to_owned()],
            timeout,
            max_parallel: Some(1),
            rehearsal: false,
            ..Self::rehearsal(name, guard)
        };
        agent.digest = agent.digested();
        agent
    }

    /// Whether it is this program itself, and no CLI.
    pub fn is_own(&self) -> bool {
        self.args.first().is_some_and(|argument| argument.starts_with("__"))
    }

    /// Creates a placeholder for an agent named in a journal, for reading its session: it has no
    /// program and is never started.
    pub fn recorded(name: &str, vendor: &str) -> Self {
        Self {
            name: name.to_owned(),
            vendor: vendor.to_owned(),
            ..Self::rehearsal("", Path::new(""))
        }
    }

    /// Hashes the parts of the configuration that can change an answer. The program's path and the
    /// values of variables are left out: the former differs between machines, the latter may be
    /// secret.
    pub(super) fn digested(&self) -> String {
        let names: Vec<&String> = self.env.keys().chain(&self.pass_env).collect();
        let mut parts = serde_json::json!({
            "profile": self.profile,
            "model": self.model,
            "effort": self.effort,
            "args": self.args,
            "env": names,
            "output": self.output,
        });
        if self.reads.is_some() {
            parts["reads"] = true.into();
        }
        key::sha(parts.to_string().as_bytes())
    }
}

/// Returns an agent's configured vendor, whether or not its program is installed. `model`: the model asked for.
pub fn vendor(name: &str, config: &AgentConfig, model: Option<&str>) -> String {
    let profile = config.profile.unwrap_or_else(|| guess(&config.path));
    let configured = config.vendor.clone();
    configured.unwrap_or_else(|| profile.profile().vendor(name, model))
}

/// Names an agent's seats in a session of one vendor, in turn: `claude:opus` and `claude:sonnet`; with one model
/// `codex` and `codex#2`. No configured agent has such a name. `own`: the model that the seat's role asks for.
pub fn name_of_seat(name: &str, config: &AgentConfig, own: Option<&str>, seat: usize) -> String {
    let profile = config.profile.unwrap_or_else(|| guess(&config.path));
    let configured = config.model.as_deref();
    let models: Vec<&str> = if config.models.is_empty() {
        let pair = profile.profile().models.iter().copied();
        let other = pair.filter(|one| configured.is_none_or(|model| !model.contains(one)));
        configured.into_iter().chain(other).collect()
    } else {
        config.models.iter().map(String::as_str).collect()
    };
    let model = own.or_else(|| models.get(seat % models.len().max(1)).copied());
    let named = model.map_or_else(|| name.to_owned(), |model| format!("{name}:{model}"));
    let alone = own.is_some() || models.len() < 2;
    if alone && seat > 0 { format!("{named}#{}", seat + 1) } else { named }
}

/// Returns the key in the configuration and the model of a seat's agent, by its name.
pub fn key_and_model(name: &str) -> (&str, Option<&str>) {
    let key = name.split_once('#').map_or(name, |(key, _)| key);
    key.split_once(':').map_or((key, None), |(key, model)| (key, Some(model)))
}

/// Guesses the profile from the program's file name: `claude`, `claude-2.1`, `codex.js`.
pub fn guess(path: &str) -> ProfileName {
    let name = Path::new(path)
        .file_name()
        .map(|name| name.to_string_lossy().to_lowercase())
        .unwrap_or_default();
    let stem = name.split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default();
    let known = PROFILES.iter().find(|profile| profile.probes.program == stem);
    known.map_or(ProfileName::Generic, |profile| profile.name)
}

/// The agents of one role.
#[derive(Debug, Clone, PartialEq)]
pub struct Assignment {
    /// The agent that should answer.
    pub agent: Agent,
    pub fallbacks: Vec<Agent>,
}

/// The agents of a debate, by role.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Roster {
    assignments: BTreeMap<String, Assignment>,
    /// Parts of this program that are asked like agents, and have no seat.
    tools: BTreeMap<String, Assignment>,
}

impl Roster {
    /// Creates a roster from casts that were resolved individually.
    pub fn of(casts: BTreeMap<String, Assignment>) -> Self {
        Self { assignments: casts, tools: BTreeMap::new() }
    }

    /// The same, with a part of this program that is asked like an agent, and has no seat.
    #[must_use]
    pub fn with_tool(mut self, agent: Agent) -> Self {
        let name = agent.name.clone();
        self.tools.insert(name, Assignment { agent, fallbacks: Vec::new() });
        self
    }

    pub fn cast(&self, role: &str) -> Option<&Assignment> {
        self.assignments.get(role).or_else(|| self.tools.get(role))
    }

    /// Returns the tools by their names.
    pub fn tools(&self) -> impl Iterator<Item = (&str, &Assignment)> {
        self.tools.iter().map(|(name, tool)| (name.as_str(), tool))
    }

    /// Returns every role with its cast, by the role's name.
    pub fn casts(&self) -> impl Iterator<Item = (&str, &Assignment)> {
        self.assignments.iter().map(|(role, cast)| (role.as_str(), cast))
    }
}
