//! Resuming and reading stored debates: from any point, after any change, and without a call where none is due.

use std::fs;

use serde_json::{Value, json};

use crate::support::crash::{decided, warnings};
use crate::support::{Run, Sandbox};

/// A finished debate of one round.
pub(crate) fn finished() -> (Sandbox, Value) {
    let sandbox = Sandbox::new().scenario("backlog/consensus-in-one");
    sandbox.six();
    let run = sandbox.run(&["prioritize", "backlog.json", "--json"]);
    let document = run.exits(0).json();
    (sandbox, document)
}

/// A debate that its budget stopped after the champion.
fn suspended() -> Sandbox {
    let sandbox = Sandbox::new()
        .scenario("backlog/consensus-in-one")
        .fake("r1_champion.json", r#"{"cost": 0.1}"#);
    sandbox.six();
    let run = sandbox.run(&["prioritize", "backlog.json", "--json", "--budget", "0.16"]);
    run.exits(4);
    assert_eq!(sandbox.ledger(), ["claude r1/champion"]);
    sandbox
}

pub(crate) fn session(sandbox: &Sandbox, command: &str, more: &[&str]) -> Run {
    let id = sandbox.only_session();
    let mut args = vec!["sessions", command, &id];
    args.extend(more);
    sandbox.run(&args)
}

/// Removes the fakes' memory, so that they begin again.
pub(crate) fn forget(sandbox: &Sandbox) {
    for name in ["ledger", "claims", "attempts"] {
        let dir = sandbox.home().join(".fake").join(name);
        fs::remove_dir_all(&dir).ok();
        fs::create_dir_all(&dir).unwrap();
    }
}

/// The number of turns whose call a journal's records show as done, by attempts.
fn results(records: &[Value], kind: &str) -> usize {
    records.iter().filter(|record| record["type"] == kind).count()
}

#[test]
fn p07_a_resume_after_every_prefix_of_the_journal_ends_alike_and_pays_what_is_missing() {
    let sandbox = Sandbox::new().scenario("backlog/missing-ids-repaired");
    sandbox.six();
    let golden = sandbox.run(&["prioritize", "backlog.json", "--json"]);
    let golden = golden.exits(0).json();
    let calls = sandbox.calls().len();
    assert!(calls >= 4, "a repair is among them");
    let records = sandbox.journal();
    let path = sandbox.journal_path();
    let text = fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    for count in 1..=lines.len() {
        forget(&sandbox);
        // The fakes answer by attempt: those in the journal are not asked again.
        for intent in records[..count].iter().filter(|it| it["type"] == "call.result") {
            let of = records.iter().find(|it| {
                it["type"] == "call.intent" && it["body"]["key"] == intent["body"]["key"]
            });
            let call = &of.unwrap()["body"]["intent"];
            let turn = call["turn"].as_str().unwrap().replace('/', "_");
            let attempt = call["attempt"].to_string();
            let dir = sandbox.home().join(".fake/attempts").join(turn);
            fs::create_dir_all(dir.join(attempt)).unwrap();
        }
        let spool = path.parent().unwrap().join("spool");
        fs::remove_dir_all(&spool).ok();
        fs::create_dir(&spool).unwrap();
        fs::write(&path, lines[..count].concat()).unwrap();
        let run = sandbox.resume(&[]);
        assert_eq!(run.code, 0, "after {count} records:\n{}", run.stderr);
        let document = run.json();
        assert_eq!(decided(&document), decided(&golden), "after {count} records");
        let known = results(&records[..count], "call.result");
        assert_eq!(sandbox.calls().len(), calls - known, "after {count} records");
        let in_flight = results(&records[..count], "call.intent") - known;
        let warned = warnings(&document);
        let marks = warned.iter().filter(|code| *code == "possibly_paid_twice");
        assert_eq!(marks.count(), in_flight, "after {count} records: {warned:?}");
    }
}

#[test]
fn f42_a_closed_session_is_resumed_with_its_own_exit_code_and_no_call() {
    let sandbox = Sandbox::new().scenario("backlog/stalemate");
    sandbox.six();
    let first = sandbox.run(&["prioritize", "backlog.json", "--json"]);
    assert_eq!(first.code, 1, "{}", first.stderr);
    let calls = sandbox.calls().len();
    for _ in 0..2 {
        let again = sandbox.resume(&[]);
        assert_eq!(again.exits(1).json(), first.json());
    }
    assert_eq!(sandbox.calls().len(), calls);
}

fn user_config(sandbox: &Sandbox, config: &Value) {
    let dir = sandbox.home().join(".config/debate-agent");
    fs::create_dir_all(&dir).unwrap();
    fs::write(dir.join("config.json"), config.to_string()).unwrap();
}

#[test]
fn f41_a_changed_agent_is_refused_and_accepted_only_on_record() {
    let sandbox = suspended();
    user_config(
        &sandbox,
        &json!({"agents": {"claude": {"path": "claude", "model": "claude-opus-4-5"}}}),
    );
    let more = ["--budget", "2"];
    let refused = sandbox.resume(&more);
    refused.exits(3).says("agent champion/claude").says("--accept-drift");
    assert_eq!(sandbox.calls().len(), 1);
    let run = sandbox.resume(&["--budget", "2", "--accept-drift"]);
    let document = run.exits(0).json();
    assert!(warnings(&document).contains(&"drift_accepted".to_owned()));
    assert_eq!(sandbox.asked("r1/champion"), 2, "its key changed: it is asked again");
    let shown = session(&sandbox, "show", &["--json"]).exits(0).json();
    assert_eq!(shown, document);
    // Once accepted, the change belongs to the session.
    assert_eq!(sandbox.resume(&[]).exits(0).json(), document);
}

#[test]
fn f41_after_accepted_drift_the_later_answer_is_shown() {
    // The champion's second answer is different: the output must show the one that was decided on.
    let sandbox = suspended();
    let answer = fs::read_to_string(sandbox.home().join(".fake/scenario/r1_champion.txt")).unwrap();
    let sandbox = sandbox.fake(
        "r1_champion.2.txt",
        &answer.replace(
            "CHAMPION_ARGUMENT_START>>>\n",
            "CHAMPION_ARGUMENT_START>>>\nSecond thoughts. ",
        ),
    );
    user_config(
        &sandbox,
        &json!({"agents": {"claude": {"path": "claude", "model": "claude-opus-4-5"}}}),
    );
    let run = sandbox.resume(&["--budget", "2", "--accept-drift"]);
    let document = run.exits(0).json();
    assert!(document.to_string().contains("Second thoughts."));
    for _ in 0..6 {
        let shown = session(&sandbox, "show", &["--json"]).exits(0).json();
        assert_eq!(shown, document);
    }
}

#[test]
fn f41_a_call_in_flight_under_the_old_agent_is_charged_and_told() {
    let sandbox = Sandbox::new()
        .scenario("backlog/consensus-in-one")
        .fake("r1_champion.1.sh", ": >\"$fake/here\"; exec sleep 100");
    sandbox.six();
    let mut child = sandbox.spawn(&["prioritize", "backlog.json"]);
    sandbox.until_here();
    child.kill().unwrap();
    child.wait().unwrap();
    user_config(
        &sandbox,
        &json!({"agents": {"claude": {"path": "claude", "model": "claude-opus-4-5"}}}),
    );
    sandbox.resume(&[]).exits(3);
    let run = sandbox.resume(&["--accept-drift", "--set", "limits.on_ambiguous=fail"]);
    run.exits(4).says("r1/champion");
    assert_eq!(sandbox.calls().len(), 1);
    let document = sandbox.resume(&["--accept-drift"]).exits(0).json();
    let codes = warnings(&document);
    assert!(codes.contains(&"possibly_paid_twice".to_owned()), "{codes:?}");
    let spent = document["cost"]["total_usd"].as_f64().unwrap();
    assert!(spent > 0.15, "{spent}: the lost call's reservation is in it");
    sandbox.nobody_is_left();
}

#[test]
fn f41_a_changed_skill_is_refused_and_named() {
    let sandbox = suspended();
    sandbox.write(
        "skills/backlog-critic/SKILL.md",
        "---\nname: backlog-critic\ndescription: other\n---\nBe kind.\n",
    );
    sandbox.run(&["trust"]);
    let refused = sandbox.resume(&["--budget", "2"]);
    assert_eq!(refused.code, 3, "{}", refused.stderr);
    assert_eq!(sandbox.calls().len(), 1, "nothing was asked");
}

#[test]
fn f41_changed_rules_are_no_drift_for_they_stand_in_the_session() {
    let sandbox = suspended();
    user_config(&sandbox, &json!({"backlog": {"max_rounds": 1, "partner_agreement": 1.0}}));
    let document = sandbox.resume(&["--budget", "2"]).exits(0).json();
    assert_eq!(document["outcome"], "consensus");
    assert_eq!(sandbox.asked("r1/champion"), 1);
}

#[test]
fn decide_changes_the_verdict_without_a_call() {
    // The moderator claims a consensus that the user's rule does not accept: the critic has two of six the other way
    // round.
    let sandbox = Sandbox::new().scenario("backlog/consensus-in-one");
    let critic = sandbox.home().join(".fake/scenario/r1_critic.txt");
    let swapped = fs::read_to_string(&critic)
        .unwrap()
        .replace("opp-cg-invoice", "opp-x")
        .replace("opp-sw-csv-export", "opp-cg-invoice")
        .replace("opp-x", "opp-sw-csv-export");
    fs::write(&critic, swapped).unwrap();
    sandbox.six();
    user_config(&sandbox, &json!({"backlog": {"partner_agreement": 1.0}}));
    let rounds = ["prioritize", "backlog.json", "--json", "--max-rounds", "1"];
    let first = sandbox.run(&rounds).exits(1).json();
    assert_eq!(first["outcome"], "max_rounds");
    let calls = sandbox.calls().len();
    let journal = fs::read(sandbox.journal_path()).unwrap();
    let rule = ["--json", "--set", "backlog.partner_agreement=0.6"];
    let lenient = session(&sandbox, "decide", &rule).exits(0).json();
    assert_eq!(lenient["outcome"], "consensus");
    assert_eq!(lenient["session"]["consensus_reached"], true);
    assert_eq!(sandbox.calls().len(), calls);
    assert_eq!(fs::read(sandbox.journal_path()).unwrap(), journal, "nothing was changed");
}

#[test]
fn p19_deleting_the_snapshot_loses_nothing() {
    let (sandbox, golden) = finished();
    let snapshot = sandbox.sessions()[0].join("session.json");
    let before: Value = serde_json::from_slice(&fs::read(&snapshot).unwrap()).unwrap();
    assert_eq!(before, golden, "the snapshot is the fold of the journal");
    fs::remove_file(&snapshot).unwrap();
    assert_eq!(session(&sandbox, "show", &["--json"]).exits(0).json(), golden);
    assert_eq!(sandbox.resume(&[]).exits(0).json(), golden);
    // Nor does a forged one change anything.
    fs::write(&snapshot, "{\"verdict\":\"forged\"}").unwrap();
    assert_eq!(session(&sandbox, "show", &["--json"]).exits(0).json(), golden);
}
