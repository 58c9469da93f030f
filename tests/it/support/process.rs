//! A stage for one misbehaving program: its scripts, its ledger, its run, and an oracle with its own view of the
//! process table.
#![cfg(target_os = "linux")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use debate_agent::process::{Control, Depth, Limits, ProcessResult, Sink, Spec, run};
use tokio::sync::watch;

/// The verb for the relative that sheds as many of its marks as possible. On platforms where guards adopt no process,
/// one that also sheds its environment is not found, and that is not promised.
pub(crate) const DAEMON: &str = if cfg!(portable) { "orphan" } else { "daemon" };

/// The output of a program.
#[derive(Debug, Default)]
pub(crate) struct Printed {
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Vec<u8>,
}

impl Sink for Printed {
    fn stdout(&mut self, chunk: &[u8]) {
        self.stdout.extend_from_slice(chunk);
    }
    fn stderr(&mut self, chunk: &[u8]) {
        self.stderr.extend_from_slice(chunk);
    }
}

/// A folder with a script and a ledger. Every process that runs on it has its path in its arguments or as its working
/// directory, cleared environment or not: the oracle recognises it by that.
#[derive(Debug)]
pub(crate) struct Stage {
    folder: tempfile::TempDir,
    pub(crate) spec: Spec,
}

impl Stage {
    /// Sets up a stage whose program runs `script`, with limits short enough for tests.
    pub(crate) fn new(script: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().canonicalize().unwrap();
        for name in ["ledger", "cwd"] {
            fs::create_dir(path.join(name)).unwrap();
        }
        let spec = spec(&path, debate_agent::env::unique());
        let stage = Self { folder, spec };
        stage.script("main", script)
    }

    /// Adds a script for a relative of the program.
    pub(crate) fn script(self, name: &str, script: &str) -> Self {
        fs::write(self.folder.path().join(name), script).unwrap();
        self
    }

    pub(crate) fn limits(mut self, change: impl FnOnce(&mut Limits)) -> Self {
        change(&mut self.spec.limits);
        self
    }

    pub(crate) fn stdin(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.spec.stdin = bytes.into();
        self
    }

    /// Makes the program something other than the script.
    pub(crate) fn program(mut self, program: impl Into<PathBuf>, args: &[&str]) -> Self {
        self.spec.program = program.into();
        self.spec.args = args.iter().map(|arg| (*arg).to_owned()).collect();
        self
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap()
    }

    /// Returns a file of the ledger, empty if it is missing.
    pub(crate) fn ledger(&self, name: &str) -> String {
        fs::read_to_string(self.path().join("ledger").join(name)).unwrap_or_default()
    }

    /// Runs it to its end and checks that nothing is left.
    pub(crate) async fn run(&self) -> (ProcessResult, Printed, Duration) {
        let (_control, listener) = watch::channel(Control::Run);
        self.run_under(listener).await
    }

    /// The same, under a caller's control.
    pub(crate) async fn run_under(
        &self,
        control: watch::Receiver<Control>,
    ) -> (ProcessResult, Printed, Duration) {
        let mut printed = Printed::default();
        let before = Instant::now();
        let ran = run(&self.spec, control, &mut printed).await;
        let took = before.elapsed();
        let left = self.alive();
        assert!(left.is_empty(), "{ran:?} left behind:\n{}", left.join("\n"));
        (ran, printed, took)
    }

    /// Lists the live processes of this stage, guards excepted: by tag, by working directory, by arguments.
    pub(crate) fn alive(&self) -> Vec<String> {
        let path = self.path();
        let path = path.to_str().unwrap();
        let me = std::process::id().to_string();
        processes()
            .filter(|folder| !folder.ends_with(&me))
            .filter_map(|folder| {
                let read = |name: &str| {
                    String::from_utf8_lossy(&fs::read(folder.join(name)).unwrap_or_default())
                        .replace('\0', " ")
                };
                let command = read("cmdline");
                let cwd = fs::read_link(folder.join("cwd")).unwrap_or_default();
                let ours = command.contains(path)
                    || cwd.starts_with(path)
                    || read("environ").contains(&self.spec.tag);
                let zombie = read("stat").rsplit(')').next()?.trim().starts_with('Z');
                (ours && !zombie && !command.contains("process_hosts::"))
                    .then(|| format!("{} {command}", folder.display()))
            })
            .collect()
    }

    /// Waits until a line is in the ledger's marks.
    pub(crate) async fn until_marked(&self, line: &str) {
        self.until(&format!("mark {line:?}"), |stage| {
            stage.ledger("marks").lines().any(|mark| mark == line)
        })
        .await;
    }

    pub(crate) async fn until(&self, what: &str, happened: impl Fn(&Self) -> bool) {
        let deadline = Instant::now() + Duration::from_secs(10);
        while !happened(self) {
            assert!(Instant::now() < deadline, "waited in vain for {what}");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// Returns the pid of the program's guard, taken from the stat file of its leader.
    pub(crate) fn guard(&self) -> Option<rustix::process::Pid> {
        let entry = format!("DEBATE_AGENT_CALL={}", self.spec.tag);
        let session = processes().find_map(|folder| {
            let environment = fs::read(folder.join("environ")).ok()?;
            (environment.split(|byte| *byte == 0))
                .any(|it| it == entry.as_bytes())
                .then(|| stat_field(&fs::read_to_string(folder.join("stat")).ok()?, 3))?
        })?;
        rustix::process::Pid::from_raw(session)
    }
}

/// Returns the specification of a run on a stage in this folder.
pub(crate) fn spec(path: &Path, tag: String) -> Spec {
    Spec {
        guard: env!("CARGO_BIN_EXE_debate-agent").into(),
        program: concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/bin/misbehave").into(),
        args: vec![
            path.join("main").to_str().unwrap().to_owned(),
            path.join("ledger").to_str().unwrap().to_owned(),
        ],
        depth: Depth::Counts,
        env: BTreeMap::from([("PATH".to_owned(), "/usr/bin:/bin".to_owned())]),
        cwd: path.join("cwd"),
        scratch: None,
        stdin: Vec::new(),
        tag,
        limits: Limits {
            timeout: Duration::from_secs(5),
            idle: None,
            grace: Duration::from_millis(300),
            drain: Duration::from_millis(300),
            ..Limits::default()
        },
    }
}

/// Returns a field of a stat file, counted from the state at 0.
pub(crate) fn stat_field(stat: &str, at: usize) -> Option<i32> {
    let (_, fields) = stat.rsplit_once(") ")?;
    fields.split(' ').nth(at)?.parse().ok()
}

fn processes() -> impl Iterator<Item = PathBuf> {
    fs::read_dir("/proc")
        .unwrap()
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path: &PathBuf| is_number(path))
}

fn is_number(path: &Path) -> bool {
    (path.file_name().and_then(|name| name.to_str()))
        .is_some_and(|name| name.bytes().all(|byte| byte.is_ascii_digit()))
}
