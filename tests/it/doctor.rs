//! `doctor` against the fakes: its calls, its conclusions, its advice for each fault.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use debate_agent::agent::roster::{HostRules, trusted_groups};
use debate_agent::app::doctor::{AgentReport, CheckSubject, Doctor, Report, Status, examine};
use debate_agent::config::{Request, load};
use debate_agent::process::Control;
use tempfile::TempDir;

use crate::support::{BIN, fixture};

/// A home, a repository and a folder for programs.
struct Clinic {
    dir: TempDir,
}

impl Clinic {
    fn new(config: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        for folder in ["home/.fake", "repo/.git", "bin"] {
            fs::create_dir_all(dir.path().join(folder)).unwrap();
        }
        fs::write(dir.path().join("repo/debate-agent.config.json"), config).unwrap();
        Self { dir }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// Puts a program on PATH.
    fn program(&self, name: &str, script: &str) {
        fs::write(self.path("bin").join(name), format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(self.path("bin").join(name), fs::Permissions::from_mode(0o755))
            .unwrap();
    }

    fn fake(&self, name: &str) {
        self.program(name, &format!("exec {} \"$@\"", fixture("bin").join(name).display()));
    }

    fn examine(&self, live: bool, key: Option<(&str, &str)>) -> Report {
        let path = format!("{}:/usr/local/bin:/usr/bin:/bin", self.path("bin").display());
        let mut vars = BTreeMap::from([
            ("HOME".to_owned(), self.path("home").display().to_string()),
            ("PATH".to_owned(), path.clone()),
            ("CANARY_TOKEN".to_owned(), "not for agents".to_owned()),
        ]);
        vars.extend(key.map(|(name, value)| (name.to_owned(), value.to_owned())));
        let effective =
            load(&Request { dir: self.path("repo"), vars: vars.clone(), ..Request::default() })
                .unwrap();
        let request = Doctor {
            live,
            machine: HostRules {
                path,
                workspace: self.path("repo"),
                home: self.path("home"),
                trusted_groups: trusted_groups(rustix::process::getgid().as_raw(), ""),
            },
            vars,
            env: debate_agent::env::Env::system(),
            guard: Path::new(BIN).to_owned(),
        };
        let (_owner, control) = tokio::sync::watch::channel(Control::Run);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(examine(&request, &effective, control)).unwrap()
    }
}

fn agent<'a>(report: &'a Report, name: &str) -> &'a AgentReport {
    report.agents.iter().find(|agent| agent.name == name).unwrap()
}

/// Asserts the status of a check, and that a failing one gives advice.
#[track_caller]
fn expect(agent: &AgentReport, what: CheckSubject, status: Status, mend: &str) {
    let check = agent.checks.iter().find(|check| check.what == what).unwrap();
    assert_eq!(check.status, status, "{check:?}");
    assert!(check.mend.as_deref().unwrap_or_default().contains(mend), "{check:?}");
}

#[test]
fn clis_that_are_there_and_logged_in_can_be_used() {
    let clinic = Clinic::new("{}");
    clinic.fake("claude");
    clinic.fake("codex");
    let report = clinic.examine(false, None);
    assert!(report.usable, "{report:#?}");
    for (name, version) in [("claude", "2.1.330"), ("codex", "0.169.0")] {
        let agent = agent(&report, name);
        assert_eq!(agent.version.as_deref(), Some(version));
        for what in
            [CheckSubject::Program, CheckSubject::Version, CheckSubject::Login, CheckSubject::Flags]
        {
            expect(agent, what, Status::Ok, "");
        }
        let sends = agent.sends.as_ref().unwrap();
        assert!(!sends.env.contains(&"CANARY_TOKEN".to_owned()), "{sends:?}");
        assert!(!sends.argv.concat().contains("debate-agent-doctor-"), "{sends:?}");
        assert!(!agent.traps.is_empty());
    }
    assert_eq!(agent(&report, "codex").seat, Some(1));
    assert_eq!(agent(&report, "claude").seat, Some(2));
    // Gemini is missing, but it has no role and no seat.
    assert_eq!(agent(&report, "gemini").seat, None);
    expect(agent(&report, "gemini"), CheckSubject::Program, Status::Failed, "npm install");
}

#[test]
fn who_reviews_by_default_must_be_usable_even_without_a_role() {
    let clinic = Clinic::new(r#"{"debate": {"default_agents": ["claude", "gemini"]}}"#);
    clinic.fake("claude");
    clinic.fake("codex");
    let report = clinic.examine(false, None);
    assert!(agent(&report, "gemini").roles.is_empty());
    assert_eq!(agent(&report, "gemini").seat, Some(2));
    assert!(!report.usable);
}

#[test]
fn a_missing_program_says_how_to_get_it_or_where_it_stands() {
    let clinic = Clinic::new("{}");
    clinic.fake("codex");
    let report = clinic.examine(false, None);
    assert!(!report.usable);
    expect(agent(&report, "claude"), CheckSubject::Program, Status::Failed, "npm install");
    let hidden = clinic.path("home/.claude/local");
    fs::create_dir_all(&hidden).unwrap();
    clinic.fake("claude");
    fs::rename(clinic.path("bin/claude"), hidden.join("claude")).unwrap();
    let report = clinic.examine(false, None);
    expect(
        agent(&report, "claude"),
        CheckSubject::Program,
        Status::Failed,
        ".claude/local/claude: set `agents.claude.path`",
    );
}

#[test]
fn a_cli_without_login_can_not_be_used_unless_a_key_is_set() {
    let clinic = Clinic::new("{}");
    clinic.fake("claude");
    clinic.fake("codex");
    fs::write(clinic.path("home/.fake/logged_out"), "").unwrap();
    let report = clinic.examine(false, None);
    assert!(!report.usable);
    expect(agent(&report, "codex"), CheckSubject::Login, Status::Failed, "codex login");
    let report = clinic.examine(false, Some(("CODEX_API_KEY", "sk-test")));
    expect(agent(&report, "codex"), CheckSubject::Login, Status::Ok, "");
}

#[test]
fn a_program_that_does_not_start_is_a_failure_and_a_lacking_flag_too() {
    let clinic = Clinic::new("{}");
    clinic.program("claude", "exit 3");
    clinic.program("codex", "case $1 in --version) echo 0.1.0;; *) echo '--json --model';; esac");
    let report = clinic.examine(false, None);
    expect(agent(&report, "claude"), CheckSubject::Version, Status::Failed, "install");
    expect(agent(&report, "codex"), CheckSubject::Version, Status::Warning, "");
    expect(agent(&report, "codex"), CheckSubject::Flags, Status::Failed, "0.169.0");
}

#[test]
fn a_live_call_must_bring_the_nonce_back() {
    let config = r#"{"agents": {"echo": {"path": "echoing", "profile": "generic"}, "deaf": {"path": "deaf", "profile": "generic"}}}"#;
    let clinic = Clinic::new(config);
    clinic.program("echoing", "cat");
    clinic.program("deaf", "cat >/dev/null; echo hello");
    let report = clinic.examine(true, None);
    expect(agent(&report, "echo"), CheckSubject::Live, Status::Ok, "");
    assert!(agent(&report, "echo").live.as_ref().unwrap().seconds > 0.0);
    expect(agent(&report, "deaf"), CheckSubject::Live, Status::Failed, "output");
    assert!(!agent(&report, "deaf").usable);
}
