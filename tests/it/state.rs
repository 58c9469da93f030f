//! Obstacles on the disk: each is refused by name before anything is spent, or stops the spending.
#![cfg(target_os = "linux")]

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::support::crash::{decided, warnings};
use crate::support::{BIN, Run, Sandbox};

fn debate() -> Sandbox {
    let sandbox = Sandbox::new().scenario("backlog/consensus-in-one");
    sandbox.six();
    sandbox
}

/// Runs a debate on a disk prepared with an obstacle; no agent may be asked.
fn refused(prepare: impl Fn(&Path), says: &str) -> Run {
    let sandbox = debate();
    prepare(&sandbox.project());
    let run = sandbox.run(&["prioritize", "backlog.json"]);
    run.exits(5).says(says);
    assert_eq!(sandbox.ledger(), [""; 0], "nothing was spent");
    assert!(!run.stderr.contains("panicked"), "{}", run.stderr);
    run
}

#[test]
fn f22_a_state_folder_that_takes_no_files_is_refused_before_any_spending() {
    refused(
        |project| fs::write(project.join(".debate"), "").unwrap(),
        "is a file, not a directory",
    );
    refused(
        |project| {
            fs::create_dir(project.join(".debate")).unwrap();
            fs::write(project.join(".debate/sessions"), "").unwrap();
        },
        "is a file, not a directory",
    );
}

#[test]
fn f22_a_state_folder_that_is_a_link_is_not_followed() {
    let elsewhere = tempfile::tempdir().unwrap();
    let run = refused(
        |project| symlink(elsewhere.path(), project.join(".debate")).unwrap(),
        "is a symbolic link, not a directory",
    );
    assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 0, "{}", run.stderr);
}

#[test]
fn f22_a_disk_without_a_byte_left_is_refused_before_any_spending() {
    // A limit of 0 blocks on files: every write fails as on a full disk.
    let sandbox = debate();
    let run = limited(&sandbox, 0, "prioritize backlog.json");
    assert_eq!(run.code, 5, "{}", run.stderr);
    assert_eq!(sandbox.ledger(), [""; 0], "nothing was spent");
}

/// Runs the program under a limit on the size of files, in blocks of 512 bytes.
#[expect(clippy::disallowed_methods, reason = "tests start the program itself")]
fn limited(sandbox: &Sandbox, blocks: u64, args: &str) -> Run {
    let script = format!("ulimit -f {blocks}; exec {BIN} {args}");
    let output = Command::new("/bin/sh")
        .args(["-c", &script])
        .env_clear()
        .envs(sandbox.vars())
        .current_dir(sandbox.project())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    Sandbox::finish(output)
}

#[test]
fn f19_a_journal_that_can_grow_no_more_stops_the_spending_and_loses_nothing() {
    // The journal is the largest file: a limit that it reaches in mid-debate affects no other. Its first record has a
    // field that no prompt shows, so it is longer than any.
    let debate = || {
        let sandbox = debate();
        let text = fs::read_to_string(sandbox.project().join("backlog.json")).unwrap();
        let mut items: Value = serde_json::from_str(&text).unwrap();
        items[0]["x_unread"] = "x".repeat(16_000).into();
        sandbox.write("backlog.json", items.to_string());
        sandbox
    };
    let golden = debate();
    let document = golden.run(&["prioritize", "backlog.json", "--json"]);
    let document = document.exits(0).json();
    let records = golden.journal();
    let size = fs::metadata(golden.journal_path()).unwrap().len();
    assert_eq!(records.last().unwrap()["type"], "session.closed");
    let (mut stopped, mut rescued) = (0, 0);
    // The first record alone contains the input; every limit after it is tried.
    let opened = fs::read_to_string(golden.journal_path()).unwrap();
    let opened = opened.find('\n').unwrap() as u64;
    for blocks in (opened / 512 + 1)..=(size / 512) {
        let sandbox = debate();
        let run = limited(&sandbox, blocks, "prioritize backlog.json --json");
        if run.code == 0 {
            continue;
        }
        stopped += 1;
        assert_eq!(run.code, 5, "{blocks} blocks:\n{}{}", run.stdout, run.stderr);
        let paid = sandbox.calls().len();
        let on_record = fs::read_to_string(sandbox.journal_path()).unwrap();
        let results = on_record.matches("\"call.result\"").count();
        assert!(paid <= results + 1, "{blocks} blocks: it went on spending");
        // With space again, the debate goes on, and no answered turn is asked again.
        let resumed = sandbox.resume(&[]).exits(0).json();
        assert_eq!(decided(&resumed), decided(&document), "{blocks} blocks");
        let again = sandbox.calls().len();
        let marks = warnings(&resumed);
        let marks = marks.iter().filter(|code| *code == "possibly_paid_twice").count();
        assert!(again <= 3 + marks, "{blocks} blocks: {again} calls, {marks} marked");
        // A reply that was saved elsewhere is taken from there.
        if run.stderr.contains("the reply was saved to") {
            assert_eq!((again, marks), (3, 0), "{blocks} blocks: {}", run.stderr);
            rescued += 1;
        }
    }
    assert!(stopped >= 3 && rescued >= 1, "{stopped} stopped the debate, {rescued} rescued");
}

#[test]
fn f28_a_journal_that_is_a_directory_or_a_link_is_refused_by_name() {
    let sandbox = debate();
    sandbox.run(&["prioritize", "backlog.json"]).exits(0);
    let (id, path) = (sandbox.only_session(), sandbox.journal_path());
    fs::rename(&path, path.with_extension("saved")).unwrap();
    for what in ["a directory", "a symbolic link"] {
        if what == "a directory" {
            fs::create_dir(&path).unwrap();
        } else {
            fs::remove_dir(&path).unwrap();
            symlink(path.with_extension("saved"), &path).unwrap();
        }
        for command in ["show", "resume", "status"] {
            let run = sandbox.run(&["sessions", command, &id]);
            run.exits(5).says("journal.jsonl").says(what);
        }
        let listed = sandbox.run(&["sessions", "list", "--json"]).exits(0).json();
        assert_eq!(listed["sessions"][0]["status"], "unreadable");
    }
    assert_eq!(sandbox.calls().len(), 3);
}

#[test]
fn f29_a_session_folder_that_vanishes_in_mid_run_stops_the_spending() {
    let sandbox = debate().fake("r1_critic.sh", ": >\"$fake/here\"; sleep 0.7");
    let child = sandbox.spawn(&["prioritize", "backlog.json"]);
    sandbox.until_here();
    fs::remove_dir_all(sandbox.project().join(".debate")).unwrap();
    let run = Sandbox::finish(child.wait_with_output().unwrap());
    run.exits(5);
    assert_eq!(sandbox.ledger(), ["claude r1/champion", "codex r1/critic"]);
    // The paid reply is kept outside of the project, and the message gives its path.
    let rescued = sandbox.home().join(".local/state/debate-agent/rescued");
    run.says(rescued.to_str().unwrap());
    let kept: Vec<_> = fs::read_dir(&rescued).unwrap().collect();
    assert_eq!(kept.len(), 1);
    let reply = fs::read_to_string(kept[0].as_ref().unwrap().path()).unwrap();
    assert!(reply.contains("CRITIC_RANKINGS_START"), "{reply}");
    let mode = fs::metadata(kept[0].as_ref().unwrap().path()).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    sandbox.nobody_is_left();
}

#[test]
fn f29_a_journal_that_somebody_else_writes_to_stops_the_spending() {
    let sandbox = debate().fake("r1_critic.sh", ": >\"$fake/here\"; sleep 0.7");
    let child = sandbox.spawn(&["prioritize", "backlog.json"]);
    sandbox.until_here();
    let path = sandbox.journal_path();
    let before = fs::read(&path).unwrap();
    fs::write(&path, [&before[..], b"x"].concat()).unwrap();
    let run = Sandbox::finish(child.wait_with_output().unwrap());
    run.exits(5).says("another program changed it");
    assert_eq!(sandbox.calls().len(), 2);
}

#[test]
fn f24_a_snapshot_that_cannot_be_written_harms_nothing() {
    let sandbox = debate().fake("r1_moderator.sh", ": >\"$fake/here\"; sleep 0.7");
    let child = sandbox.spawn(&["prioritize", "backlog.json", "--json"]);
    sandbox.until_here();
    let dir = sandbox.sessions().remove(0);
    fs::create_dir_all(dir.join("session.json/in-the-way")).unwrap();
    let run = Sandbox::finish(child.wait_with_output().unwrap());
    assert_eq!(run.exits(0).json()["verdict"], "decided");
    let id = sandbox.only_session();
    let shown = sandbox.run(&["sessions", "show", &id, "--json"]);
    assert_eq!(shown.exits(0).json(), run.json());
    sandbox.run(&["sessions", "gc"]).exits(0);
    let temps = fs::read_dir(&dir).unwrap().filter_map(Result::ok);
    let temps: Vec<_> =
        temps.filter(|it| it.path().extension().is_some_and(|end| end == "tmp")).collect();
    assert!(temps.is_empty(), "{temps:?}");
}

#[test]
fn f84_what_a_session_holds_is_for_its_owner_alone() {
    let sandbox = debate();
    sandbox.run(&["prioritize", "backlog.json"]).exits(0);
    let mut folders = sandbox.sessions();
    while let Some(dir) = folders.pop() {
        assert_eq!(fs::metadata(&dir).unwrap().permissions().mode() & 0o777, 0o700);
        for entry in fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let mode = fs::metadata(&path).unwrap().permissions().mode();
                assert_eq!(mode & 0o777, 0o600, "{}", path.display());
            }
        }
    }
}

#[test]
fn f26_a_reader_that_goes_away_leaves_a_whole_session() {
    let sandbox = debate();
    for args in [
        &["prioritize", "backlog.json", "--json"][..],
        &["prioritize", "backlog.json", "--events", "-"],
    ] {
        fs::remove_dir_all(sandbox.project().join(".debate")).ok();
        let mut child = sandbox.spawn(args);
        drop(child.stdout.take());
        let run = Sandbox::finish(child.wait_with_output().unwrap());
        assert!(!run.stderr.contains("panicked"), "{}", run.stderr);
        let resumed = sandbox.resume(&[]).exits(0).json();
        assert_eq!(resumed["verdict"], "decided", "{args:?}");
    }
}

#[test]
fn f26_a_full_standard_output_is_an_error_and_the_session_is_whole() {
    let sandbox = debate();
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let mut command = sandbox.command(&["prioritize", "backlog.json", "--json"]);
    let run = Sandbox::finish(command.stdout(full).output().unwrap());
    assert_ne!(run.code, 0, "a result that could not be written is no success");
    assert!(!run.stderr.contains("panicked"), "{}", run.stderr);
    assert_eq!(sandbox.resume(&[]).exits(0).json()["verdict"], "decided");
    assert_eq!(sandbox.calls().len(), 3);
}

#[test]
fn f27_a_closed_standard_error_stops_nothing() {
    let sandbox = debate();
    let mut child = sandbox.spawn(&["prioritize", "backlog.json", "--json"]);
    drop(child.stderr.take());
    let run = Sandbox::finish(child.wait_with_output().unwrap());
    assert_eq!(run.exits(0).json()["verdict"], "decided");
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let sandbox = debate();
    let mut command = sandbox.command(&["prioritize", "backlog.json", "--json"]);
    let run = Sandbox::finish(command.stderr(full).output().unwrap());
    assert_eq!(run.exits(0).json()["verdict"], "decided");
}

#[test]
fn f23_events_that_cannot_be_written_end_the_run_by_name_and_keep_the_session() {
    let sandbox = debate();
    sandbox
        .run(&["prioritize", "backlog.json", "--events", "no/such/dir/events.jsonl"])
        .exits(2)
        .says("events.jsonl");
    assert_eq!(sandbox.ledger(), [""; 0]);
    let run = sandbox.run(&["prioritize", "backlog.json", "--events", "/dev/full"]);
    assert_eq!(run.code, 5, "{}", run.stderr);
    assert_eq!(sandbox.resume(&[]).exits(0).json()["verdict"], "decided");
    assert_eq!(sandbox.calls().len(), 3, "what was answered is not asked again");
}

#[test]
fn f43_of_two_resumes_one_is_refused_at_once_and_names_the_other() {
    let sandbox = debate().fake("r1_critic.sh", ": >\"$fake/here\"; sleep 2");
    let mut first = sandbox.spawn(&["prioritize", "backlog.json"]);
    sandbox.until_here();
    let id = sandbox.only_session();
    let before = Instant::now();
    let second = sandbox.run(&["sessions", "resume", &id]);
    let took = before.elapsed();
    second.exits(5).says(&first.id().to_string());
    assert!(took < Duration::from_secs(1), "{took:?}");
    let listed = sandbox.run(&["sessions", "list", "--json"]).exits(0).json();
    assert_eq!(listed["sessions"][0]["status"], "running");
    let gc = sandbox.run(&["sessions", "gc", "--older-than", "0", "--json"]);
    assert_eq!(gc.exits(0).json()["kept"].as_array().unwrap().len(), 1);
    // Showing it does not disturb the run.
    sandbox.run(&["sessions", "show", &id]).exits(0);
    assert!(first.wait().unwrap().success());
    assert_eq!(sandbox.calls().len(), 3);
}

#[test]
fn f52_signals_at_random_moments_leave_whole_records() {
    use rustix::process::{Pid, Signal, kill_process};
    let sandbox = debate();
    fs::write(sandbox.home().join(".fake/delay"), "0.05").unwrap();
    let mut child = sandbox.spawn(&["prioritize", "backlog.json"]);
    for moment in [150, 60, 110, 30] {
        std::thread::sleep(Duration::from_millis(moment));
        let pid = Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
        kill_process(pid, Signal::TERM).ok();
        child.wait().unwrap();
        let Some(dir) = sandbox.sessions().pop() else {
            child = sandbox.spawn(&["prioritize", "backlog.json"]);
            continue;
        };
        let text = fs::read_to_string(dir.join("journal.jsonl")).unwrap_or_default();
        assert!(text.is_empty() || text.ends_with('\n'), "{text}");
        let id = dir.file_name().unwrap().to_str().unwrap();
        child = sandbox.spawn(&["sessions", "resume", id]);
    }
    let run = Sandbox::finish(child.wait_with_output().unwrap());
    run.exits(0);
    sandbox.nobody_is_left();
}
