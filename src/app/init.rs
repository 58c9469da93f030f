//! `init`: a configuration and the skills for the CLIs that are found, trusted at once.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use super::skills::{self, ExportError};
use super::trust::{self, TrustError};
use crate::agent::profile::probes;
use crate::agent::roster::{Agent, Machine};
use crate::config::FILE_NAME;
use crate::config::agents::{AgentConfig, ProfileName};
use crate::config::file::{Existing, write_atomic};
use crate::config::load::{Request, repository_of};
use crate::skill::BUILTIN;
use crate::text::Note;

/// The CLIs that are looked for, in the order in which they are preferred as champion.
const WANTED: [ProfileName; 3] = [ProfileName::Claude, ProfileName::Codex, ProfileName::Gemini];

/// What `init` is asked to do.
#[derive(Debug, Clone)]
pub struct Init {
    /// The working directory; the files go to the root of its repository, if it has one.
    pub dir: PathBuf,
    /// The variables of the process.
    pub vars: BTreeMap<String, String>,
    /// Where programs may stand.
    pub machine: Machine,
    /// Whether existing files are replaced (`--force`).
    pub existing: Existing,
}

/// A CLI that was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Found {
    /// The agent's name.
    pub agent: String,
    /// Its `path` in the configuration.
    pub path: String,
    /// Its program.
    pub program: PathBuf,
    /// Who makes its model.
    pub vendor: String,
}

/// A CLI that was not found, or may not be run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Missing {
    /// The agent's name.
    pub agent: String,
    /// Why.
    pub problem: String,
    /// How to install it.
    pub install: String,
}

/// What was done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Initialised {
    /// The configuration.
    pub config: PathBuf,
    /// The skills.
    pub skills: Vec<PathBuf>,
    /// The CLIs that it names.
    pub found: Vec<Found>,
    /// The CLIs that were looked for in vain.
    pub missing: Vec<Missing>,
    /// What had to be trusted and now is.
    pub trusted: Vec<PathBuf>,
    /// What is worth knowing.
    pub warnings: Vec<Note>,
}

/// Why nothing, or not all, was done.
#[derive(Debug, thiserror::Error)]
pub enum InitError {
    /// A file is there already, or can't be written.
    #[error(transparent)]
    Write(#[from] ExportError),
    /// The files stand, but trust could not be recorded.
    #[error(transparent)]
    Trust(#[from] TrustError),
}

/// Finds one CLI: on PATH, else in the well-known places of installers, which only shell aliases reach.
pub fn find(profile: ProfileName, machine: &Machine) -> Result<Found, Missing> {
    let known = probes(profile);
    let attempt = |path: &str| {
        let config = AgentConfig {
            path: path.to_owned(),
            profile: Some(profile),
            ..AgentConfig::default()
        };
        Agent::resolve(known.program, &config, None, machine, false).map(|agent| Found {
            agent: known.program.to_owned(),
            path: path.to_owned(),
            program: agent.program,
            vendor: agent.vendor,
        })
    };
    let at_home = known
        .home_folders
        .iter()
        .map(|folder| machine.home.join(folder));
    let elsewhere = known.folders.iter().map(PathBuf::from);
    attempt(known.program).or_else(|first| {
        at_home
            .chain(elsewhere)
            .find_map(|folder| attempt(folder.join(known.program).to_str()?).ok())
            .ok_or(Missing {
                agent: known.program.to_owned(),
                problem: first.to_string(),
                install: known.install.to_owned(),
            })
    })
}

/// Writes the configuration and the skills. Nothing is written if a file of them exists and may not be replaced.
pub fn init(request: &Init) -> Result<Initialised, InitError> {
    let root = repository_of(&request.dir).unwrap_or(&request.dir);
    let config = root.join(FILE_NAME);
    let folder = root.join("skills");
    let mut there = vec![config.clone()];
    there.extend(
        BUILTIN
            .iter()
            .map(|(role, _)| folder.join(role).join(crate::skill::FILE_NAME)),
    );
    if request.existing == Existing::Keep
        && let Some(file) = there
            .into_iter()
            .find(|file| file.symlink_metadata().is_ok())
    {
        return Err(ExportError::Exists(file).into());
    }
    let (mut found, mut missing) = (Vec::new(), Vec::new());
    for profile in WANTED {
        match find(profile, &request.machine) {
            Ok(cli) => found.push(cli),
            Err(cli) => missing.push(cli),
        }
    }
    let (text, warnings) = configuration(&found);
    let skills = skills::export(&folder, request.existing)?;
    write_config(&config, &text, request.existing)?;
    let granted = trust::grant(
        &Request {
            dir: request.dir.clone(),
            vars: request.vars.clone(),
            ..Request::default()
        },
        false,
    )?;
    Ok(Initialised {
        config,
        skills,
        found,
        missing,
        trusted: granted.files.into_iter().map(|pin| pin.path).collect(),
        warnings,
    })
}

fn write_config(file: &Path, text: &str, existing: Existing) -> Result<(), ExportError> {
    write_atomic(file, text.as_bytes(), 0o644, existing).map_err(|source| {
        if source.kind() == io::ErrorKind::AlreadyExists {
            ExportError::Exists(file.to_owned())
        } else {
            ExportError::Write {
                file: file.to_owned(),
                source,
            }
        }
    })
}

/// Composes the file. The champion is the first CLI found, the critic the next of another vendor;
/// where one is lacking, the default stands and a warning says so. The same two review and plan; the first
/// debates topics, with gemini where it is there.
fn configuration(found: &[Found]) -> (String, Vec<Note>) {
    let mut warnings = Vec::new();
    let champion = found.first();
    let critic = found
        .iter()
        .find(|cli| champion.is_none_or(|champion| champion.vendor != cli.vendor));
    if found.is_empty() {
        warnings.push(Note::new(
            "no_cli",
            "no AI CLI was found; the configuration names the defaults, and --rehearse works without any",
        ));
    } else if critic.is_none() {
        warnings.push(Note::new(
            "one_vendor",
            "CLIs of one vendor alone were found; the critic must be of another than the champion (or run with --allow-same-vendor)",
        ));
    }
    let name = |cli: Option<&Found>, default: &str| {
        cli.map_or(default, |cli| cli.agent.as_str()).to_owned()
    };
    let champion = name(champion, "claude");
    let default_critic = if champion == "codex" {
        "claude"
    } else {
        "codex"
    };
    let critic = name(critic.filter(|_| !found.is_empty()), default_critic);
    // As by default, gemini debates topics with the first, and codex is left for the expert.
    let other = (found.iter())
        .find(|cli| cli.agent == "gemini" && cli.agent != champion)
        .map_or_else(|| critic.clone(), |cli| cli.agent.clone());
    let mut agents: BTreeMap<&str, &str> = found
        .iter()
        .map(|cli| (cli.agent.as_str(), cli.path.as_str()))
        .collect();
    for role in [&champion, &critic] {
        agents.entry(role).or_insert(role);
    }
    let agents: BTreeMap<&str, _> = agents
        .into_iter()
        .map(|(name, path)| (name, json!({"path": path, "timeout_seconds": 180})))
        .collect();
    let config = json!({
        "agents": agents,
        "roles": {
            "backlog-champion": {"agent": champion},
            "backlog-critic": {"agent": critic},
            "backlog-moderator": {"agent": champion},
        },
        "debate": {"default_agents": [critic, champion]},
        "topic": {"participants": [champion, other]},
        "limits": {"budget_usd": 2.5},
    });
    (format!("{config:#}\n"), warnings)
}

#[cfg(test)]
mod tests;
