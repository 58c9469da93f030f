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
fn the_seats_of_one_agent_ask_two_models_where_there_are_two() {
    let agent = |path: &str, model: Option<&str>, models: &[&str]| AgentConfig {
        model: model.map(str::to_owned),
        models: models.iter().map(|model| (*model).to_owned()).collect(),
        ..config(path)
    };
    let names = |agent: &AgentConfig, own| [0, 1, 2].map(|at| name_of_seat("a", agent, own, at));
    for (agent, own, expected) in [
        (agent("claude", None, &[]), None, ["a:opus", "a:sonnet", "a:opus"]),
        (agent("gemini", None, &[]), None, ["a:pro", "a:flash", "a:pro"]),
        (agent("codex", None, &[]), None, ["a", "a#2", "a#3"]),
        (agent("codex", Some("m"), &[]), None, ["a:m", "a:m#2", "a:m#3"]),
        (agent("codex", None, &["x", "y/z"]), None, ["a:x", "a:y/z", "a:x"]),
        (agent("claude", Some("opus-5"), &[]), None, ["a:opus-5", "a:sonnet", "a:opus-5"]),
        (agent("claude", None, &[]), Some("haiku"), ["a:haiku", "a:haiku#2", "a:haiku#3"]),
    ] {
        assert_eq!(names(&agent, own), expected);
    }
    assert_eq!(key_and_model("a:y/z:free#2"), ("a", Some("y/z:free")));
    assert_eq!([key_and_model("a#2"), key_and_model("a")], [("a", None); 2]);
}
