//! `sessions watch`: a run followed from elsewhere, by its journal alone.
#![cfg(target_os = "linux")]

use std::fs;

use rustix::process::Signal;

use crate::support::crash::lasting;
use crate::support::live::until;
use crate::support::reviews::agreeing;
use crate::support::terminal::Terminal;

#[test]
fn what_the_run_says_is_said_to_who_watches_and_nothing_is_written() {
    let sandbox = agreeing().slow("1");
    let run = sandbox.start(&["review", "--json"]);
    sandbox.until_calls(2);
    let watching = sandbox.start(&["sessions", "watch", "@last", "--json"]);
    let (run, watched) = (run.finish(), watching.finish());
    assert_eq!(lasting(&watched.exits(run.code).json()), lasting(&run.json()));
    let facts = |said: &str| -> Vec<String> {
        said.lines().filter(|line| line.starts_with("    ")).map(str::to_owned).collect()
    };
    let [ours, theirs] = [&run, &watched].map(|run| facts(&run.stderr));
    assert!(!ours.is_empty(), "{}", run.stderr);
    assert_eq!(ours, theirs, "{}", watched.stderr);
    // Of a session that has ended, its end alone.
    let folder = sandbox.journal_path();
    let before = fs::read(&folder).unwrap();
    let ended = sandbox.run(&["sessions", "watch", "@last", "--json"]);
    assert_eq!(lasting(&ended.exits(run.code).json()), lasting(&run.json()));
    assert_eq!(facts(&ended.stderr), Vec::<String>::new());
    assert_eq!(fs::read(folder).unwrap(), before);
}

#[test]
fn a_run_that_is_killed_ends_the_watch_which_says_that_it_can_go_on() {
    let sandbox = agreeing().slow("30");
    let run = sandbox.start(&["review"]);
    sandbox.until_calls(2);
    let watching = sandbox.start(&["sessions", "watch", "@last"]);
    std::thread::sleep(std::time::Duration::from_millis(500));
    run.send(Signal::KILL);
    run.finish();
    let watched = watching.finish();
    watched.exits(4).prints("interrupted").prints("sessions resume");
}

#[test]
fn a_key_stops_the_run_after_its_step_and_the_terminal_is_as_before() {
    let sandbox = agreeing().slow("2");
    let mut terminal = Terminal::controlling(&sandbox, &["review"]);
    sandbox.until_calls(2);
    until("keys", || !terminal.edits_lines());
    terminal
        .press(b'p')
        .sees("paused")
        .press(b'p')
        .sees("continues")
        .press(b'1')
        .press(b'?')
        .sees("1 to 9 show or hide the words of that row")
        .press(b's')
        .sees("stops after");
    until("its end", || terminal.edits_lines());
    let run = terminal.finish();
    run.exits(4).prints("sessions resume");
    assert_eq!(sandbox.calls().len(), 2, "the step was answered, and nobody else is asked");
    assert_eq!(sandbox.asked("r1/review/s1") + sandbox.asked("r1/review/s2"), 2);
}

#[test]
fn plain_lines_are_plain_at_a_terminal_too_and_off_is_silent() {
    for (how, shown) in [("plain", true), ("off", false), ("auto", false)] {
        let sandbox = agreeing();
        let run = Terminal::controlling(&sandbox, &["review", "--progress", how]).finish();
        run.exits(1);
        // A line that only plain progress has, and the erasure of a row.
        assert_eq!(run.stderr.contains("· s1 (codex) reviews"), shown, "{how}: {}", run.stderr);
        assert_eq!(run.stderr.contains("\u{1b}[2K"), how == "auto", "{how}: {}", run.stderr);
        assert_eq!(run.stderr.contains("✓ s1"), how != "off", "{how}: {}", run.stderr);
    }
}
