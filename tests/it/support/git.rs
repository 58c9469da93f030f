//! Real git repositories in scratch folders, created with the real git.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::time::Duration;

use debate_agent::agent::roster::{HostRules, find_tool, trusted_groups};
use debate_agent::git::{Git, GitError, Host};
use debate_agent::process::{Control, Limits};
use tempfile::TempDir;
use tokio::sync::watch;

use super::BIN;

/// The PATH of plain git, and of the program's.
const PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// A scratch folder with a home and a repository `repo`; `ran` contains the output of traps.
pub(crate) struct Repo {
    dir: TempDir,
    /// The date of the next commits.
    pub(crate) date: String,
    // Kept alive, so that no call is told to stop.
    control: watch::Sender<Control>,
}

impl Repo {
    /// Makes a repository without a commit, on `main`.
    pub(crate) fn new() -> Self {
        let dir = tempfile::Builder::new().prefix("debate-git-").tempdir().unwrap();
        for sub in ["home", "repo", "ran", "traps"] {
            fs::create_dir(dir.path().join(sub)).unwrap();
        }
        let repo = Self {
            dir,
            date: "2026-01-01T12:00:00Z".to_owned(),
            control: watch::channel(Control::Run).0,
        };
        repo.git(&["init", "-q", "-b", "main"]);
        repo
    }

    /// Returns a path of the scratch folder, without links.
    pub(crate) fn at(&self, sub: &str) -> PathBuf {
        self.dir.path().canonicalize().unwrap().join(sub)
    }

    /// Returns the working tree.
    pub(crate) fn path(&self) -> PathBuf {
        self.at("repo")
    }

    /// Writes a file of the working tree.
    pub(crate) fn write(&self, name: impl AsRef<Path>, text: impl AsRef<[u8]>) {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Commits everything.
    pub(crate) fn commit(&self, message: &str) {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "--allow-empty", "-m", message]);
    }

    /// Commits everything with this time.
    pub(crate) fn commit_at(&mut self, date: &str, message: &str) {
        date.clone_into(&mut self.date);
        self.commit(message);
    }

    /// Runs plain git in the working tree, and returns its output.
    #[track_caller]
    pub(crate) fn git<S: AsRef<OsStr>>(&self, args: &[S]) -> String {
        let output = self.plain(&self.path(), "git", args);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    /// Runs a program as the user would, in any folder.
    #[expect(clippy::disallowed_methods, reason = "tests start plain git themselves")]
    pub(crate) fn plain<S: AsRef<OsStr>>(&self, dir: &Path, program: &str, args: &[S]) -> Output {
        std::process::Command::new(program)
            .args(args)
            .env_clear()
            .envs(self.vars())
            .env("TERM", "xterm")
            .env("GIT_ALLOW_PROTOCOL", "file:ext")
            .env("GIT_AUTHOR_DATE", &self.date)
            .env("GIT_COMMITTER_DATE", &self.date)
            .envs([("GIT_AUTHOR_NAME", "Ada"), ("GIT_COMMITTER_NAME", "Ada")])
            .envs([("GIT_AUTHOR_EMAIL", "a@b.c"), ("GIT_COMMITTER_EMAIL", "a@b.c")])
            .current_dir(dir)
            .stdin(std::process::Stdio::null())
            .output()
            .unwrap()
    }

    fn vars(&self) -> BTreeMap<String, String> {
        let home = self.at("home").display().to_string();
        [("HOME", home.as_str()), ("PATH", PATH)]
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .into()
    }

    /// Returns the host with which the program runs git.
    pub(crate) fn host(&self) -> Host {
        let machine = HostRules {
            path: PATH.to_owned(),
            workspace: self.path(),
            home: self.at("home"),
            trusted_groups: trusted_groups(0, ""),
        };
        Host {
            program: find_tool("git", &machine).unwrap(),
            guard: PathBuf::from(BIN),
            vars: self.vars(),
            control: self.control.subscribe(),
            token: debate_agent::env::unique(),
            limits: Limits { timeout: Duration::from_mins(1), ..Limits::default() },
        }
    }

    /// Opens the working tree as the program does.
    pub(crate) async fn open(&self) -> Result<Git, GitError> {
        Git::open(self.host(), &self.path()).await
    }

    /// Creates a program that writes its name when it runs, and returns its path.
    pub(crate) fn trap(&self, name: &str, then: &str) -> String {
        let path = self.at("traps").join(name);
        let ran = self.at("ran").join(name);
        fs::write(&path, format!("#!/bin/sh\n: >'{}'\n{then}\n", ran.display())).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path.display().to_string()
    }

    /// Returns the traps that ran since the last call.
    pub(crate) fn sprung(&self) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(self.at("ran"))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .map(|path| {
                fs::remove_file(&path).unwrap();
                path.file_name().unwrap().to_string_lossy().into_owned()
            })
            .collect();
        names.sort();
        names
    }
}
