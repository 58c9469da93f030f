//! A review is killed with -9 in each of its steps, and resumed: it ends as if nothing had happened, and no answer is
//! paid for twice.
#![cfg(target_os = "linux")]

use std::fs;
use std::hash::{BuildHasher as _, RandomState};
use std::time::Duration;

use serde_json::Value;

use crate::plan::agreeing as plans;
use crate::resume::forget;
use crate::support::Sandbox;
use crate::support::crash::{lasting, warnings};
use crate::support::plans::TASK;
use crate::support::reviews::agreeing;

/// The turns of [`agreeing`].
const TURNS: [&str; 5] =
    ["r1/review/s1", "r1/review/s2", "r2/cross/s2", "compose/s1", "validate/s2"];

fn golden() -> Value {
    let document = agreeing().run(&["review", "--json"]).exits(1).json();
    assert_eq!(document["verdict"], "changes_requested");
    lasting(&document)
}

/// Makes the first call of a turn hang for ever.
fn hanging(sandbox: Sandbox, turn: &str, before: &str) -> Sandbox {
    let name = format!("{}.1.sh", turn.replace('/', "_"));
    sandbox.fake(&name, &format!("{before}: >\"$fake/here\"; exec sleep 100"))
}

/// The number of results in the journal.
fn results(sandbox: &Sandbox) -> usize {
    let Some(session) = sandbox.sessions().pop() else {
        return 0;
    };
    let text = fs::read_to_string(session.join("journal.jsonl")).unwrap_or_default();
    text.matches("\"call.result\"").count()
}

#[test]
fn a_review_killed_in_any_step_ends_alike_and_asks_nobody_twice_that_answered() {
    let golden = golden();
    // The answers there are when the turn hangs: all of the steps before, and the other review.
    for (turn, answered) in TURNS.into_iter().zip([1, 1, 2, 3, 4]) {
        let sandbox = hanging(agreeing(), turn, "");
        let mut child = sandbox.spawn(&["review"]);
        sandbox.until_here();
        sandbox.until("the answers", |sandbox| results(sandbox) == answered);
        child.kill().unwrap();
        child.wait().unwrap();
        // Until the resume nothing is decided, and the result says so.
        let id = sandbox.only_session();
        let shown = sandbox.run(&["sessions", "show", &id, "--json"]).json();
        assert_eq!(shown["verdict"], "undecided", "{turn}");
        let document = sandbox.resume(&[]).exits(1).json();
        assert_eq!(lasting(&document), golden, "killed in {turn}");
        for other in TURNS {
            let times = if other == turn { 2 } else { 1 };
            assert_eq!(sandbox.asked(other), times, "{other}, killed in {turn}");
        }
        let codes = warnings(&document);
        let marks = codes.iter().filter(|code| *code == "possibly_paid_twice");
        assert_eq!(marks.count(), 1, "killed in {turn}: {codes:?}");
        sandbox.nobody_is_left();
    }
}

#[test]
fn an_answer_that_was_complete_when_the_review_was_killed_is_not_paid_again() {
    let golden = golden();
    // The turn that is cut off, and the number of answers in the journal by then.
    for (turn, answered) in [("r1/review/s2", 1), ("compose/s1", 3)] {
        let sandbox = hanging(agreeing(), turn, "emit; ");
        let mut child = sandbox.spawn(&["review"]);
        sandbox.until_here();
        // Complete in the spool: both vendors' output ends with a line feed.
        sandbox.until("the spool", |sandbox| {
            let spool = sandbox.sessions()[0].join("spool");
            fs::read_dir(spool).unwrap().any(|file| {
                let text = fs::read_to_string(file.unwrap().path()).unwrap_or_default();
                text.ends_with('\n')
                    && (text.contains("\"turn.completed\"") || text.contains("\"type\":\"result\""))
                    && text.contains(if turn == "compose/s1" {
                        "COMPOSITION"
                    } else {
                        "A string is put into SQL"
                    })
            })
        });
        sandbox.until("the answers", |sandbox| results(sandbox) == answered);
        child.kill().unwrap();
        child.wait().unwrap();
        let document = sandbox.resume(&["--set", "limits.on_ambiguous=fail"]).exits(1).json();
        assert_eq!(lasting(&document), golden, "killed in {turn}");
        assert_eq!(sandbox.asked(turn), 1, "{turn} was paid again");
        sandbox.nobody_is_left();
    }
}

#[test]
fn kills_at_any_moment_and_in_the_resume_lose_nothing() {
    let golden = golden();
    for kills in [1, 2, 4] {
        let sandbox = agreeing();
        fs::write(sandbox.home().join(".fake/delay"), "0.06").unwrap();
        let mut moments = Vec::new();
        let args = |sandbox: &Sandbox| -> Vec<String> {
            let begun = sandbox.sessions().into_iter().find(|dir| {
                fs::read_to_string(dir.join("journal.jsonl")).is_ok_and(|text| text.contains('\n'))
            });
            let args = match &begun {
                Some(dir) => {
                    let id = dir.file_name().unwrap().to_str().unwrap();
                    vec!["sessions", "resume", id, "--json"]
                }
                None => vec!["review", "--json"],
            };
            args.into_iter().map(str::to_owned).collect()
        };
        for _ in 0..kills {
            let args = args(&sandbox);
            let args: Vec<&str> = args.iter().map(String::as_str).collect();
            let mut child = sandbox.spawn(&args);
            let moment = RandomState::new().hash_one(0) % 900;
            moments.push(moment);
            std::thread::sleep(Duration::from_millis(moment));
            child.kill().unwrap();
            child.wait().unwrap();
        }
        let args = args(&sandbox);
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let run = sandbox.run(&args);
        let what = format!("killed after {moments:?} ms");
        assert_eq!(run.code, 1, "{what}:\n{}\n{}", run.stdout, run.stderr);
        assert_eq!(lasting(&run.json()), golden, "{what}");
        let journal = sandbox.journal();
        let marked = (journal.iter()).filter(|record| record["type"] == "call.ambiguous");
        let most = TURNS.len() + marked.count();
        let calls = sandbox.calls().len();
        assert!(calls <= most, "{what}: {calls} calls, {most} owed");
        sandbox.nobody_is_left();
    }
}

#[test]
fn a_resume_after_every_prefix_of_the_journal_ends_alike_and_pays_what_is_missing() {
    let sandbox = agreeing();
    let golden = lasting(&sandbox.run(&["review", "--json"]).exits(1).json());
    let path = sandbox.journal_path();
    let records = sandbox.journal();
    let text = fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    for count in 1..=lines.len() {
        forget(&sandbox);
        let spool = path.parent().unwrap().join("spool");
        fs::remove_dir_all(&spool).ok();
        fs::create_dir(&spool).unwrap();
        fs::write(&path, lines[..count].concat()).unwrap();
        let document = sandbox.resume(&[]).exits(1).json();
        assert_eq!(lasting(&document), golden, "after {count} records");
        let kind = |kind: &str| {
            let records = records[..count].iter();
            records.filter(|record| record["type"] == kind).count()
        };
        assert_eq!(
            sandbox.calls().len(),
            TURNS.len() - kind("call.result"),
            "after {count} records"
        );
    }
}

#[test]
fn a_plan_killed_in_any_step_ends_alike_and_asks_nobody_twice_that_answered() {
    let whole = plans();
    let golden = lasting(&whole.run(&["plan", TASK, "--json"]).exits(0).json());
    let turns = whole.turns();
    assert_eq!(turns.len(), 6, "{turns:?}");
    for (turn, answered) in [("r1/plan/s2", 1), ("r2/cross/s1", 3), ("validate/s2", 5)] {
        let sandbox = hanging(plans(), turn, "");
        let mut child = sandbox.spawn(&["plan", TASK]);
        sandbox.until_here();
        sandbox.until("the answers", |sandbox| results(sandbox) == answered);
        child.kill().unwrap();
        child.wait().unwrap();
        let document = sandbox.resume(&[]).exits(0).json();
        assert_eq!(lasting(&document), golden, "killed in {turn}");
        for other in &turns {
            let times = if other == turn { 2 } else { 1 };
            assert_eq!(sandbox.asked(other), times, "{other}, killed in {turn}");
        }
        sandbox.nobody_is_left();
    }
}

#[test]
fn an_interrupted_review_says_so_and_goes_on() {
    let golden = golden();
    let sandbox = hanging(agreeing(), "r2/cross/s2", "");
    let child = sandbox.spawn(&["review", "--json"]);
    sandbox.until_here();
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    let run = Sandbox::finish(child.wait_with_output().unwrap());
    let document = run.exits(130).json();
    assert_eq!(document["outcome"], "interrupted");
    assert_eq!(document["verdict"], "undecided");
    assert_eq!(document["findings"].as_array().unwrap().len(), 2);
    sandbox.nobody_is_left();
    let document = sandbox.resume(&[]).exits(1).json();
    assert_eq!(lasting(&document), golden);
    assert_eq!(sandbox.asked("r1/review/s1"), 1);
}
