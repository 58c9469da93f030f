//! The sandbox of the end-to-end tests: a scratch project, a cleared environment, the fakes on PATH.
//!
//! Every assertion about calls uses the fakes' own ledger, never debate-agent's own account.

pub(crate) mod calls;
pub(crate) mod crash;
pub(crate) mod debates;
pub(crate) mod discusses;
pub(crate) mod git;
pub(crate) mod inline;
pub(crate) mod live;
pub(crate) mod mcps;
pub(crate) mod plans;
pub(crate) mod process;
pub(crate) mod replies;
pub(crate) mod reviews;
pub(crate) mod sinks;
pub(crate) mod styles;
pub(crate) mod table;
pub(crate) mod terminal;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Output, Stdio};

use assert_cmd::assert::{Assert, OutputAssertExt as _};
use predicates::prelude::*;
use serde_json::Value;
use tempfile::TempDir;

/// The built program.
pub(crate) const BIN: &str = env!("CARGO_BIN_EXE_debate-agent");

/// Returns a path below `fixtures/`.
pub(crate) fn fixture(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(path)
}

/// A scratch project with its own home.
pub(crate) struct Sandbox {
    dir: TempDir,
    env: BTreeMap<String, String>,
}

/// The result of a finished run.
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Run {
    /// Returns standard output as JSON.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("{error}\n{}\n{}", self.stdout, self.stderr))
    }

    /// Prepares it for predicates; failures print both outputs.
    fn assert(&self) -> Assert {
        let status = match self.code {
            code @ 0.. => code << 8,
            signal => -signal,
        };
        let output = Output {
            status: ExitStatus::from_raw(status),
            stdout: self.stdout.clone().into_bytes(),
            stderr: self.stderr.clone().into_bytes(),
        };
        output.assert()
    }

    /// Asserts the exit code; a negative number means an end by that signal.
    #[track_caller]
    pub(crate) fn exits(&self, code: i32) -> &Self {
        if code < 0 {
            assert_eq!(self.code, code, "{}", self.assert());
        } else {
            self.assert().code(code);
        }
        self
    }

    /// Asserts that standard output contains a text.
    #[track_caller]
    pub(crate) fn prints(&self, text: &str) -> &Self {
        self.assert().stdout(predicate::str::contains(text));
        self
    }

    /// Asserts that standard error contains a text.
    #[track_caller]
    pub(crate) fn says(&self, text: &str) -> &Self {
        self.assert().stderr(predicate::str::contains(text));
        self
    }
}

/// One call as a fake recorded it.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    pub(crate) cli: String,
    pub(crate) turn: String,
    pub(crate) dir: PathBuf,
}

impl Call {
    /// Returns one file of the record: `argv`, `stdin`, `cwd`, `env`.
    pub(crate) fn read(&self, name: &str) -> String {
        fs::read(self.dir.join(name))
            .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
            .unwrap_or_default()
    }
}

/// Catches SIGHUP in this process, which a runner under `nohup` ignores.
///
/// An ignored signal stays ignored over `exec`, and debate-agent leaves a HUP alone that was ignored when it started;
/// a caught one goes back to its default in the program under test.
fn with_default_hangup() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        let unread = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
        signal_hook::flag::register(signal_hook::consts::SIGHUP, unread).unwrap();
    });
}

impl Sandbox {
    /// Creates an empty project with an empty home; the fakes come first on PATH.
    pub(crate) fn new() -> Self {
        with_default_hangup();
        let dir = tempfile::Builder::new().prefix("debate-it-").tempdir().unwrap();
        for sub in ["home/.fake/scenario", "home/.fake/ledger", "project", "tmp"] {
            fs::create_dir_all(dir.path().join(sub)).unwrap();
        }
        let path = |sub: &str| dir.path().join(sub).display().to_string();
        let env = BTreeMap::from([
            ("HOME".to_owned(), path("home")),
            ("TMPDIR".to_owned(), path("tmp")),
            (
                "PATH".to_owned(),
                format!("{}:/usr/local/bin:/usr/bin:/bin", fixture("bin").display()),
            ),
            ("LANG".to_owned(), "C.UTF-8".to_owned()),
            ("NO_COLOR".to_owned(), "1".to_owned()),
            ("COLUMNS".to_owned(), "100".to_owned()),
            // So that an agent that fails is missed: tests of stand-ins let them step in.
            ("DEBATE_AGENT_FALLBACK".to_owned(), "false".to_owned()),
        ]);
        Self { dir, env }
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.dir.path().join("project")
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.dir.path().join("home")
    }

    pub(crate) fn tmp(&self) -> PathBuf {
        self.dir.path().join("tmp")
    }

    /// Writes a file of the project.
    pub(crate) fn write(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.project().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    /// Sets a variable for every run.
    pub(crate) fn env(mut self, name: &str, value: &str) -> Self {
        self.env.insert(name.to_owned(), value.to_owned());
        self
    }

    /// Removes programs from the PATH.
    pub(crate) fn without(self, gone: &[&str]) -> Self {
        let bin = self.home().join("bin");
        fs::create_dir_all(&bin).unwrap();
        for entry in fs::read_dir(fixture("bin")).unwrap() {
            let entry = entry.unwrap();
            if !gone.iter().any(|name| entry.file_name() == **name) {
                std::os::unix::fs::symlink(entry.path(), bin.join(entry.file_name())).unwrap();
            }
        }
        let path = format!("{}:/usr/local/bin:/usr/bin:/bin", bin.display());
        self.env("PATH", &path)
    }

    /// Returns the variables of every run.
    pub(crate) fn vars(&self) -> &BTreeMap<String, String> {
        &self.env
    }

    /// Copies a folder of `fixtures/scenarios/` to the folder that the fakes read.
    pub(crate) fn scenario(self, name: &str) -> Self {
        for entry in fs::read_dir(fixture("scenarios").join(name)).unwrap() {
            let entry = entry.unwrap();
            fs::copy(entry.path(), self.home().join(".fake/scenario").join(entry.file_name()))
                .unwrap();
        }
        self
    }

    /// Gives one file to the fakes: `r1_critic.txt`, `r1_critic.1.sh`, ...
    pub(crate) fn fake(self, name: &str, text: &str) -> Self {
        fs::write(self.home().join(".fake/scenario").join(name), text).unwrap();
        self
    }

    /// Returns the command, ready to be spawned: for tests that do something while it runs.
    #[expect(clippy::disallowed_methods, reason = "tests start the program itself")]
    pub(crate) fn command(&self, args: &[&str]) -> std::process::Command {
        let mut command = std::process::Command::new(BIN);
        command
            .args(args)
            .env_clear()
            .envs(&self.env)
            .current_dir(self.project())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Runs the program to its end.
    pub(crate) fn run(&self, args: &[&str]) -> Run {
        self.piped(args, "")
    }

    /// Runs the program to its end with this on its standard input.
    pub(crate) fn piped(&self, args: &[&str], input: &str) -> Run {
        let mut command = assert_cmd::Command::from_std(self.command(args));
        Self::finish(command.write_stdin(input).output().unwrap())
    }

    /// Reads a finished process.
    pub(crate) fn finish(output: Output) -> Run {
        Run {
            code: output.status.code().unwrap_or_else(|| -output.status.signal().unwrap_or(0)),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// Returns the calls that the fakes recorded, in order.
    pub(crate) fn calls(&self) -> Vec<Call> {
        let mut names: Vec<_> = fs::read_dir(self.home().join(".fake/ledger"))
            .map(|entries| entries.filter_map(Result::ok).map(|entry| entry.path()).collect())
            .unwrap_or_default();
        names.sort();
        names
            .into_iter()
            .filter(|path| path.is_dir())
            .map(|dir| {
                let name = dir.file_name().unwrap().to_string_lossy().into_owned();
                let mut parts = name.splitn(3, '-').skip(1).map(str::to_owned);
                Call {
                    cli: parts.next().unwrap_or_default(),
                    turn: parts.next().unwrap_or_default().replace('_', "/"),
                    dir,
                }
            })
            .collect()
    }

    /// Returns the calls as `cli turn` lines.
    pub(crate) fn ledger(&self) -> Vec<String> {
        self.calls().iter().map(|call| format!("{} {}", call.cli, call.turn)).collect()
    }

    /// Returns the session directories of the project.
    pub(crate) fn sessions(&self) -> Vec<PathBuf> {
        let mut dirs: Vec<_> = fs::read_dir(self.project().join(".debate/sessions"))
            .map(|entries| entries.filter_map(Result::ok).map(|entry| entry.path()).collect())
            .unwrap_or_default();
        dirs.sort();
        dirs
    }

    /// Copies `fixtures/opportunities/six.json` into the project.
    pub(crate) fn six(&self) -> PathBuf {
        self.write("backlog.json", fs::read(fixture("opportunities/six.json")).unwrap())
    }
}
