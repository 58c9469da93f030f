//! Several processes and one backlog: nothing is lost, and a dead process blocks no other.

use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use debate_agent::discovery::store::{BacklogError, BacklogStore};
use debate_agent::env::Env;
use debate_agent::session::RealFs;

use crate::support::Sandbox;

fn titles(sandbox: &Sandbox) -> Vec<String> {
    let run = sandbox.run(&["backlog", "--json"]);
    let document = run.exits(0).json();
    let items = document["opportunities"].as_array().unwrap();
    (items.iter()).map(|item| item["title"].as_str().unwrap().to_owned()).collect()
}

fn store(dir: &Path) -> BacklogStore {
    let fs = Arc::new(RealFs::default());
    BacklogStore::open(fs, dir, ".swarm/backlog", Env::system())
}

#[test]
fn child_that_counts_to_a_hundred() {
    let Some(dir) = here() else { return };
    for _ in 0..100 {
        let counted: Result<(), BacklogError> = store(&dir).change(|items| {
            let counter = items.first_mut().unwrap();
            counter.linked_issue = counter.linked_issue.map(|count| count + 1);
            Ok(())
        });
        counted.unwrap();
        // Processes that make one change each would start anew at this point.
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn two_processes_with_a_hundred_changes_each_lose_nothing() {
    let sandbox = Sandbox::new();
    let dir = sandbox.project();
    sandbox.run(&["backlog", "add", "--title", "Counter"]).exits(0);
    sandbox.run(&["backlog", "accept", "fo", "--issue", "1000"]).exits(0);
    let mut children = [(); 2].map(|()| child("child_that_counts_to_a_hundred", &dir));
    // The program itself takes its turn among them.
    let added: Vec<String> = (0..5).map(|n| format!("Item {n}")).collect();
    std::thread::scope(|scope| {
        for title in &added {
            let sandbox = &sandbox;
            scope.spawn(move || sandbox.run(&["backlog", "add", "--title", title]).exits(0).code);
        }
    });
    for child in &mut children {
        assert!(child.wait().unwrap().success());
    }
    let mut found = titles(&sandbox);
    found.sort();
    assert_eq!(found, added);
    let all = sandbox.run(&["backlog", "--status", "accepted", "--json"]);
    assert_eq!(all.exits(0).json()["opportunities"][0]["linked_issue"], 1200);
    let names = std::fs::read_dir(dir.join(".swarm/backlog")).unwrap();
    assert_eq!(names.count(), 2, "the file and its lock");
}

/// Starts this binary again with one hosted test, in a directory.
#[expect(clippy::disallowed_methods, reason = "a test needs a second process of its own")]
fn child(test: &str, dir: &Path) -> Child {
    std::fs::write(dir.join("go"), "").unwrap();
    let path = module_path!().split_once("::").map_or("", |(_, path)| path);
    std::process::Command::new(std::env::current_exe().unwrap())
        .args([&format!("{path}::{test}"), "--exact", "--nocapture"])
        .current_dir(dir)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

fn here() -> Option<PathBuf> {
    let dir = std::env::current_dir().ok()?;
    dir.join("go").exists().then_some(dir)
}

#[test]
fn child_that_holds_the_backlog() {
    let Some(dir) = here() else { return };
    let held: Result<(), BacklogError> = store(&dir).change(|items| {
        items.clear();
        std::fs::write(dir.join("ready"), "").unwrap();
        // The process is killed while it waits here, in the middle of a change.
        loop {
            std::thread::sleep(Duration::from_secs(1));
        }
    });
    held.unwrap();
}

#[test]
fn who_waits_for_a_killed_holder_goes_on() {
    let sandbox = Sandbox::new();
    sandbox.run(&["backlog", "add", "--title", "First"]).exits(0);
    let mut holder = child("child_that_holds_the_backlog", &sandbox.project());
    let begun = Instant::now();
    while !sandbox.project().join("ready").exists() {
        assert!(begun.elapsed() < Duration::from_secs(30), "no holder");
        std::thread::sleep(Duration::from_millis(5));
    }
    // Readers need no lock; the lock file names the holder.
    assert_eq!(titles(&sandbox), ["First"]);
    let lock = sandbox.project().join(".swarm/backlog/candidates.lock");
    let named = std::fs::read_to_string(&lock).unwrap();
    assert!(named.contains(&format!("\"pid\":{}", holder.id())), "{named}");
    let waiting = sandbox.command(&["backlog", "add", "--title", "Second"]).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(50));
    assert_eq!(titles(&sandbox), ["First"]);
    holder.kill().unwrap();
    holder.wait().unwrap();
    Sandbox::finish(waiting.wait_with_output().unwrap()).exits(0);
    assert_eq!(titles(&sandbox).len(), 2);
}
