//! `sessions watch`: a run followed from elsewhere, by its journal alone.
#![cfg(target_os = "linux")]

use std::fs;

use rustix::process::Signal;

use crate::support::crash::lasting;
use crate::support::live::until;
use crate::support::reviews::agreeing;
use crate::support::terminal::Terminal;

/// The key that stops a job.
const CTRL_Z: u8 = 0x1a;

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
fn a_job_in_the_background_draws_no_rows_until_it_is_in_front_and_then_below_the_shell() {
    const ERASE: &str = "\u{1b}[2K";
    let script = r#""$0" "$@"; echo STOPPED >&2; read -r _; echo BACK >&2; fg
        echo AGAIN >&2; read -r _; bg; read -r _; echo FRONT >&2; fg"#;
    let sandbox = agreeing().slow("4");
    let mut terminal = Terminal::job(script, &sandbox, &["review"]);
    let reads_keys = |terminal: &Terminal| until("keys", || !terminal.edits_lines());
    sandbox.until_calls(2);
    terminal.sees("reviews");
    // Of the calls that follow.
    sandbox.delay("2");
    for (shown, next) in [("STOPPED", "BACK"), ("AGAIN", "FRONT")] {
        reads_keys(&terminal);
        terminal.press(CTRL_Z).sees(shown);
        assert!(terminal.edits_lines(), "the shell's terminal is as it was");
        terminal.types(&[""]);
        if next == "FRONT" {
            // What stays is told in the background too.
            terminal.sees("✓ s1").types(&[""]);
        }
        terminal.sees_below(&format!("{next}\n"), ERASE);
    }
    reads_keys(&terminal);
    let run = terminal.finish();
    run.exits(1);
    let parts: Vec<&str> =
        run.stderr.split("BACK\n").flat_map(|part| part.split("AGAIN\n")).collect();
    let [before, back, rest] = parts[..] else { panic!("{}", run.stderr) };
    let (away, front) = rest.split_once("FRONT\n").unwrap();
    assert!(before.contains(&format!("A{ERASE}")), "{before:?}");
    assert!(!away.contains(ERASE) && away.contains("✓ s1"), "{away:?}");
    for shown in [back, front] {
        let (first, _) = shown.split_once(ERASE).unwrap();
        assert!(!first.ends_with('A'), "the shell's lines were drawn over: {shown:?}");
    }
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
