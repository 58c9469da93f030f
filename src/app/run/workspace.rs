//! The basis of every use case: the project's folder, configuration, skills, trust, secrets and session store.

use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use super::launch::{Launch, Processes};
use super::roles;
use super::signals::Stops;
use crate::agent::roster::{Agent, HostRules, trusted_groups};
use crate::app::trust::Candidates;
use crate::config::agents::{AgentConfig, BUILT_IN};
use crate::config::key::KeyPath;
use crate::config::load::{Effective, Flag, Request};
use crate::config::store::TrustStore;
use crate::config::trust::{self, AgentUse, TrustRefusal};
use crate::env::{self, Env};
use crate::error::{Error, Kind};
use crate::ordered::{BTreeMap, BTreeSet, Gather};
use crate::session::{Fs, RealFs, Store};
use crate::skill::{self, SkillSet};
use crate::text::redact::{Redactor, variables};
use crate::{config, process};

/// The start context of the program: its folder, user and environment. Read once, at the outer edge.
#[derive(Debug, Clone)]
pub struct StartContext {
    /// The working directory, absolute.
    pub dir: PathBuf,
    /// The file given with `--config FILE`.
    pub config: Option<PathBuf>,
    /// The keys set with `--set KEY=VALUE`.
    pub set: Vec<String>,
    /// Where the project is read, if not in the working directory.
    pub checkout: Option<Checkout>,
    /// The environment variables of the process.
    pub vars: BTreeMap<String, String>,
    /// The user's group, for the check of program folders.
    pub group: u32,
    /// The text of `/etc/group`, if there is one.
    pub groups: String,
    /// Whether an ancestor of this process runs under a guard of debate-agent's.
    pub nested: bool,
    /// The clock and the source of randomness.
    pub env: Env,
}

/// A commit of a project, checked out in a place of our own: its configuration and prompts count, not those of the
/// project's working tree. Sessions are kept in the project.
#[derive(Debug, Clone)]
pub struct Checkout {
    /// Its top, canonical.
    pub dir: PathBuf,
    /// The root of the project, canonical.
    pub of: PathBuf,
    /// The folder of the project's sessions, absolute.
    pub sessions: String,
}

impl StartContext {
    /// Makes one of a working directory (absolute), variables and a clock alone, with nothing of this process. Of the
    /// variables `HOME`, `PATH`, `XDG_*` and `DEBATE_AGENT_*` count, and agents get what their CLIs need of the others.
    pub fn of(dir: impl Into<PathBuf>, vars: BTreeMap<String, String>, env: Env) -> Self {
        Self {
            dir: dir.into(),
            config: None,
            set: Vec::new(),
            checkout: None,
            vars,
            group: 0,
            groups: String::new(),
            nested: false,
            env,
        }
    }

    /// Reads the start context of this process. `config`: a configuration file, relative to the working directory;
    /// `set`: keys of the configuration, as `KEY=VALUE`.
    ///
    /// # Errors
    /// There is no working directory.
    pub fn here(env: Env, config: Option<&Path>, set: &[String]) -> Result<Self, Error> {
        let dir = std::env::current_dir().map_err(|error| {
            Error::new(Kind::Environment, "failed to find the working directory").because(error)
        })?;
        Ok(Self {
            config: config.map(|file| dir.join(file)),
            set: set.to_vec(),
            checkout: None,
            dir,
            vars: env::all_vars(),
            group: rustix::process::getgid().as_raw(),
            groups: std::fs::read_to_string("/etc/group").unwrap_or_default(),
            nested: process::under_guard(),
            env,
        })
    }

    /// Returns a variable if it is set and not empty.
    pub fn var(&self, name: &str) -> Option<&str> {
        self.vars.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// Returns the user's home; `/` if it is unknown.
    pub fn home(&self) -> PathBuf {
        self.var("HOME").map_or_else(|| PathBuf::from("/"), PathBuf::from)
    }

    /// Returns the folder for state that belongs to no project: `$XDG_STATE_HOME/debate-agent`.
    pub fn state_dir(&self) -> PathBuf {
        self.var("XDG_STATE_HOME")
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
            .unwrap_or_else(|| self.home().join(".local/state"))
            .join("debate-agent")
    }

    /// Refuses to run inside an agent started by debate-agent: an agent calling debate-agent would spend money on its
    /// own.
    ///
    /// # Errors
    /// The depth variable is set, to any value, or this process has one of debate-agent's guards above it, which a
    /// program cannot hide by not passing variables on.
    pub fn refuse_nesting(&self) -> Result<(), Error> {
        let (why, hint) = if self.var(process::DEPTH_VARIABLE).is_some() {
            (
                "DEBATE_AGENT_DEPTH is set",
                "start it outside a debate; if it is, unset DEBATE_AGENT_DEPTH",
            )
        } else if self.nested {
            (
                "a running debate is above it in the process tree",
                "start it outside a debate; an agent that is asked cannot convene others, either by a command or through an MCP server",
            )
        } else {
            return Ok(());
        };
        Err(Error::new(
            Kind::Trust,
            format!(
                "debate-agent was started by an agent of debate-agent ({why}), which is refused"
            ),
        )
        .named("nested")
        .hint(hint))
    }
}

/// A project and its configuration.
#[derive(Debug)]
pub struct Workspace {
    /// The start context.
    pub around: StartContext,
    /// The effective configuration, including agents that are available without being configured.
    pub effective: Effective,
    /// The agents without a configuration; they take part only if named.
    pub(crate) unconfigured: BTreeSet<String>,
    /// The file system that sessions are stored on.
    pub(crate) fs: Arc<dyn Fs>,
    /// The launcher of a debate's agents.
    pub(crate) launch: Rc<dyn Launch>,
    /// The source of stop requests for its runs.
    pub(crate) stops: Stops,
}

impl Workspace {
    /// Opens the project of a start context: reads its configuration, which its `set` and then `flags` override.
    ///
    /// # Errors
    /// A layer cannot be read or is invalid; the error names the place.
    pub fn open(around: StartContext, flags: Vec<Flag>) -> Result<Self, Error> {
        let mut dir = around.dir.clone();
        let mut own = Vec::new();
        if let Some(Checkout { dir: top, of, sessions }) = &around.checkout {
            let below = dir.canonicalize().ok();
            let below = below.and_then(|dir| Some(top.join(dir.strip_prefix(of).ok()?)));
            dir = below.filter(|dir| dir.is_dir()).unwrap_or_else(|| top.clone());
            let flag = |keys: [&str; 2], value| Flag {
                name: "--pr".to_owned(),
                path: KeyPath::of(keys),
                value,
            };
            own.push(flag(["paths", "debate"], sessions.as_str().into()));
            // What it would ask about is gone when the run ends.
            own.push(flag(["trust", "ask"], false.into()));
        }
        let effective = config::set::read(&around.set)
            .and_then(|set| {
                config::load(&Request {
                    dir,
                    file: around.config.clone(),
                    vars: around.vars.clone(),
                    flags: [set, flags, own].concat(),
                })
            })
            .map_err(|error| crate::app::config::refused(&error))?;
        let place = around.checkout.as_ref().map_or(&effective.root, |checkout| &checkout.of);
        let mut workspace = Self {
            fs: Arc::new(RealFs::below(place)),
            around,
            effective,
            unconfigured: BTreeSet::new(),
            launch: Rc::new(Processes),
            stops: Stops::default(),
        };
        workspace.add_built_in();
        Ok(workspace)
    }

    /// Adds the CLIs with a built-in profile that are on PATH.
    fn add_built_in(&mut self) {
        let machine = self.machine();
        let config = &mut self.effective.config;
        for (name, profile) in BUILT_IN {
            let agent = AgentConfig {
                path: name.to_owned(),
                profile: Some(profile),
                timeout_seconds: config.limits.own_timeout(),
                ..AgentConfig::default()
            };
            let is_here = || Agent::resolve(name, &agent, None, &machine, false).is_ok();
            if !config.agents.contains_key(name) && is_here() {
                config.agents.insert(name.to_owned(), agent);
                self.unconfigured.insert(name.to_owned());
            }
        }
    }

    /// Uses another source of stop requests for this workspace's runs, instead of the signals of this process.
    #[must_use]
    pub fn stopped_by(mut self, stops: Stops) -> Self {
        self.stops = stops;
        self
    }

    /// Uses another file system for sessions and another launcher for agents: tests use it to try every fault of both
    /// on the real use cases.
    #[must_use]
    pub fn on(mut self, fs: Arc<dyn Fs>, launch: Rc<dyn Launch>) -> Self {
        self.fs = fs;
        self.launch = launch;
        // With another launcher there are no CLIs that could be asked.
        self.effective.config.limits.check_logins = false;
        self
    }

    /// Returns the project's root.
    pub fn root(&self) -> &Path {
        &self.effective.root
    }

    /// Returns the root of the project that sessions are kept in: that of the [checkout](Checkout), if it is one.
    pub(crate) fn place(&self) -> &Path {
        self.around.checkout.as_ref().map_or(self.root(), |checkout| &checkout.of)
    }

    /// Reads what the user trusts.
    fn trusted(&self) -> Result<TrustStore, Error> {
        let store = TrustStore::open(&self.around.vars).map_err(|error| {
            Error::new(Kind::State, "failed to read what you trust").because(error)
        })?;
        let checkout = self.around.checkout.as_ref();
        Ok(match checkout {
            Some(checkout) => store.with_checkout(&checkout.dir, &checkout.of),
            None => store,
        })
    }

    /// Loads the skills of roles.
    ///
    /// # Errors
    /// A skill cannot be read, or its front matter is wrong.
    pub fn skills(&self, roles: &[&str]) -> Result<SkillSet, Error> {
        let mut skills = skill::load(&self.effective, roles.iter().copied())
            .map_err(|error| Error::new(Kind::Config, error.to_string()).named("skill"))?;
        let redactor = self.redactor();
        for skill in skills.values_mut() {
            skill.prompt = redactor.text(&skill.prompt);
        }
        Ok(skills)
    }

    /// Refuses whatever the project brings that the user has not trusted.
    ///
    /// # Errors
    /// [`Kind::Trust`] with the keys and files concerned.
    pub fn require_trust(&self, skills: &SkillSet, used: AgentUse) -> Result<(), Error> {
        let store = self.trusted()?;
        trust::check(&self.effective, skills, &store, used).map_err(|untrusted| {
            Error::new(Kind::Trust, untrusted.to_string())
                .named("untrusted")
                .hint(TrustRefusal::HINT)
        })
    }

    /// Whether the project's configuration would hide something from a review without the user's consent.
    pub(crate) fn hides_untrusted(&self) -> bool {
        let store = self.trusted();
        store.map_or(self.effective.project.is_some(), |store| {
            trust::hides_untrusted(&self.effective, &store)
        })
    }

    /// Refuses untrusted keys of the project's configuration, without looking at skills.
    ///
    /// # Errors
    /// As [`require_trust`](Self::require_trust).
    pub fn require_trusted_keys(&self, used: AgentUse) -> Result<(), Error> {
        self.require_trust(&SkillSet::new(), used)
    }

    /// Refuses to let agents read a repository that the user has not trusted.
    ///
    /// # Errors
    /// [`Kind::Trust`] with the repository.
    pub fn require_reading(&self) -> Result<(), Error> {
        let store = self.trusted()?;
        if crate::app::trust::may_be_read(&store, self.root()) {
            return Ok(());
        }
        let what = format!("{} is not trusted, so no agent may read it", self.root().display());
        Err(Error::new(Kind::Trust, what)
            .named("untrusted")
            .hint("run `debate-agent trust --read-repo` if AI CLIs may read all of it; else `review.read_repo` and `plan.read_repo` have to be false"))
    }

    /// Lists everything in the project that needs trust, for the question in a terminal.
    ///
    /// # Errors
    /// A skill cannot be read.
    pub fn trust_candidates(&self) -> Result<Candidates, Error> {
        let all = roles::DEBATE.iter().chain(roles::INQUIRY);
        let mut names: Vec<&str> = all.map(|(_, role)| *role).collect();
        names.extend(roles::REVIEW);
        names.extend(roles::PLAN);
        names.extend(skill::guidelines_of(&self.effective));
        let skills = self.skills(&names)?;
        Ok(crate::app::trust::candidates(&self.effective, &skills, self.env().now()))
    }

    /// Returns the rules for which programs may run.
    pub fn machine(&self) -> HostRules {
        HostRules {
            path: self.around.var("PATH").unwrap_or_default().to_owned(),
            workspace: self.place().to_owned(),
            home: self.around.home(),
            trusted_groups: trusted_groups(self.around.group, &self.around.groups),
        }
    }

    /// Returns the redactor of secrets: it knows the values of all variables that look like one.
    pub fn redactor(&self) -> Redactor {
        Redactor::new(&secrets(
            &self.around.vars,
            self.effective.config.agents.values().flat_map(|agent| &agent.env),
        ))
    }

    /// Returns the clock and the source of randomness.
    pub fn env(&self) -> &Env {
        &self.around.env
    }

    /// Returns the session store of this project.
    pub fn store(&self) -> Store {
        let root = self.root().join(&self.effective.config.paths.debate);
        Store::new(Arc::clone(&self.fs), root, self.env().clone())
            .with_state(self.around.state_dir())
    }
}

/// Whether a value is the path of a socket, a helper or a file: it is not a secret, and occurs in ordinary text. Keys
/// may begin with `/` too (base64), so a leading slash alone is not enough.
fn is_path(name: &str, value: &str) -> bool {
    const PATHS: [&str; 6] = ["SOCK", "FILE", "PATH", "DIR", "ASKPASS", "XAUTHORITY"];
    value.starts_with('/')
        && (PATHS.iter().any(|end| name.ends_with(end)) || Path::new(value).exists())
}

fn secrets<'a>(
    vars: &'a BTreeMap<String, String>,
    configured: impl Iterator<Item = (&'a String, &'a String)>,
) -> Vec<String> {
    let values: BTreeSet<String> = vars
        .iter()
        .chain(configured)
        .filter(|(name, value)| !is_path(&name.to_uppercase(), value))
        .flat_map(|(name, value)| variables::secrets_of(name, value))
        .map(str::to_owned)
        .gather();
    values.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_variables_that_look_like_secrets_are_secrets() {
        let vars: BTreeMap<String, String> = [
            ("ANTHROPIC_API_KEY", "sk-1"),
            ("DATABASE_URL", "postgres://app:pw-2@db/x"),
            ("GIT_AUTHOR_NAME", "Jane Developer"),
            ("GH_TOKEN", "gh-1"),
            ("DB_PASSWORD", "pw-1"),
            ("SSH_AUTH_SOCK", "/tmp/agent.1"),
            ("HOME", "/root"),
            ("EDITOR", "vi"),
            ("AWS_SECRET_ACCESS_KEY", "/+base64/begins/with/a/slash"),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .into();
        assert_eq!(
            secrets(&vars, std::iter::empty()),
            ["/+base64/begins/with/a/slash", "gh-1", "pw-1", "pw-2", "sk-1"]
        );
    }
}
