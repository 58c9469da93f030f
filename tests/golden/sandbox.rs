//! Plays one run: a project, a home, the fakes on the path, and nothing of the caller's environment.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};
use std::{env, thread};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::SEED;
use crate::case::{Case, Played, by_meaning};
use crate::play::listed;
use crate::settle::{events, settle};

/// The folder of all runs: a fixed one, so that no path differs from run to run.
const ROOT: &str = "/tmp/debate-agent-golden";

/// Maximum wait for a fake.
const PATIENCE: Duration = Duration::from_mins(1);

/// Keeps a second recorder out of the folder.
pub(crate) fn lock() -> File {
    fs::create_dir_all(ROOT).unwrap();
    let file = File::create(Path::new(ROOT).join(".lock")).unwrap();
    file.lock().unwrap();
    file
}

/// Plays a run from its beginning.
pub(crate) fn play(case: &Case) -> Played {
    let sandbox = Sandbox::new(case);
    let mut played = Played::default();
    for (index, line) in case.steps.iter().enumerate() {
        sandbox.step(index + 1, line, &mut played);
    }
    sandbox.calls(case, &mut played);
    fs::remove_dir_all(&sandbox.0).ok();
    played
}

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures")
}

pub(crate) struct Sandbox(PathBuf);

impl Sandbox {
    pub(crate) fn new(case: &Case) -> Self {
        let project = &case.project;
        let sandbox = Self(Path::new(ROOT).join(&case.name));
        fs::remove_dir_all(&sandbox.0).ok();
        for folder in
            ["home/.fake/scenario", "home/.fake/ledger", "home/.config/debate-agent", "bin", "tmp"]
        {
            fs::create_dir_all(sandbox.at(folder)).unwrap();
        }
        let fakes = fs::read_dir(fixtures().join("bin")).unwrap().map(|fake| fake.unwrap().path());
        for program in fakes {
            std::os::unix::fs::symlink(
                &program,
                sandbox.at("bin").join(program.file_name().unwrap()),
            )
            .unwrap();
        }
        std::os::unix::fs::symlink(env::current_exe().unwrap(), sandbox.at("bin/debate-agent"))
            .unwrap();
        fs::create_dir(sandbox.at("project")).unwrap();
        if let Some(scenario) = &project.scenario {
            copy(&fixtures().join("scenarios").join(scenario), &sandbox.at("home/.fake/scenario"));
        }
        // One at a time, so that the order of calls is the order of turns.
        let mut config: Value = json!({"limits": {"max_parallel": 1}});
        let own: Value = serde_json::from_str(project.config.as_deref().unwrap_or("{}")).unwrap();
        merge(&mut config, own);
        fs::write(sandbox.at("home/.config/debate-agent/config.json"), config.to_string()).unwrap();
        let made = format!("set -e\n. \"$GOLDEN/make.sh\"\n{}", project.setup);
        let made = sandbox.shell(0, &made).output().unwrap();
        assert!(made.status.success(), "{}: {}", case.name, String::from_utf8_lossy(&made.stderr));
        sandbox
    }

    pub(crate) fn at(&self, path: &str) -> PathBuf {
        self.0.join(path)
    }

    /// The environment; `number` is the seed of the program's draws.
    pub(crate) fn vars(&self, number: usize) -> Vec<(String, String)> {
        let path = |path: PathBuf| path.display().to_string();
        [
            (SEED, number.to_string()),
            ("ID", self.newest().unwrap_or_default()),
            ("FIXTURES", path(fixtures())),
            ("GOLDEN", path(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden"))),
            ("HOME", path(self.at("home"))),
            ("TMPDIR", path(self.at("tmp"))),
            ("PATH", format!("{}:/usr/local/bin:/usr/bin:/bin", path(self.at("bin")))),
            ("LANG", "C.UTF-8".to_owned()),
            ("COLUMNS", "100".to_owned()),
            ("NO_COLOR", "1".to_owned()),
            ("GIT_CONFIG_NOSYSTEM", "1".to_owned()),
            ("GIT_AUTHOR_NAME", "T".to_owned()),
            ("GIT_COMMITTER_NAME", "T".to_owned()),
            ("GIT_AUTHOR_EMAIL", "t@example.org".to_owned()),
            ("GIT_COMMITTER_EMAIL", "t@example.org".to_owned()),
            ("GIT_AUTHOR_DATE", "2026-01-10T12:00:00Z".to_owned()),
            ("GIT_COMMITTER_DATE", "2026-01-10T12:00:00Z".to_owned()),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .into()
    }

    /// Returns the command for a line of shell in the project; `number` is the seed of the program's draws.
    #[expect(clippy::disallowed_methods, reason = "tests start the program themselves")]
    fn shell(&self, number: usize, line: &str) -> Command {
        let mut command = Command::new("/bin/sh");
        command
            .args(["-c", line])
            .env_clear()
            .envs(self.vars(number))
            .current_dir(self.at("project"))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Runs one step and records its output and exit code.
    fn step(&self, number: usize, line: &str, played: &mut Played) {
        let signal = [("INT: ", Signal::INT), ("TERM: ", Signal::TERM)];
        let signalled =
            signal.into_iter().find_map(|(word, signal)| Some((line.strip_prefix(word)?, signal)));
        let output = match signalled {
            None => self.shell(number, line).output().unwrap(),
            Some((line, signal)) => self.signalled(number, line, signal),
        };
        played.command(line);
        let printed = self.settled(&output.stdout);
        played.lines(
            '|',
            &by_meaning(&if line.contains("--events -") { events(&printed) } else { printed }),
        );
        played.lines('!', &self.settled(&output.stderr));
        match output.status.code() {
            Some(0) => {}
            Some(code) => played.lines('=', &code.to_string()),
            None => played.lines('=', &output.status.to_string()),
        }
    }

    fn signalled(&self, number: usize, line: &str, signal: Signal) -> Output {
        let here = self.at("home/.fake/here");
        fs::remove_file(&here).ok();
        let child = self.shell(number, &format!("exec {line}")).spawn().unwrap();
        let began = Instant::now();
        while !here.exists() {
            assert!(began.elapsed() < PATIENCE, "no fake came to where it waits for {line}");
            thread::sleep(Duration::from_millis(5));
        }
        kill_process(Pid::from_child(&child), signal).unwrap();
        child.wait_with_output().unwrap()
    }

    /// Records the calls in the fakes' own ledger, and the prompts that the run keeps.
    fn calls(&self, case: &Case, played: &mut Played) {
        let mut calls = Vec::new();
        for call in listed(&self.at("home/.fake/ledger")).iter().filter(|call| call.is_dir()) {
            let name = call.file_name().unwrap().to_string_lossy();
            let name = name.trim_start_matches('0');
            let (_, call_name) = name.split_once('-').unwrap();
            let (cli, turn) = call_name.split_once('-').unwrap_or((call_name, ""));
            calls.push(format!("{cli} {turn}"));
            if case.project.prompts.iter().any(|wanted| wanted == name) {
                let prompt = self.settled(&fs::read(call.join("stdin")).unwrap_or_default());
                played.prompts.insert(name.to_owned(), prompt);
            }
        }
        played.lines('@', &calls.join("\n"));
        let missing = case.project.prompts.iter().find(|call| !played.prompts.contains_key(*call));
        assert_eq!(missing, None, "{}: no such call", case.name);
    }

    /// The id of the newest session.
    fn newest(&self) -> Option<String> {
        let newest = listed(&self.at("project/.debate/sessions")).pop()?;
        Some(newest.file_name()?.to_str()?.to_owned())
    }

    /// A text without anything that differs from run to run and from checkout to checkout.
    fn settled(&self, bytes: &[u8]) -> String {
        let text = String::from_utf8_lossy(bytes);
        let text = text.replace(&self.0.display().to_string(), "/sandbox");
        let program = env::current_exe().unwrap();
        let text = text.replace(&program.display().to_string(), "/program");
        settle(&text.replace(env!("CARGO_MANIFEST_DIR"), "/checkout"))
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in listed(from) {
        let to = to.join(entry.file_name().unwrap());
        if entry.is_dir() {
            copy(&entry, &to);
        } else {
            fs::copy(&entry, to).unwrap();
        }
    }
}

/// Lays one object over another.
fn merge(below: &mut Value, above: Value) {
    match (below, above) {
        (Value::Object(below), Value::Object(above)) => {
            for (key, value) in above {
                merge(below.entry(key).or_insert(Value::Null), value);
            }
        }
        (below, above) => *below = above,
    }
}
