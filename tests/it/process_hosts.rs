//! Process tests that need an orchestrator of their own: one that may be killed, become a subreaper, or be started
//! with strange descriptors, signals and limits. The orchestrator is this test binary again, as [`host`].
#![cfg(target_os = "linux")]

use std::fs;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use debate_agent::process::{Control, Ending, become_subreaper, run};
use rustix::process::{Pid, Resource, Rlimit, Signal, kill_process, setrlimit};
use tokio::sync::watch;

use crate::support::process::{DAEMON, Printed, Stage, spec};

const STAGE: &str = "PROCESS_TEST_STAGE";
const TAG: &str = "PROCESS_TEST_TAG";
const MODE: &str = "PROCESS_TEST_MODE";

/// The hosted orchestrator; an ordinary test run skips it.
#[tokio::test]
async fn host() {
    let (Some(stage), Some(tag)) = (debate_agent::env::var(STAGE), debate_agent::env::var(TAG))
    else {
        return;
    };
    let mode = debate_agent::env::var(MODE).unwrap_or_default();
    become_subreaper().unwrap();
    let mut held = Vec::new();
    if mode == "starved" || mode == "starving" {
        let limit = Some(64);
        setrlimit(Resource::Nofile, Rlimit { current: limit, maximum: limit }).unwrap();
        while let Ok(file) = fs::File::open("/dev/null") {
            held.push(file);
        }
    }
    if mode == "starving" {
        std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(100));
            drop(held);
        });
    }
    let spec = spec(stage.as_ref(), tag);
    let (_control, listener) = watch::channel(Control::Run);
    let mut printed = Printed::default();
    let ran = run(&spec, listener, &mut printed).await;
    match ran.ending {
        Ending::Exited { code: 0 } => println!("ENDING fine"),
        Ending::GuardLost => println!("ENDING lost {}", ran.unkillable),
        Ending::SpawnFailed { message, .. } => println!("ENDING not started: {message}"),
        other @ (Ending::Exited { .. }
        | Ending::Signaled { .. }
        | Ending::TimedOut
        | Ending::Idle
        | Ending::Lingering
        | Ending::OutputLimit
        | Ending::Cancelled) => println!("ENDING {other:?}"),
    }
}

/// Starts a host for a stage; `shell` is run by a shell first, to prepare its surroundings.
#[expect(clippy::disallowed_methods, reason = "tests start their own world")]
fn start(stage: &Stage, mode: &str, shell: &str) -> Child {
    let this = std::env::current_exe().unwrap();
    Command::new("/bin/sh")
        .args(["-c", &format!("{shell}\nexec \"$0\" \"$@\"")])
        .arg(this)
        .args(["process_hosts::host", "--exact", "--nocapture"])
        .env(STAGE, stage.path())
        .env(TAG, &stage.spec.tag)
        .env(MODE, mode)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

fn said(host: Child) -> String {
    String::from_utf8_lossy(&host.wait_with_output().unwrap().stdout).into_owned()
}

#[tokio::test]
async fn p10_the_orchestrator_killed_by_9_at_any_moment_leaves_nobody() {
    // Spread over the start and the life of the program and its relatives: 24 moments, 4 at once.
    let moments: Vec<u64> = (0..24).map(|at| (at * 37) % 180).collect();
    let mut had_relatives = 0;
    for batch in moments.chunks(4) {
        let hosts: Vec<(Stage, Child, u64)> = batch
            .iter()
            .map(|moment| {
                let script = "bad\nsession bad\nchild bad\nignore TERM HUP\nmark up\nhang";
                let stage = Stage::new(&format!("{DAEMON} {script}"))
                    .script("bad", "ignore TERM HUP INT\nmark up\nhang");
                let host = start(&stage, "", "");
                (stage, host, *moment)
            })
            .collect();
        for (stage, mut host, moment) in hosts {
            tokio::time::sleep(Duration::from_millis(moment / 3)).await;
            let host_id = Pid::from_child(&host);
            kill_process(host_id, Signal::KILL).unwrap();
            let killed = Instant::now();
            host.wait().unwrap();
            // Its guard may be just starting: a look that finds no process must remain true for a while.
            let mut quiet_since = None;
            while quiet_since
                .is_none_or(|since: Instant| since.elapsed() < Duration::from_millis(60))
            {
                let alive = stage.alive();
                if alive.is_empty() {
                    quiet_since.get_or_insert_with(Instant::now);
                } else {
                    quiet_since = None;
                    let limit = stage.spec.limits.grace + Duration::from_millis(1500);
                    assert!(
                        killed.elapsed() < limit,
                        "killed after {moment} ms:\n{}",
                        alive.join("\n")
                    );
                }
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            had_relatives += u32::from(stage.ledger("marks").lines().count() == 4);
        }
    }
    assert!(had_relatives >= 5, "only {had_relatives} were killed late enough to matter");
}

#[tokio::test]
async fn the_guard_killed_by_9_leaves_no_daemon_to_a_subreaper() {
    let stage = Stage::new(&format!("{DAEMON} bad\nsession bad\nignore TERM\nmark up\nhang"))
        .script("bad", "ignore TERM HUP\nmark up\nclose_outputs\nhang");
    let host = start(&stage, "", "");
    stage.until("all three", |stage| stage.ledger("marks").lines().count() == 3).await;
    kill_process(stage.guard().unwrap(), Signal::KILL).unwrap();
    let said = said(host);
    assert!(said.contains("ENDING lost 0"), "{said}");
    assert!(stage.alive().is_empty(), "{:?}", stage.alive());
}

#[tokio::test]
async fn f18_want_of_descriptors_is_waited_out_but_not_for_ever() {
    let stage = Stage::new("say hello");
    let starving = said(start(&stage, "starving", ""));
    assert!(starving.contains("ENDING fine"), "{starving}");
    let before = Instant::now();
    let starved = said(start(&stage, "starved", ""));
    assert!(starved.contains("ENDING not started"), "{starved}");
    assert!(before.elapsed() < Duration::from_secs(3));
}

#[tokio::test]
async fn the_program_sees_the_promised_world_whatever_ours_is() {
    let stage = Stage::new("dump");
    let canary = stage.path().join("canary");
    fs::write(&canary, "").unwrap();
    let world = format!(
        "umask 000; trap '' HUP INT TERM USR1 TSTP CHLD; exec 7<'{}' 9>&1; export SECRET=canary",
        canary.display()
    );
    let said = said(start(&stage, "", &world));
    assert!(said.contains("ENDING fine"), "{said}");

    let mut env: Vec<String> = stage.ledger("env").lines().map(str::to_owned).collect();
    env.retain(|line| !line.starts_with("_=") && !line.starts_with("OLDPWD="));
    env.sort();
    let cwd = stage.path().join("cwd").display().to_string();
    let expected = [
        format!("DEBATE_AGENT_CALL={}", stage.spec.tag),
        "DEBATE_AGENT_DEPTH=1".to_owned(),
        "PATH=/usr/bin:/bin".to_owned(),
        format!("PWD={cwd}"),
    ];
    assert_eq!(env, expected);
    assert_eq!(stage.ledger("cwd").trim(), cwd);
    let argv = stage.ledger("argv");
    assert!(argv.ends_with(&format!("{}\n", stage.spec.args.join("\n"))), "{argv}");
    assert_eq!(stage.ledger("umask").trim(), "0077");
    // ls itself: 0 and 2 are the program's, 1 the ledger's file, 3 the folder it lists.
    let fds = stage.ledger("fds");
    assert!(!fds.contains("canary"), "{fds}");
    assert_eq!(fds.lines().filter(|line| line.contains("->")).count(), 4, "{fds}");
    let status = stage.ledger("status");
    let mask = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
        u64::from_str_radix(line.trim(), 16).unwrap()
    };
    assert_eq!(mask("SigBlk:"), 0, "{status}");
    // The C library's posix_spawn ignores 32 and 33, its own two, in every child.
    assert_eq!(mask("SigIgn:") & !(0b11 << 31), 0, "{status}");
    let field = |at| crate::support::process::stat_field(&stage.ledger("stat"), at).unwrap();
    let (pid, group, session, terminal) = (stage.ledger("stat"), field(2), field(3), field(4));
    assert!(pid.starts_with(&format!("{group} ")), "it leads its group");
    assert_eq!(session, field(1), "its parent, the guard, leads the session");
    assert_eq!(terminal, 0, "no controlling terminal");
}
