//! Sessions across real processes: the lock, the umask, and a process that is killed.
//!
//! The other process is this test binary again, running one of the hosted tests below in a directory that contains
//! the file `go`.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};
use debate_agent::agent::attempts::{AttemptResult, Intent, Kind};
use debate_agent::env::Env;
use debate_agent::kernel::{Basis, Cost, Usd};
use debate_agent::session::{
    Digests, RealFs, Session, SessionOpened, SessionResumed, Status, Store, StoreError,
};
use serde_json::{Value, json};

fn clock() -> DateTime<Utc> {
    DateTime::from_timestamp(1_790_000_000, 0).unwrap()
}

fn store(dir: &Path) -> Store {
    Store::new(Arc::new(RealFs::default()), dir.join(".debate"), Env::fixed(clock(), 0))
}

fn opened(id: &str) -> SessionOpened {
    SessionOpened {
        session: id.to_owned(),
        protocol: "backlog".to_owned(),
        title: "t".to_owned(),
        input: Value::Null,
        redacted: Vec::new(),
        settings: Value::Null,
        boundary: String::new(),
        seed: 1,
        digests: Digests::default(),
        skills: Vec::new(),
        rehearsal: false,
        budget: None,
        program_version: "0".to_owned(),
        parent: None,
    }
}

fn one_call(session: &mut Session) {
    let intent = Intent {
        turn: "r1/a".to_owned(),
        role: "a".to_owned(),
        kind: Kind::First,
        attempt: 1,
        agent: "x".to_owned(),
        prompt_sha: "p".to_owned(),
        prompt_bytes: 1,
        effort_above: 0,
        agent_digest: "d".to_owned(),
    };
    let call = session.begin(&intent, b"prompt", Usd::from_micros(5)).unwrap();
    session.spool_writer(&call).unwrap().write(b"answer").unwrap();
    let cost = Cost { usd: Usd::from_micros(3), basis: Basis::Reported };
    let result = AttemptResult {
        answer: Some(b"answer".to_vec()),
        cut: false,
        failure: None,
        ending: "exited(0)".to_owned(),
        cost: Some(cost),
        usage: None,
        model: None,
        quota: None,
        took_ms: 1,
        notes: Vec::new(),
        stderr_tail: Vec::new(),
    };
    session.settle(&call, &result, cost).unwrap();
    session.write_result(&json!({}), "# A").unwrap();
}

/// Starts this binary again with one hosted test, in a directory.
#[expect(clippy::disallowed_methods, reason = "a test needs a second process of its own")]
fn child(test: &str, dir: &Path) -> Child {
    std::fs::write(dir.join("go"), "").unwrap();
    let path = module_path!().split_once("::").map_or("", |(_, path)| path);
    let exact = format!("{path}{}{test}", if path.is_empty() { "" } else { "::" });
    std::process::Command::new(std::env::current_exe().unwrap())
        .args([&exact, "--exact", "--nocapture"])
        .current_dir(dir)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

fn wait_for(path: &Path) {
    let begun = Instant::now();
    while !path.exists() {
        assert!(begun.elapsed() < Duration::from_secs(30), "{}", path.display());
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn here() -> Option<PathBuf> {
    let dir = std::env::current_dir().ok()?;
    dir.join("go").exists().then_some(dir)
}

#[test]
#[expect(clippy::disallowed_methods, reason = "stands for an agent that outlives us")]
fn child_that_holds_a_session() {
    let Some(dir) = here() else { return };
    let session = store(&dir).create(opened("held")).unwrap();
    let mut grandchild = std::process::Command::new("sleep").arg("60").spawn().unwrap();
    std::fs::write(dir.join("grandchild.tmp"), grandchild.id().to_string()).unwrap();
    std::fs::rename(dir.join("grandchild.tmp"), dir.join("ready")).unwrap();
    // This process is killed while it waits; the test is whether its child keeps the lock.
    grandchild.wait().unwrap();
    drop(session);
}

#[test]
fn child_with_an_open_umask() {
    let Some(dir) = here() else { return };
    let _before = rustix::process::umask(rustix::fs::Mode::empty());
    let mut session = store(&dir).create(opened("open")).unwrap();
    one_call(&mut session);
    std::fs::write(dir.join("ready"), "").unwrap();
}

#[test]
fn a_second_process_is_refused_by_pid_and_a_killed_holder_lets_go_at_once() {
    // F43, F44.
    let dir = tempfile::tempdir().unwrap();
    let mut holder = child("child_that_holds_a_session", dir.path());
    wait_for(&dir.path().join("ready"));
    let begun = Instant::now();
    let error = store(dir.path()).open("held").unwrap_err();
    assert!(begun.elapsed() < Duration::from_secs(1));
    let StoreError::Locked { holder: Some(named), .. } = &error else {
        panic!("{error}");
    };
    assert_eq!(named.pid, holder.id());
    assert!(error.to_string().contains(&format!("process {}", holder.id())), "{error}");
    assert!(error.to_string().contains("2026-"), "{error}");
    assert!(matches!(store(dir.path()).list().unwrap()[0].status, Status::Live(Some(_))));
    // Reading needs no lock.
    assert_eq!(store(dir.path()).read("held").unwrap().records.len(), 1);

    holder.kill().unwrap();
    holder.wait().unwrap();
    let grandchild: i32 =
        std::fs::read_to_string(dir.path().join("ready")).unwrap().parse().unwrap();
    let grandchild = rustix::process::Pid::from_raw(grandchild).unwrap();
    rustix::process::test_kill_process(grandchild).unwrap();
    let (mut session, ..) = store(dir.path()).open("held").unwrap();
    session.resume(SessionResumed::default()).unwrap();
    rustix::process::kill_process(grandchild, rustix::process::Signal::KILL).unwrap();
}

#[test]
fn everything_is_private_whatever_the_umask() {
    // F84, S13.
    let dir = tempfile::tempdir().unwrap();
    let mut writer = child("child_with_an_open_umask", dir.path());
    assert!(writer.wait().unwrap().success());
    assert!(dir.path().join("ready").exists());
    let mut seen = 0;
    let mut todo = vec![dir.path().join(".debate")];
    while let Some(path) = todo.pop() {
        let metadata = std::fs::symlink_metadata(&path).unwrap();
        let mode = metadata.permissions().mode() & 0o7777;
        if metadata.is_dir() {
            assert_eq!(mode, 0o700, "{}", path.display());
            todo.extend(std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        } else {
            assert_eq!(mode, 0o600, "{}", path.display());
        }
        seen += 1;
    }
    // .debate, sessions, the session, answers, prompts, spool; .gitignore, journal, lock, session.json, session.md,
    // answer, prompt, spool file.
    assert_eq!(seen, 14);
}

#[test]
fn two_sessions_at_the_same_instant_are_two() {
    // F50.
    let dir = tempfile::tempdir().unwrap();
    let ids: Vec<String> = (0..2).map(|_| Env::system().session_id()).collect();
    let sessions: Vec<Session> =
        ids.iter().map(|id| store(dir.path()).create(opened(id)).unwrap()).collect();
    assert_ne!(sessions[0].dir(), sessions[1].dir());
    assert_eq!(store(dir.path()).list().unwrap().len(), 2);
}
