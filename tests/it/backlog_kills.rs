//! The program is killed with -9 while it changes the backlog: the file on disk is always whole.
#![cfg(target_os = "linux")]

use std::collections::BTreeSet;
use std::hash::{BuildHasher as _, RandomState};
use std::time::{Duration, Instant};

use crate::support::Sandbox;

#[test]
fn a_backlog_survives_every_kill() {
    let sandbox = Sandbox::new();
    let begun = Instant::now();
    sandbox.run(&["backlog", "add", "--title", "First"]).exits(0);
    // From the start of a run to a little after its end.
    let whole = u64::try_from(begun.elapsed().as_micros()).unwrap() * 3 / 2;
    let mut done = BTreeSet::from(["First".to_owned()]);
    let mut killed = 0;
    for n in 0..30 {
        let title = format!("Item {n}");
        let mut child = sandbox.spawn(&["backlog", "add", "--title", &title]);
        let moment = RandomState::new().hash_one(n) % whole;
        std::thread::sleep(Duration::from_micros(moment));
        child.kill().unwrap();
        if child.wait().unwrap().success() {
            done.insert(title);
        } else {
            killed += 1;
        }
        let run = sandbox.run(&["backlog", "--json"]);
        let document = run.exits(0).json();
        let items = document["opportunities"].as_array().unwrap();
        let there: BTreeSet<String> =
            (items.iter()).map(|item| item["title"].as_str().unwrap().to_owned()).collect();
        assert!(done.is_subset(&there), "said done, and lost: {done:?} {there:?}");
        assert_eq!(there.len(), items.len());
    }
    assert!(killed > 0, "every run ended before its kill");
    // The next change finds a free lock and leaves no litter.
    sandbox.run(&["backlog", "add", "--title", "Last"]).exits(0);
    let names = std::fs::read_dir(sandbox.project().join(".swarm/backlog")).unwrap();
    assert_eq!(names.count(), 2, "the file and its lock");
}
