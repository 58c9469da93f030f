//! The question that ends `discover` in a terminal, asked through a real pseudo-terminal.

use std::fs::{self, File};
use std::io::{Read as _, Write as _};
use std::os::fd::OwnedFd;

use rustix::fs::{Mode, OFlags};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use crate::support::Sandbox;

/// Two failing tests, as pytest reports them; the first one has the higher score.
fn failing() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write(
        "junit.xml",
        r#"<testsuites><testsuite name="pytest">
<testcase classname="calc" name="adds"><failure message="AssertionError: expected 4 got 3"/></testcase>
<testcase classname="calc" name="divides"><failure message="error"/></testcase>
</testsuite></testsuites>"#,
    );
    sandbox
}

/// Runs `discover` in a terminal with these lines as its input; returns its exit code and the screen's content.
/// `ends` ends the input (Ctrl-D) after them.
fn typed(sandbox: &Sandbox, lines: &[&str], ends: bool) -> (i32, String) {
    let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&terminal).unwrap();
    unlockpt(&terminal).unwrap();
    let name = ptsname(&terminal, Vec::new()).unwrap();
    let inside: OwnedFd =
        rustix::fs::open(&name, OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).unwrap();
    let mut command = sandbox.command(&["discover", "--no-debate"]);
    command.stdin(inside.try_clone().unwrap()).stdout(inside.try_clone().unwrap()).stderr(inside);
    let mut terminal = File::from(terminal);
    // The terminal keeps the input until it is read.
    for line in lines {
        terminal.write_all(format!("{line}\n").as_bytes()).unwrap();
    }
    if ends {
        terminal.write_all(b"\x04").unwrap();
    }
    let mut child = command.spawn().unwrap();
    // The terminal ends when the last of its files in the child is closed.
    drop(command);
    let mut seen = Vec::new();
    let mut chunk = [0_u8; 4096];
    while let Ok(count) = terminal.read(&mut chunk)
        && count > 0
    {
        seen.extend_from_slice(&chunk[..count]);
    }
    let code = child.wait().unwrap().code().unwrap();
    (code, String::from_utf8_lossy(&seen).into_owned())
}

/// Title and status of every item in the store, sorted.
fn statuses(sandbox: &Sandbox) -> Vec<(String, String)> {
    let document = sandbox.run(&["backlog", "--status", "all", "--json"]).json();
    let items = document["opportunities"].as_array().unwrap();
    let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
    let mut statuses: Vec<_> =
        items.iter().map(|item| (text(&item["title"]), text(&item["status"]))).collect();
    statuses.sort();
    statuses
}

fn status_of(sandbox: &Sandbox, test: &str) -> String {
    let all = statuses(sandbox);
    let found = all.iter().find(|(title, _)| title.contains(test));
    found.unwrap_or_else(|| panic!("{all:?}")).1.clone()
}

#[test]
fn enter_and_the_end_of_the_input_leave_everything_as_it_is() {
    let sandbox = failing();
    for (lines, ends) in [(&[""][..], false), (&[][..], true), (&["1"][..], true)] {
        let (code, seen) = typed(&sandbox, lines, ends);
        assert_eq!(code, 0, "{seen}");
        assert!(seen.contains("Enter: leave >"), "{seen}");
        let open =
            |(_, status): &(String, String)| status == "actionable" || status == "discovered";
        assert!(statuses(&sandbox).iter().all(open), "{seen}");
    }
}

#[test]
fn an_item_is_opened_by_the_number_of_the_list_and_rejected_with_a_reason() {
    let sandbox = failing();
    // Wrong answers first: each is reported as wrong, and decides nothing.
    let (code, seen) = typed(&sandbox, &["x", "9", "1", "z", "r", "Not ours.", ""], false);
    assert_eq!(code, 0, "{seen}");
    for said in ["`x` is not one of these", "no open item 9", "`z` is not one of these", "rejected"]
    {
        assert!(seen.contains(said), "no `{said}` in {seen}");
    }
    assert_eq!(status_of(&sandbox, "adds"), "rejected");
    assert_ne!(status_of(&sandbox, "divides"), "rejected");
    let store = fs::read_to_string(sandbox.project().join(".swarm/backlog/candidates.json"));
    assert!(store.unwrap().contains("Not ours."));
}

#[test]
fn rejecting_without_a_reason_rejects_nothing() {
    let sandbox = failing();
    let (code, seen) = typed(&sandbox, &["1", "r", "", ""], false);
    assert_eq!(code, 0, "{seen}");
    assert_ne!(status_of(&sandbox, "adds"), "rejected", "{seen}");
}

#[test]
fn all_that_is_actionable_is_accepted_and_nothing_else() {
    let sandbox = failing();
    let (code, seen) = typed(&sandbox, &["a", "2", "d", ""], false);
    assert_eq!(code, 0, "{seen}");
    assert_eq!(status_of(&sandbox, "adds"), "accepted", "{seen}");
    assert_eq!(status_of(&sandbox, "divides"), "deferred", "{seen}");
}
