//! The surroundings that a caller passes on: blocked signals, narrow limits, a strange clock, a terminal that goes
//! away, and processes that an earlier run could not end.
#![cfg(target_os = "linux")]

use std::fs::{self, File};
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

use nix::sys::signal::{SigSet, Signal as Blocked};
use rustix::fs::{Mode, OFlags};
use rustix::process::{Pid, Signal, kill_process};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use crate::support::live::{Live, shell, until};
use crate::support::terminal::Terminal;
use crate::support::{Run, Sandbox};

/// Starts the program from a thread that blocks these signals, like a supervisor that reads them from a descriptor.
fn start_blocked<'s>(sandbox: &'s Sandbox, signals: &[Blocked], args: &[&str]) -> Live<'s> {
    let blocked: SigSet = signals.iter().copied().collect();
    std::thread::scope(|scope| {
        let start = scope.spawn(|| {
            blocked.thread_block().unwrap();
            sandbox.start(args)
        });
        start.join().unwrap()
    })
}

#[test]
fn calls_end_where_the_caller_blocked_sigchld() {
    let sandbox = Sandbox::new();
    sandbox.six();
    let args = ["prioritize", "backlog.json", "--json", "--timeout", "20"];
    let before = Instant::now();
    let run = start_blocked(&sandbox, &[Blocked::SIGCHLD], &args).finish();
    assert_eq!(run.exits(0).json()["outcome"], "consensus");
    // Three calls, each of which would last until its time limit.
    assert!(before.elapsed() < Duration::from_secs(20), "{:?}", before.elapsed());
}

#[test]
fn a_run_can_be_stopped_where_the_caller_blocked_the_signals_for_that() {
    let sandbox = Sandbox::new().slow("60");
    sandbox.six();
    let blocked = [Blocked::SIGINT, Blocked::SIGTERM, Blocked::SIGHUP];
    let live = start_blocked(&sandbox, &blocked, &["prioritize", "backlog.json"]);
    sandbox.until_calls(1);
    let before = Instant::now();
    live.send(Signal::TERM);
    live.finish().exits(143);
    assert!(before.elapsed() < Duration::from_secs(9), "{:?}", before.elapsed());
    sandbox.nothing_lives();
}

fn limited(sandbox: &Sandbox, limit: &str) -> Run {
    let script = format!("ulimit {limit}; exec \"$0\" \"$@\"");
    let args = ["prioritize", "backlog.json", "--json"];
    shell(sandbox, &script, &args, &sandbox.project())
}

#[test]
fn too_few_descriptors_are_an_error_by_name_and_no_panic() {
    for files in [6, 9, 12, 14, 24] {
        let sandbox = Sandbox::new();
        sandbox.six();
        let run = limited(&sandbox, &format!("-n {files}"));
        assert!([0, 3, 4, 5].contains(&run.code), "{files} files: {}\n{}", run.code, run.stderr);
        assert!(!run.stderr.contains("panicked"), "{files} files: {}", run.stderr);
        sandbox.nothing_lives();
    }
}

#[test]
fn a_small_stack_is_no_matter() {
    let sandbox = Sandbox::new();
    sandbox.six();
    let run = limited(&sandbox, "-s 64");
    assert_eq!(run.exits(0).json()["outcome"], "consensus");
}

#[test]
fn a_terminal_that_is_closed_ends_with_the_code_of_a_hangup() {
    let sandbox = Sandbox::new().slow("60");
    sandbox.six();
    let keys = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
    grantpt(&keys).unwrap();
    unlockpt(&keys).unwrap();
    let name = ptsname(&keys, Vec::new()).unwrap();
    let inside: OwnedFd =
        rustix::fs::open(&name, OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).unwrap();
    let mut command = sandbox.command(&["prioritize", "backlog.json"]);
    command.stdout(inside);
    let mut child = command.spawn().unwrap();
    drop(command);
    sandbox.until_calls(1);
    drop(File::from(keys));
    kill_process(Pid::from_child(&child), Signal::HUP).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(129));
    sandbox.nothing_lives();
}

#[test]
#[cfg_attr(portable, ignore = "nobody can be told from an orphan of a call that goes on")]
fn what_a_run_left_that_was_killed_with_its_guard_is_ended_by_the_next_start() {
    // Any run of the same user ends it, even one of a concurrent test: then that one has reported it.
    let said = (0..10).any(|_| killed_with_its_guard());
    assert!(said, "no start said that it ended what was left");
}

/// Kills a run with its guard, and checks the next start. Returns whether that start reported that it ended the rest.
fn killed_with_its_guard() -> bool {
    let sandbox = Sandbox::new().fake("r1_champion.sh", "trap '' TERM INT HUP\nsleep 300\n");
    sandbox.six();
    let live = sandbox.start(&["prioritize", "backlog.json"]);
    until("the sleep of the fake", || {
        let processes = sandbox.processes();
        processes.iter().any(|process| process.command.starts_with("sleep 300"))
    });
    // Another run of the same user, whose processes must stay.
    let other = Sandbox::new().slow("60");
    other.six();
    let others = other.start(&["prioritize", "backlog.json"]);
    other.until_calls(1);
    let guards: Vec<i32> = guards_below(live.pid().as_raw_nonzero().get());
    assert_eq!(guards.len(), 1);
    // Stopped first, so that neither of them sees the other's death.
    for pid in [live.pid().as_raw_nonzero().get(), guards[0]] {
        kill_process(Pid::from_raw(pid).unwrap(), Signal::STOP).unwrap();
    }
    for pid in [guards[0], live.pid().as_raw_nonzero().get()] {
        kill_process(Pid::from_raw(pid).unwrap(), Signal::KILL).unwrap();
    }
    live.finish();
    // A guard whose death is only on its way still guards.
    until("the guard's death", || !guard_lives(guards[0]));

    let run = sandbox.run(&["sessions", "list"]);
    let said = run.exits(0).stderr.contains("that an earlier run left behind");
    sandbox.nothing_lives();
    assert!(!others.fakes().is_empty(), "the other run's agent has its guard");
    others.send(Signal::TERM);
    others.finish().exits(143);
    let calm = sandbox.run(&["sessions", "list"]);
    assert!(!calm.exits(0).stderr.contains("left behind") || !said);
    said
}

fn guard_lives(pid: i32) -> bool {
    // The command line of a dead process that was not reaped is empty.
    fs::read(format!("/proc/{pid}/cmdline")).is_ok_and(|line| !line.is_empty())
}

fn guards_below(pid: i32) -> Vec<i32> {
    let children = fs::read_dir("/proc").unwrap().filter_map(|entry| {
        let folder = entry.ok()?.path();
        let stat = fs::read_to_string(folder.join("stat")).ok()?;
        let parent: i32 = stat.rsplit(") ").next()?.split(' ').nth(1)?.parse().ok()?;
        let line = fs::read(folder.join("cmdline")).ok()?;
        let child = folder.file_name()?.to_str()?.parse().ok()?;
        (parent == pid && line.windows(7).any(|part| part == b"__guard")).then_some(child)
    });
    children.collect()
}

/// The terminal's content while a call goes on.
fn live_view(no_color: &str) -> String {
    let sandbox = Sandbox::new().env("NO_COLOR", no_color).slow("600");
    sandbox.six();
    let mut terminal = Terminal::of_width(100, &sandbox, &["prioritize", "backlog.json"]);
    // Lines that are not redrawn have no bar.
    terminal.sees("budget \u{254c}");
    terminal.send(Signal::INT);
    let run = terminal.finish();
    run.exits(130);
    run.stderr.clone()
}

#[test]
fn a_live_view_without_colours_is_a_live_view() {
    let is_coloured = |screen: &str| {
        let mut sequences = screen.split("\u{1b}[").skip(1);
        sequences.any(|rest| {
            rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == ';').starts_with('m')
        })
    };
    assert!(is_coloured(&live_view("")));
    let plain = live_view("1");
    assert!(!is_coloured(&plain), "{plain:?}");
}
