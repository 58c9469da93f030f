//! A run in progress: waiting for its calls, sending it signals, listing its live processes.
#![cfg(target_os = "linux")]

use std::fs;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use super::{Run, Sandbox};

/// Maximum wait of any test for something that must happen.
const PATIENCE: Duration = Duration::from_secs(30);

/// A running program.
pub(crate) struct Live<'a> {
    sandbox: &'a Sandbox,
    pub(crate) child: Child,
}

/// One process that belongs to a sandbox.
#[derive(Debug, Clone)]
pub(crate) struct Process {
    pub(crate) pid: i32,
    pub(crate) state: char,
    pub(crate) command: String,
}

impl Sandbox {
    /// Starts the program and does not wait.
    pub(crate) fn start(&self, args: &[&str]) -> Live<'_> {
        let child = self.command(args).spawn().unwrap();
        Live { sandbox: self, child }
    }

    /// Makes every call of a fake take this long.
    pub(crate) fn slow(self, seconds: &str) -> Self {
        self.delay(seconds);
        self
    }

    /// The same, in the middle of a test.
    pub(crate) fn delay(&self, seconds: &str) {
        fs::write(self.home().join(".fake/delay"), seconds).unwrap();
    }

    /// Lists the processes that have this sandbox's home, the program itself included; no zombies.
    pub(crate) fn processes(&self) -> Vec<Process> {
        let entry = format!("HOME={}", self.home().display());
        fs::read_dir("/proc")
            .unwrap()
            .filter_map(|folder| {
                let folder = folder.ok()?.path();
                let pid = folder.file_name()?.to_str()?.parse().ok()?;
                let environment = fs::read(folder.join("environ")).ok()?;
                environment
                    .split(|byte| *byte == 0)
                    .any(|it| it == entry.as_bytes())
                    .then_some(())?;
                let stat = fs::read_to_string(folder.join("stat")).ok()?;
                let state = stat.rsplit(") ").next()?.chars().next()?;
                let command = fs::read(folder.join("cmdline")).ok()?;
                let command = String::from_utf8_lossy(&command).replace('\0', " ");
                (state != 'Z').then_some(Process { pid, state, command })
            })
            .collect()
    }

    /// Asserts that nothing of this sandbox is alive.
    #[track_caller]
    pub(crate) fn nothing_lives(&self) {
        let left = self.processes();
        assert!(left.is_empty(), "left behind: {left:#?}");
    }

    /// Waits until the fakes were called this often.
    #[track_caller]
    pub(crate) fn until_calls(&self, count: usize) {
        until(&format!("{count} calls"), || {
            self.calls().iter().filter(|call| call.dir.join("start").is_file()).count() >= count
        });
    }
}

impl Live<'_> {
    pub(crate) fn pid(&self) -> Pid {
        Pid::from_child(&self.child)
    }

    pub(crate) fn send(&self, signal: Signal) {
        kill_process(self.pid(), signal).unwrap();
    }

    /// Waits for its end; its outputs must be small or have a reader.
    pub(crate) fn finish(self) -> Run {
        Sandbox::finish(self.child.wait_with_output().unwrap())
    }

    /// Returns the fakes of this run, without the program itself and its guards.
    pub(crate) fn fakes(&self) -> Vec<Process> {
        let mut found = self.sandbox.processes();
        found.retain(|process| process.command.contains("fake-agent"));
        found
    }

    /// Returns this program's state in the process table.
    pub(crate) fn state(&self) -> Option<char> {
        let pid = self.pid().as_raw_nonzero().get();
        (self.sandbox.processes().iter())
            .find(|process| process.pid == pid)
            .map(|process| process.state)
    }
}

/// Waits until a condition holds.
#[track_caller]
pub(crate) fn until(what: &str, happened: impl Fn() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !happened() {
        assert!(Instant::now() < deadline, "waited in vain for {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

impl Process {
    /// Whether it is stopped. A parent that waits for its vforked child to run a program, and that is stopped, is in
    /// `D`.
    pub(crate) fn paused(&self) -> bool {
        matches!(self.state, 'T' | 'D')
    }
}

/// Waits until all agents of a run are stopped.
#[track_caller]
pub(crate) fn until_paused(live: &Live<'_>) {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let fakes = live.fakes();
        if !fakes.is_empty() && fakes.iter().all(Process::paused) {
            return;
        }
        assert!(Instant::now() < deadline, "not every agent stopped: {fakes:?}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Runs the program with an open, a closed or a broken stream, as a shell line would: `"$@" 2>&-`.
#[expect(clippy::disallowed_methods, reason = "tests start the program itself")]
pub(crate) fn shell(sandbox: &Sandbox, script: &str, args: &[&str], dir: &Path) -> Run {
    let program = sandbox.command(&[]);
    let mut command = std::process::Command::new("/bin/bash");
    command
        .args(["-c", script, super::BIN])
        .args(args)
        .env_clear()
        .envs(program.get_envs().filter_map(|(name, value)| Some((name, value?))))
        .current_dir(dir)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    Sandbox::finish(command.output().unwrap())
}
