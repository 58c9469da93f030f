//! Programs in a real file system: found, or refused with a reason.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use std::collections::BTreeSet;
use std::os::unix::fs::MetadataExt;

use super::*;

struct Place {
    dir: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        let place = Self { dir: tempfile::tempdir().unwrap() };
        for folder in ["bin", "home", "work/bin"] {
            let path = place.path(folder);
            fs::create_dir_all(&path).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        }
        place
    }
    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }
    fn program(&self, name: &str) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, "#!/bin/sh\n").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path
    }
    fn machine(&self) -> HostRules {
        let path = format!(":.:bin:{}", self.path("bin").display());
        HostRules {
            path,
            workspace: self.path("work"),
            home: self.path("home"),
            trusted_groups: BTreeSet::new(),
        }
    }
    fn resolve(&self, config: &AgentConfig) -> Result<Agent, RosterError> {
        Agent::resolve("claude", config, None, &self.machine(), false)
    }
}

fn config(path: &str) -> AgentConfig {
    AgentConfig { path: path.to_owned(), ..AgentConfig::default() }
}

#[test]
fn a_bare_name_becomes_an_absolute_path_with_profile_and_vendor() {
    let place = Place::new();
    let program = place.program("bin/claude");
    let agent = place.resolve(&config("claude")).unwrap();
    assert_eq!(agent.program, program);
    assert_eq!(
        (agent.profile, agent.vendor.as_str(), agent.timeout.as_secs()),
        (ProfileName::Claude, "anthropic", 180)
    );
}

#[test]
fn what_is_not_there_or_cannot_run_is_said() {
    let place = Place::new();
    fs::write(place.path("bin/plain"), "x").unwrap();
    let plain = place.path("bin/plain").display().to_string();
    assert!(matches!(place.resolve(&config("claude")), Err(RosterError::NotFound { .. })));
    assert!(matches!(place.resolve(&config("/nope/claude")), Err(RosterError::NotFound { .. })));
    assert!(matches!(place.resolve(&config("./claude")), Err(RosterError::Relative { .. })));
    assert!(matches!(place.resolve(&config(&plain)), Err(RosterError::NotExecutable { .. })));
    let message = place.resolve(&config("claude")).unwrap_err().to_string();
    assert!(message.contains("agents.claude.path"), "{message}");
}

#[test]
fn a_program_of_the_workspace_is_refused_also_behind_a_link() {
    let place = Place::new();
    let inside = place.program("work/bin/claude");
    symlink(&inside, place.path("bin/claude")).unwrap();
    for path in [inside.display().to_string(), "claude".to_owned()] {
        let refused = place.resolve(&config(&path)).unwrap_err();
        assert!(matches!(refused, RosterError::InWorkspace { .. }), "{refused}");
    }
    // If the workspace is the home folder, programs installed below it are allowed.
    let mut machine = place.machine();
    machine.workspace = place.path("");
    machine.home = place.path("");
    assert!(Agent::resolve("claude", &config("claude"), None, &machine, false).is_ok());
}

#[test]
fn a_program_that_others_can_replace_is_refused() {
    let place = Place::new();
    place.program("bin/claude");
    for mode in [0o777, 0o1777, 0o775] {
        fs::set_permissions(place.path("bin"), fs::Permissions::from_mode(mode)).unwrap();
        let refused = place.resolve(&config("claude")).unwrap_err();
        assert!(matches!(refused, RosterError::Replaceable { .. }), "{mode:o} {refused}");
    }
    let group = fs::metadata(place.path("bin")).unwrap().gid();
    let mut machine = place.machine();
    machine.trusted_groups = trusted_groups(group, "");
    assert!(Agent::resolve("claude", &config("claude"), None, &machine, false).is_ok());
}

#[test]
fn admin_groups_are_read_from_the_group_file() {
    let text = "root:x:0:\nsudo:x:27:me\nusers:x:100:\nstaff:x:50:\n";
    assert_eq!(trusted_groups(1000, text), BTreeSet::from([0, 27, 50, 1000]));
}

#[test]
fn dangerous_flags_are_refused_by_name_unless_permitted() {
    let place = Place::new();
    place.program("bin/claude");
    let mut config = config("claude");
    config.args = vec!["--print".to_owned(), "--dangerously-skip-permissions".to_owned()];
    let message = place.resolve(&config).unwrap_err().to_string();
    assert!(message.contains("--dangerously-skip-permissions"), "{message}");
    let agent = Agent::resolve("claude", &config, None, &place.machine(), true).unwrap();
    assert_eq!(agent.args, ["--dangerously-skip-permissions"]);
    assert_eq!(agent.dangerous, ["--dangerously-skip-permissions"]);
}

#[test]
fn the_digest_changes_with_what_can_change_an_answer() {
    let place = Place::new();
    place.program("bin/claude");
    let base = place.resolve(&config("claude")).unwrap();
    let mut other = config("claude");
    other.timeout_seconds = Some(9);
    assert_eq!(place.resolve(&other).unwrap().digest, base.digest);
    other.model = Some("m".to_owned());
    assert_ne!(place.resolve(&other).unwrap().digest, base.digest);
}

#[test]
fn a_roster_knows_every_role_and_names_what_is_missing() {
    let place = Place::new();
    place.program("bin/claude");
    place.program("bin/codex");
    let agents = BTreeMap::from([
        ("claude".to_owned(), config("claude")),
        ("codex".to_owned(), config("codex")),
    ]);
    let role = |agent: &str| RoleConfig {
        agent: Some(agent.to_owned()),
        fallback: Some(vec!["claude".to_owned()]),
        ..RoleConfig::default()
    };
    let roles = BTreeMap::from([
        ("backlog-critic".to_owned(), role("codex")),
        ("backlog-moderator".to_owned(), role("nobody")),
    ]);
    let wanted =
        |seat, role| Roster::resolve(&[(seat, role)], &agents, &roles, &place.machine(), false);
    let roster = wanted("critic", "backlog-critic").unwrap();
    assert_eq!(roster.vendor_of("critic"), Some("openai"));
    assert_eq!(roster.cast("critic").unwrap().fallbacks[0].name, "claude");
    assert!(matches!(
        wanted("moderator", "backlog-moderator"),
        Err(RosterError::UnknownAgent { .. })
    ));
    assert!(matches!(wanted("champion", "backlog-champion"), Err(RosterError::NoAgent { .. })));
}
