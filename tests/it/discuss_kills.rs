//! A critique is killed, stopped, out of money, or cannot write: it loses nothing, pays no agent twice, and decides
//! nothing that the same critique undisturbed would not have decided.
#![cfg(target_os = "linux")]

use std::fs;

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::resume::forget;
use crate::support::Sandbox;
use crate::support::crash::{lasting, warnings};
use crate::support::discusses::{BRIEF, CONTEXT, FIVE, critique_with, seat};
use crate::support::live::until;

const WITH: [&str; 4] = ["--context", CONTEXT, "--round-id", "R-1"];

/// Five perspectives that decide something: medium, with a theme.
fn five() -> Sandbox {
    let fault = |rating: u8| {
        critique_with(rating, json!({"weaknesses": ["No owner is named for the gateway."]}))
    };
    Sandbox::discussing().critic("product", &fault(2)).critic("quality", &fault(3)).rates(&[
        ("technical", 4),
        ("risk", 4),
        ("coverage", 5),
    ])
}

fn golden() -> Value {
    let document = five().discussed(&WITH, 1);
    assert_eq!(document["severity"], "medium");
    lasting(&document)
}

/// Makes the first call of some perspectives hang.
fn hanging(perspectives: &[&str]) -> Sandbox {
    (perspectives.iter()).fold(five(), |sandbox, perspective| {
        let script = format!(": >\"$fake/hung-{perspective}\"; exec sleep 600");
        sandbox.fake(&format!("r1_{perspective}.1.sh"), &script)
    })
}

/// The perspectives that hang at the end of the run: all, three of five, one of five.
const STAGES: [&[&str]; 3] = [&FIVE, &["product", "risk", "coverage"], &["technical"]];

/// Waits until all five were asked, the hanging ones hang, and the answers of the others are in the journal.
#[track_caller]
fn until_waiting(sandbox: &Sandbox, hanging: &[&str]) {
    let hung = |perspective: &&str| {
        let mark = format!(".fake/hung-{perspective}");
        sandbox.home().join(mark).exists()
    };
    until("the answers are in the journal", || {
        hanging.iter().all(hung) && sandbox.results() == 5 - hanging.len()
    });
}

/// Asserts that a resume ends as if nothing had happened, and asks no perspective that has answered.
#[track_caller]
fn goes_on(what: &str, sandbox: &Sandbox, hung: &[&str], golden: &Value) {
    let document = sandbox.resume(&[]).exits(1).json();
    assert_eq!(lasting(&document), *golden, "{what}");
    for perspective in FIVE {
        let times = 1 + usize::from(hung.contains(&perspective));
        assert_eq!(sandbox.asked(&format!("r1/{perspective}")), times, "{what}: {perspective}");
    }
    let record = document["record_path"].as_str().unwrap();
    assert!(fs::read_to_string(record).unwrap().contains("BLOCKED (medium)"), "{what}");
    // Resumed once more, it gives the same result, at no cost.
    let calls = sandbox.calls().len();
    let again = sandbox.resume(&[]).exits(1).json();
    assert_eq!(lasting(&again), *golden, "{what}");
    assert_eq!(sandbox.calls().len(), calls, "{what}");
    // And names the same record, once.
    assert_eq!(again["record_path"], document["record_path"], "{what}");
    assert_eq!(again["message"], document["message"], "{what}");
    sandbox.nobody_is_left();
}

#[test]
fn a_critique_killed_between_any_answers_ends_alike() {
    let golden = golden();
    for hung in STAGES {
        let sandbox = hanging(hung);
        let mut child = sandbox.spawn(&[&["discuss", BRIEF], &WITH[..]].concat());
        until_waiting(&sandbox, hung);
        child.kill().unwrap();
        child.wait().unwrap();
        sandbox.nobody_is_left();
        // Until the resume nothing is decided, and the result says so; there is no record that could be mistaken for
        // a decision.
        let id = sandbox.only_session();
        let shown = sandbox.run(&["sessions", "show", &id, "--json"]).json();
        assert_eq!(shown["verdict"], "undecided", "{hung:?}");
        let records = sandbox.project().join(".debate/discuss/discussions");
        assert!(!records.exists(), "{hung:?}");
        goes_on(&format!("killed with {hung:?} out"), &sandbox, hung, &golden);
    }
}

#[test]
fn a_critique_that_is_stopped_says_so_and_goes_on() {
    let golden = golden();
    for (signal, code) in [(Signal::INT, 130), (Signal::TERM, 143), (Signal::HUP, 129)] {
        for hung in STAGES {
            let what = format!("{signal:?} with {hung:?} out");
            let sandbox = hanging(hung);
            let live = sandbox.start(&[&["discuss", BRIEF, "--json"], &WITH[..]].concat());
            until_waiting(&sandbox, hung);
            live.send(signal);
            let document = live.finish().exits(code).json();
            sandbox.nothing_lives();
            assert_eq!(document["outcome"], "interrupted", "{what}");
            assert_eq!(document["verdict"], "undecided", "{what}");
            for field in ["severity", "recommendation"] {
                assert_eq!(document[field], Value::Null, "{what}: {field}");
            }
            assert!(document.get("message").is_none(), "{what}");
            // Paid answers are shown.
            let voices = document["perspectives"].as_array().unwrap();
            assert_eq!(voices.len(), 5 - hung.len(), "{what}");
            goes_on(&what, &sandbox, hung, &golden);
        }
    }
}

/// Every moment that leaves a trace, including the one after the last answer and before the record.
#[test]
fn a_resume_after_every_prefix_of_the_journal_ends_alike_and_pays_what_is_missing() {
    let sandbox = five();
    let golden = lasting(&sandbox.discussed(&WITH, 1));
    let path = sandbox.journal_path();
    let records = sandbox.journal();
    let text = fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let written = sandbox.project().join(".debate/discuss");
    for count in 1..=lines.len() {
        forget(&sandbox);
        let session = path.parent().unwrap();
        fs::remove_dir_all(session.join("spool")).ok();
        fs::create_dir(session.join("spool")).unwrap();
        fs::remove_file(session.join("session.json")).ok();
        fs::remove_dir_all(&written).ok();
        fs::write(&path, lines[..count].concat()).unwrap();
        let document = sandbox.resume(&[]).exits(1).json();
        assert_eq!(lasting(&document), golden, "after {count} records");
        let done = (records[..count].iter()).filter(|record| record["type"] == "call.result");
        assert_eq!(sandbox.calls().len(), 5 - done.count(), "after {count} records");
        let record = document["record_path"].as_str().unwrap();
        assert!(fs::metadata(record).is_ok(), "after {count} records");
    }
}

/// A result that cannot be kept is still a result, and the missing record is reported.
#[test]
fn a_record_that_cannot_be_written_costs_the_record_alone() {
    let golden = golden();
    for what in ["a file", "a link", "no room"] {
        let sandbox = five();
        let folder = sandbox.project().join(".debate/discuss");
        let elsewhere = sandbox.tmp().join("elsewhere");
        fs::create_dir_all(&folder).unwrap();
        fs::create_dir(&elsewhere).unwrap();
        let records = folder.join("discussions");
        let mut args = [&["discuss", BRIEF], &WITH[..]].concat();
        match what {
            "a file" => fs::write(records, "").unwrap(),
            "a link" => std::os::unix::fs::symlink(&elsewhere, records).unwrap(),
            // Nothing can be created in it, even by root.
            _ => args.extend(["--folder", "/proc/self/fdinfo"]),
        }
        let document = sandbox.run(&[&args[..], &["--json"]].concat()).exits(1).json();
        assert_eq!(lasting(&document), golden, "{what}");
        let codes = warnings(&document);
        let said = |code: &str| code == "report_not_written";
        assert!(codes.iter().any(|code| said(code)), "{what}: {codes:?}");
        for field in ["record_path", "report_path"] {
            let path = document.get(field);
            assert!(path.is_none_or(Value::is_null), "{what}: {field}");
        }
        let message = document["message"].as_str().unwrap();
        let last = message.lines().last();
        assert_eq!(last, Some("Discussion: none written"), "{what}: {message}");
        assert_eq!(fs::read_dir(&elsewhere).unwrap().count(), 0, "{what}");
        // The journal contains it all the same.
        let id = sandbox.only_session();
        let shown = sandbox.run(&["sessions", "show", &id, "--format", "md"]);
        assert!(shown.exits(0).stdout.contains("BLOCKED (medium)"), "{what}");
        let text = sandbox.run(&args);
        let screen = &text.exits(1).stdout;
        assert!(screen.contains("BLOCKED (medium)"), "{what}\n{screen}");
        assert!(screen.contains("could not be written"), "{what}\n{screen}");
    }
}

/// A fault that can be seen before any agent is asked is an error while nothing is spent.
#[test]
fn a_folder_for_records_that_is_none_ends_before_any_call() {
    for named in [None, Some("/dev/full"), Some(BRIEF)] {
        let sandbox = five();
        let mut args = [&["discuss", BRIEF, "--json"], &WITH[..]].concat();
        match named {
            Some(named) => args.extend(["--folder", named]),
            None => {
                sandbox.write(".debate/discuss", "");
            }
        }
        let error = sandbox.run(&args).exits(5).json();
        let message = error["error"]["message"].as_str().unwrap();
        assert!(message.contains("a directory"), "{named:?}: {message}");
        assert!(sandbox.calls().is_empty(), "{named:?}");
        assert!(sandbox.sessions().is_empty(), "{named:?}");
    }
}

/// All perspectives with one agent that reports its cost, half a dollar each.
fn costly() -> Sandbox {
    let agents: serde_json::Map<String, Value> = (FIVE.iter())
        .map(|perspective| ((*perspective).to_owned(), json!({"agent": "claude"})))
        .collect();
    let config = json!({"discuss": {"perspectives": agents}});
    five().config(&config.to_string()).fake("claude.json", &json!({"cost": "0.5"}).to_string())
}

#[test]
fn a_budget_that_ends_after_two_keeps_two_and_asks_three_later() {
    let golden = lasting(&costly().discussed(&[&WITH[..], &["--budget", "20"]].concat(), 1));
    // One by one, until the next would not be covered.
    {
        let args = &["--budget", "1.1", "--set", "limits.max_parallel=1"][..];
        let sandbox = costly();
        // Two of five are not a quorum, so a budget for two calls asks no agent.
        let refused = sandbox.discuss(&[&WITH[..], &["--budget", "0.35"]].concat());
        refused.exits(4).says("$0.45");
        assert!(sandbox.calls().is_empty());
        let document = sandbox.discussed(&[&WITH[..], args].concat(), 4);
        assert_eq!(document["outcome"], "budget", "{args:?}");
        assert_eq!(document["verdict"], "undecided", "{args:?}");
        assert_eq!(document["severity"], Value::Null, "{args:?}");
        assert_eq!(document["ratings"], json!({"product": 2, "technical": 4}), "{args:?}");
        assert_eq!(document["quorum"]["answered"], 2, "{args:?}");
        assert_eq!(sandbox.calls().len(), 2, "{args:?}");
        for perspective in ["quality", "risk", "coverage"] {
            let status = &seat(&document, perspective)["status"];
            assert!(status != "answered" && status != "fell_back", "{args:?}: {status}");
        }
        // Both critiques are in the record, which does not claim that anything was reached.
        let record = fs::read_to_string(document["record_path"].as_str().unwrap()).unwrap();
        assert!(record.contains("UNDECIDED: the budget"), "{record}");
        assert!(record.contains("No owner is named for the gateway"), "{record}");
        assert!(!record.contains("reached"), "{record}");
        let resumed = sandbox.resume(&["--budget", "20"]).exits(1).json();
        assert_eq!(lasting(&resumed), golden, "{args:?}");
        assert_eq!(sandbox.calls().len(), 5, "{args:?}");
        for perspective in FIVE {
            assert_eq!(sandbox.asked(&format!("r1/{perspective}")), 1, "{args:?}");
        }
    }
}

/// The maximum number of calls open at once, by the fakes' own ledger.
fn at_once(sandbox: &Sandbox) -> usize {
    let mut moments: Vec<(f64, bool)> = Vec::new();
    for call in sandbox.calls() {
        for (name, begins) in [("start", true), ("end", false)] {
            moments.push((call.read(name).trim().parse().unwrap(), begins));
        }
    }
    moments.sort_by(|one, other| one.0.total_cmp(&other.0));
    let mut open = 0;
    let mut most = 0;
    for (_, begins) in moments {
        if begins {
            open += 1;
        } else {
            open -= 1;
        }
        most = most.max(open);
    }
    most
}

#[test]
fn no_more_are_asked_at_once_than_allowed() {
    // The first two answer only when both have been asked, so two are asked at once.
    let sandbox = five().meet(&["product", "technical"]).slow("0.3");
    let document = sandbox.discussed(&[&WITH[..], &["--set", "limits.max_parallel=2"]].concat(), 1);
    assert_eq!(document["quorum"]["answered"], 5);
    assert_eq!(at_once(&sandbox), 2);
    // All five, where all five are allowed: none answers before all have been asked.
    let sandbox = five().meet(&FIVE);
    let document = sandbox.discussed(&[&WITH[..], &["--set", "limits.max_parallel=5"]].concat(), 1);
    assert_eq!(document["quorum"]["answered"], 5);
    assert_eq!(at_once(&sandbox), 5);
    let sandbox = five().slow("0.1");
    sandbox.discussed(&[&WITH[..], &["--set", "limits.max_parallel=1"]].concat(), 1);
    assert_eq!(at_once(&sandbox), 1);
}
