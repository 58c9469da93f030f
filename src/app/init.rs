//! `init`: writes a configuration for the CLIs found on this machine, and trusts it at once.
//!
//! The roles' prompts are not written: copies would not improve with the built-in ones. Users who want to change one
//! export it with `skills export`.

use std::io;
use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::agent::profile::PROFILES;
use crate::agent::roster::{Agent, HostRules};
use crate::app::review::suggested;
use crate::app::run::available::second_vendor;
use crate::app::skills::ExportError;
use crate::app::trust::{self, TrustError};
use crate::config::agents::{AgentConfig, BUILT_IN, ProfileName};
use crate::config::file::{IfExists, write_atomic};
use crate::config::load::{Request, repository_of};
use crate::config::{EMBEDDED, FILE_NAME};
use crate::ordered::{BTreeMap, Gather};
use crate::text::Note;

/// Where editors look for the schema: `debate-agent schema config` prints it.
const SCHEMA: &str = ".debate/config.schema.json";

/// The options of `init`.
#[derive(Debug, Clone)]
pub struct Init {
    /// The working directory; the file is written to the root of its repository, if it is in one.
    pub dir: PathBuf,
    /// The environment variables of the process.
    pub vars: BTreeMap<String, String>,
    /// The rules for where programs may be.
    pub machine: HostRules,
    /// Whether an existing file is replaced (`--force`).
    pub existing: IfExists,
    /// Whether to report what would be written without writing it (`--dry-run`).
    pub dry_run: bool,
    /// The current time, for the record of trust.
    pub at: DateTime<Utc>,
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
pub struct InitDocument {
    /// The configuration.
    pub config: PathBuf,
    /// Nothing was written.
    pub dry_run: bool,
    /// What the configuration contains, or would.
    pub text: String,
    /// The CLIs that are here. Those other than claude, codex and gemini take part only when named.
    pub found: Vec<Found>,
    /// The CLIs that were not found.
    pub missing: Vec<Missing>,
    /// What had to be trusted and now is.
    pub trusted: Vec<PathBuf>,
    /// What is worth knowing.
    pub warnings: Vec<Note>,
}

/// Why `init` failed, wholly or in part.
#[derive(Debug, thiserror::Error)]
pub enum InitError {
    #[error(transparent)]
    Write(#[from] ExportError),
    #[error(transparent)]
    Trust(#[from] TrustError),
}

/// Returns the CLIs that the defaults name, in order of preference as champion.
fn wanted() -> impl Iterator<Item = ProfileName> {
    let is_other = |name: ProfileName| BUILT_IN.iter().any(|(_, other)| *other == name);
    let clis = PROFILES.iter().filter(|profile| !profile.probes.program.is_empty());
    clis.map(|profile| profile.name).filter(move |name| !is_other(*name))
}

/// Finds one CLI: on PATH, else in the installers' well-known folders, which only shell aliases reach.
pub fn find(profile: ProfileName, machine: &HostRules) -> Result<Found, Missing> {
    let known = profile.profile().probes;
    let attempt = |path: &str| {
        let config =
            AgentConfig { path: path.to_owned(), profile: Some(profile), ..AgentConfig::default() };
        Agent::resolve(known.program, &config, None, machine, false).map(|agent| Found {
            agent: known.program.to_owned(),
            path: path.to_owned(),
            program: agent.program,
            vendor: agent.vendor,
        })
    };
    let at_home = known.home_folders.iter().map(|folder| machine.home.join(folder));
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

/// Writes the configuration unless it exists and may not be replaced.
pub fn init(request: &Init) -> Result<InitDocument, InitError> {
    let root = repository_of(&request.dir).unwrap_or(&request.dir);
    let config = root.join(FILE_NAME);
    if request.existing == IfExists::Keep && config.symlink_metadata().is_ok() {
        return Err(ExportError::Exists(config).into());
    }
    let (mut found, mut missing) = (Vec::new(), Vec::new());
    for profile in wanted() {
        match find(profile, &request.machine) {
            Ok(cli) => found.push(cli),
            Err(cli) => missing.push(cli),
        }
    }
    let (text, mut warnings) = configuration(&found);
    if let Some(settings) = suggested(root) {
        let message = format!(
            "`review --prove` runs tests of findings with a command of yours: maybe `\"review\": {{\"prove\": {settings}}}`"
        );
        warnings.push(Note::new("test_command", message));
    }
    let others = BUILT_IN.iter().filter_map(|(name, profile)| {
        let cli = find(*profile, &request.machine).ok()?;
        (cli.path == *name).then_some(cli)
    });
    found.extend(others);
    let mut trusted = Vec::new();
    if !request.dry_run {
        write_config(&config, &text, request.existing)?;
        let granted = trust::grant_config(
            &Request { dir: request.dir.clone(), vars: request.vars.clone(), ..Request::default() },
            request.at,
        )?;
        trusted.extend(granted.trusted.into_iter().map(|pin| pin.path));
        if let [first, ..] = granted.left.as_slice() {
            let first = first.display();
            let message = match granted.left.len() {
                1 => format!(
                    "1 more file of this project needs trust, {first}: look at it, then run `debate-agent trust`"
                ),
                more => format!(
                    "{more} more files of this project need trust, such as {first}: look at them, then run `debate-agent trust`"
                ),
            };
            warnings.push(Note::new("untrusted", message));
        }
    }
    Ok(InitDocument { config, dry_run: request.dry_run, text, found, missing, trusted, warnings })
}

fn write_config(file: &Path, text: &str, existing: IfExists) -> Result<(), ExportError> {
    write_atomic(file, text.as_bytes(), 0o644, existing).map_err(|source| {
        if source.kind() == io::ErrorKind::AlreadyExists {
            ExportError::Exists(file.to_owned())
        } else {
            ExportError::Write { file: file.to_owned(), source }
        }
    })
}

/// Returns the text of the file and its warnings. The champion is the first CLI found, the critic the next one of
/// another vendor; if there is none, the default, whose seat the champion takes until it is installed, and a warning. The same two review and plan; the
/// champion debates topics, with gemini if it was found.
fn configuration(found: &[Found]) -> (String, Vec<Note>) {
    let mut warnings = Vec::new();
    let champion = found.first();
    let critic =
        found.iter().find(|cli| champion.is_none_or(|champion| champion.vendor != cli.vendor));
    if found.is_empty() {
        warnings.push(Note::new(
            "no_cli",
            "neither claude nor codex nor gemini was found; the configuration names the defaults, and --rehearse works without any",
        ));
    } else if let (Some(only), None) = (champion, critic) {
        warnings.push(second_vendor(&only.vendor));
    }
    let name = |cli: Option<&Found>, default: &str| {
        cli.map_or(default, |cli| cli.agent.as_str()).to_owned()
    };
    let champion = name(champion, "claude");
    let default_critic = if champion == "codex" { "claude" } else { "codex" };
    let critic = name(critic.filter(|_| !found.is_empty()), default_critic);
    // As in the defaults, gemini debates topics with the champion, and codex is left as the expert.
    let other = (found.iter())
        .find(|cli| cli.agent == "gemini" && cli.agent != champion)
        .map_or_else(|| critic.clone(), |cli| cli.agent.clone());
    let mut agents: BTreeMap<&str, &str> =
        found.iter().map(|cli| (cli.agent.as_str(), cli.path.as_str())).gather();
    for role in [&champion, &critic] {
        agents.entry(role).or_insert(role);
    }
    let agents: BTreeMap<&str, _> =
        agents.into_iter().map(|(name, path)| (name, json!({"path": path}))).gather();
    let config = json!({
        "$schema": SCHEMA,
        "agents": agents,
        "roles": {
            "backlog-champion": {"agent": champion},
            "backlog-critic": {"agent": critic},
            "backlog-moderator": {"agent": champion},
        },
        "debate": {"default_agents": [critic, champion]},
        "topic": {"participants": [champion, other]},
    });
    let defaults: Value = serde_json::from_str(EMBEDDED).unwrap_or_default();
    let config = without(config, &defaults).unwrap_or_default();
    (format!("{config:#}\n"), warnings)
}

/// Returns what of a configuration differs from the defaults.
fn without(own: Value, default: &Value) -> Option<Value> {
    match own {
        own if own == *default => None,
        Value::Object(own) => {
            let kept = own.into_iter().filter_map(|(key, value)| {
                let value = without(value, &default[&key])?;
                Some((key, value))
            });
            Some(kept.collect::<Map<_, _>>()).filter(|kept| !kept.is_empty()).map(Value::Object)
        }
        own => Some(own),
    }
}

#[cfg(test)]
mod tests {
    //! `init` in scratch repositories.

    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;
    use crate::agent::roster::trusted_groups;
    use crate::config::load::load;
    use crate::config::tests::World;
    use crate::config::trust::AgentUse;

    fn request(world: &World, existing: IfExists) -> Init {
        fs::create_dir_all(world.path("bin")).unwrap();
        Init {
            dir: world.path("repo"),
            vars: world.vars.clone(),
            machine: machine(world),
            existing,
            dry_run: false,
            at: DateTime::UNIX_EPOCH,
        }
    }

    fn machine(world: &World) -> HostRules {
        HostRules {
            path: world.path("bin").display().to_string(),
            workspace: world.path("repo"),
            home: world.path("home"),
            trusted_groups: trusted_groups(rustix::process::getgid().as_raw(), ""),
        }
    }

    fn program(world: &World, name: &str) {
        world.write(name, "#!/bin/sh\n");
        fs::set_permissions(world.path(name), fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn roles(world: &World) -> [String; 3] {
        let config = world.load().unwrap().config;
        ["champion", "critic", "moderator"]
            .map(|role| config.roles[&format!("backlog-{role}")].agent.clone().unwrap())
    }

    /// Returns the agents that review and plan.
    fn default_agents(world: &World) -> Vec<String> {
        world.load().unwrap().config.debate.default_agents
    }

    fn participants(world: &World) -> Vec<String> {
        world.load().unwrap().config.topic.participants
    }

    #[test]
    fn the_clis_that_are_found_play_the_roles_and_the_project_is_trusted() {
        let world = World::new();
        program(&world, "bin/claude");
        program(&world, "bin/gemini");
        let done = init(&request(&world, IfExists::Keep)).unwrap();
        let found: Vec<&str> = done.found.iter().map(|cli| cli.agent.as_str()).collect();
        assert_eq!(found, ["claude", "gemini"]);
        assert_eq!(done.missing[0].agent, "codex");
        assert!(done.missing[0].install.contains("npm install"));
        assert_eq!(roles(&world), ["claude", "gemini", "claude"]);
        assert_eq!(default_agents(&world), ["gemini", "claude"]);
        assert!(!world.path("repo/skills").exists());
        assert_eq!(participants(&world), ["claude", "gemini"]);
        assert!(done.warnings.is_empty());
        assert_eq!(world.check(), Ok(()));
    }

    #[test]
    fn the_files_go_to_the_root_of_the_repository() {
        let world = World::new();
        let mut below = request(&world, IfExists::Keep);
        below.dir = world.path("repo/a/b");
        fs::create_dir_all(&below.dir).unwrap();
        let done = init(&below).unwrap();
        assert_eq!(done.config, world.path("repo/debate-agent.config.json"));
        assert!(!world.path("repo/a/b/debate-agent.config.json").exists());
    }

    #[test]
    fn a_cli_that_only_a_shell_alias_reaches_is_found_and_trusted() {
        let world = World::new();
        program(&world, "home/.claude/local/claude");
        let done = init(&request(&world, IfExists::Keep)).unwrap();
        let path = world.path("home/.claude/local/claude");
        assert_eq!(done.found[0].path, path.display().to_string());
        assert_eq!(done.trusted, [world.path("repo/debate-agent.config.json")]);
        assert_eq!(done.warnings[0].code, "second_vendor");
        assert_eq!(roles(&world), ["claude", "codex", "claude"]);
        assert_eq!(world.check_as(&world.request(), AgentUse::Agents), Ok(()));
    }

    #[test]
    fn without_any_cli_the_defaults_are_written_with_a_warning() {
        let world = World::new();
        let done = init(&request(&world, IfExists::Keep)).unwrap();
        assert_eq!((done.found.len(), done.missing.len()), (0, 3));
        // What the defaults say is not written again.
        let written: Value = serde_json::from_str(&done.text).unwrap();
        assert_eq!(
            written,
            json!({"$schema": SCHEMA, "topic": {"participants": ["claude", "codex"]}})
        );
        assert_eq!(done.warnings[0].code, "no_cli");
        assert_eq!(roles(&world), ["claude", "codex", "claude"]);
        assert_eq!(default_agents(&world), ["codex", "claude"]);
        assert_eq!(participants(&world), ["claude", "codex"]);
        assert!(load(&world.request()).is_ok());
    }

    #[test]
    fn a_configuration_is_replaced_by_force_alone() {
        let world = World::new();
        let file = world.path("repo/debate-agent.config.json");
        world.project("mine");
        let error = init(&request(&world, IfExists::Keep)).unwrap_err();
        assert!(error.to_string().contains("exists; nothing was written"), "{error}");
        assert_eq!(fs::read_to_string(&file).unwrap(), "mine");
        let done = init(&request(&world, IfExists::Replace)).unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), done.text);
    }

    #[test]
    fn a_dry_run_shows_what_would_be_written_and_writes_nothing() {
        let world = World::new();
        program(&world, "bin/claude");
        let dry = init(&Init { dry_run: true, ..request(&world, IfExists::Keep) });
        let dry = dry.unwrap();
        assert!(!dry.config.exists() && dry.trusted.is_empty());
        let done = init(&request(&world, IfExists::Keep)).unwrap();
        assert_eq!(done.text, dry.text);
        assert_eq!(fs::read_to_string(done.config).unwrap(), dry.text);
    }

    #[test]
    fn skills_that_lie_there_are_not_trusted_with_it() {
        let world = World::new();
        let skill = "repo/skills/backlog-critic/SKILL.md";
        world.write(skill, "---\nname: backlog-critic\ndescription: Mine.\n---\nAgree.\n");
        let done = init(&request(&world, IfExists::Keep)).unwrap();
        let note = done.warnings.iter().find(|note| note.code == "untrusted");
        assert!(note.is_some_and(|note| note.message.contains("SKILL.md")));
        assert!(done.trusted.iter().all(|path| !path.ends_with("SKILL.md")));
    }

    #[test]
    fn nothing_is_written_through_a_link() {
        let world = World::new();
        world.write("outside", "mine");
        symlink(world.path("outside"), world.path("repo/debate-agent.config.json")).unwrap();
        assert!(init(&request(&world, IfExists::Keep)).is_err());
        init(&request(&world, IfExists::Replace)).unwrap();
        assert_eq!(fs::read_to_string(world.path("outside")).unwrap(), "mine");
    }
}
