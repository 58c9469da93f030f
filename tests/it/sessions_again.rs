//! `sessions resume --from-round`: the earlier rounds are kept as recorded and paid for once, the rest is asked again
//! in a session of its own, and the parent is not touched.

use std::fs;

use serde_json::{Value, json};

use crate::plan::agreeing;
use crate::support::Sandbox;
use crate::support::plans::TASK;

/// Changes what the seats say when they are asked again.
fn changed_mind(sandbox: Sandbox) -> Sandbox {
    sandbox
        .weighs(2, "s2", &[("S1", "disagree"), ("S3", "agree")])
        .votes("s1", "reject", &["S2"])
        .votes("s2", "reject", &["S1", "S3"])
}

fn again(sandbox: &Sandbox, id: &str, more: &[&str], code: i32) -> Value {
    let args = [&["sessions", "resume", id, "--json"], more].concat();
    sandbox.run(&args).exits(code).json()
}

fn journal(sandbox: &Sandbox, id: &str) -> Vec<Value> {
    let path = sandbox.project().join(".debate/sessions").join(id).join("journal.jsonl");
    let text = fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Micro-dollars, so that sums are exact.
fn micros(usd: &Value) -> u64 {
    let text = format!("{:.6}", usd.as_f64().unwrap());
    text.replace('.', "").parse().unwrap()
}

fn warning(document: &Value, code: &str) -> Option<String> {
    let warnings = document["warnings"].as_array().unwrap();
    let found = warnings.iter().find(|warning| warning["code"] == code)?;
    Some(found["message"].as_str().unwrap().to_owned())
}

/// The files of a session with their bytes, except for its lock: opening it writes a pid there.
fn files(sandbox: &Sandbox, id: &str) -> Vec<(String, Vec<u8>)> {
    let dir = sandbox.project().join(".debate/sessions").join(id);
    let mut files: Vec<_> = ["", "answers", "spool"]
        .iter()
        .flat_map(|folder| fs::read_dir(dir.join(folder)).unwrap())
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_file() && !path.ends_with("lock"))
        .map(|path| (path.display().to_string(), fs::read(&path).unwrap()))
        .collect();
    files.sort();
    files
}

/// Runs a plan to its end and returns its id.
fn planned(sandbox: &Sandbox) -> (String, Value) {
    let document = sandbox.run(&["plan", TASK, "--json"]).exits(0).json();
    (document["session_id"].as_str().unwrap().to_owned(), document)
}

#[test]
fn the_rounds_before_are_kept_and_the_rest_is_asked_again_in_a_new_session() {
    let sandbox = agreeing();
    let (id, before) = planned(&sandbox);
    let parent = files(&sandbox, &id);
    let sandbox = changed_mind(sandbox);
    let document = again(&sandbox, &id, &["--from-round", "2"], 1);
    assert_eq!(document["verdict"], "rejected", "what is asked again decides");
    let child = document["session_id"].as_str().unwrap();
    assert_ne!(child, id);
    assert_eq!(document["parent"], json!({"session_id": id, "from_round": 2}));
    for (turn, times) in [
        ("r1/plan/s1", 1),
        ("r1/plan/s2", 1),
        ("r2/cross/s1", 2),
        ("r2/cross/s2", 2),
        ("validate/s2", 2),
    ] {
        assert_eq!(sandbox.asked(turn), times, "{turn}");
    }
    // The prompts of the turns asked again rest on the kept answers, byte for byte.
    let prompts: Vec<String> = (sandbox.calls().iter())
        .filter(|call| call.turn == "r2/cross/s1")
        .map(|call| call.read("stdin"))
        .collect();
    assert_eq!(prompts[0], prompts[1]);
    assert_eq!(files(&sandbox, &id), parent, "the parent was written to");
    let shown = sandbox.run(&["sessions", "show", &id, "--json"]).exits(0).json();
    assert_eq!(shown["verdict"], before["verdict"]);
    // Every output about the session mentions it.
    let short = &id[..id.len().min(8)];
    let said = warning(&document, "kept_from_parent").unwrap();
    assert!(said.contains("round 2") && said.contains(short), "{said}");
    let text = sandbox.run(&["sessions", "show", child]).exits(0).stdout.replace('\n', " ");
    assert!(text.contains("round 2"), "{text}");
    let status = sandbox.run(&["sessions", "status", child]).stdout;
    assert!(status.contains("again from round 2 of"), "{status}");
    let list = sandbox.run(&["sessions", "list", "--json"]).exits(0).json();
    assert_eq!(list["sessions"][0]["parent"]["from_round"], 2);
    assert_eq!(list["sessions"][0]["calls"], 4, "kept answers are no calls");
    assert_eq!(list["sessions"][1]["parent"], Value::Null);
    // It is a session like every other: a resume gives the same result and asks no agent.
    let calls = sandbox.calls().len();
    let resumed = again(&sandbox, child, &[], 1);
    assert_eq!(resumed["parent"], document["parent"]);
    assert_eq!(sandbox.calls().len(), calls);
}

#[test]
fn the_same_answers_give_the_same_result_and_are_paid_for_once() {
    let sandbox = agreeing();
    let (id, before) = planned(&sandbox);
    let document = again(&sandbox, &id, &["--from-round", "2"], 0);
    for part in ["verdict", "steps", "scores", "confidence", "winner"] {
        assert_eq!(document[part], before[part], "{part}");
    }
    let child = document["session_id"].as_str().unwrap();
    let results: Vec<Value> = (journal(&sandbox, child).into_iter())
        .filter(|record| record["type"] == "call.result")
        .map(|record| record["body"].clone())
        .collect();
    let (kept, paid): (Vec<&Value>, Vec<&Value>) =
        results.iter().partition(|result| result.get("kept").is_some());
    assert_eq!((kept.len(), paid.len()), (2, 4));
    assert!(kept.iter().all(|result| micros(&result["cost"]["usd"]) == 0));
    let there: u64 = kept.iter().map(|result| micros(&result["kept"]["usd"])).sum();
    let here: u64 = paid.iter().map(|result| micros(&result["cost"]["usd"])).sum();
    assert!(there > 0 && here > 0);
    assert_eq!(micros(&document["cost"]["total_usd"]), here);
    assert_eq!(micros(&before["cost"]["total_usd"]), here + there);
    assert_eq!(document["cost"]["basis"], before["cost"]["basis"]);
    // Forked from the child, the first rounds are still the grandparent's, and still not paid for.
    let third = again(&sandbox, child, &["--from-round", "3"], 0);
    assert_eq!(third["parent"]["session_id"], child);
    assert_eq!((sandbox.asked("r2/cross/s1"), sandbox.asked("validate/s2")), (2, 3));
    assert!(micros(&third["cost"]["total_usd"]) < here);
}

#[test]
fn the_budget_is_the_new_session_s_own() {
    let sandbox = agreeing();
    let (id, _) = planned(&sandbox);
    let sessions = sandbox.sessions();
    let from = |budget: &str| {
        let resume = ["sessions", "resume", &id, "--from-round", "2"];
        sandbox.run(&[&resume[..], &["--budget", budget, "--json"]].concat())
    };
    let error = from("0.000001").exits(4).json();
    assert_eq!(error["error"]["code"], "budget");
    assert_eq!(sandbox.asked("r2/cross/s1"), 1);
    assert_eq!(sandbox.sessions(), sessions, "nothing was begun");
    let document = from("2.50").exits(0).json();
    assert_eq!(document["parent"]["session_id"], id);
    assert_eq!(document["cost"]["budget_usd"], 2.5);
    assert_eq!(sandbox.asked("r1/plan/s1"), 1);
}

#[test]
fn a_round_that_is_none_asks_nobody_and_begins_nothing() {
    let sandbox = agreeing();
    let (id, _) = planned(&sandbox);
    let calls = sandbox.calls().len();
    for (round, says) in [("4", "from 1 to 3"), ("0", "1..=1000"), ("-1", "1..=1000"), ("x", "")] {
        let args = ["sessions", "resume", &id, "--from-round", round];
        sandbox.run(&args).exits(2).says(says);
        sandbox.run(&[&args[..], &["--dry-run"]].concat()).exits(2).says(says);
    }
    sandbox.six();
    let ranked = sandbox.run(&["prioritize", "backlog.json", "--rehearse", "--json"]);
    let ranked = ranked.exits(0).json()["session_id"].as_str().unwrap().to_owned();
    for more in [&[][..], &["--dry-run"]] {
        let args = [&["sessions", "resume", &ranked, "--from-round", "2"], more].concat();
        sandbox.run(&args).exits(2).says("reviews, plans, debates and critiques");
    }
    sandbox.run(&["sessions", "resume", "0123", "--from-round", "2"]).exits(2).says("no session");
    assert_eq!(sandbox.calls().len(), calls);
    assert_eq!(sandbox.sessions().len(), 2);
}

#[test]
fn round_one_keeps_nothing_but_what_it_is_about() {
    let sandbox = agreeing();
    let (id, before) = planned(&sandbox);
    let document = again(&sandbox, &id, &["--from-round", "1"], 0);
    assert_eq!(document["parent"]["from_round"], 1);
    assert_eq!(document["task"], before["task"]);
    assert_eq!(micros(&document["cost"]["total_usd"]), micros(&before["cost"]["total_usd"]));
    assert_eq!(sandbox.asked("r1/plan/s1"), 2);
}

#[test]
fn a_dry_run_says_what_would_be_asked_first() {
    let sandbox = agreeing();
    let (id, _) = planned(&sandbox);
    let calls = sandbox.calls().len();
    for (round, turns) in [
        ("1", json!(["r1/plan/s1", "r1/plan/s2"])),
        ("2", json!(["r2/cross/s1", "r2/cross/s2"])),
        ("3", json!(["validate/s1", "validate/s2"])),
    ] {
        let plan = again(&sandbox, &id, &["--from-round", round, "--dry-run"], 0);
        assert_eq!(plan["next_turns"], turns, "round {round}");
    }
    assert_eq!(sandbox.calls().len(), calls);
    assert_eq!(sandbox.sessions().len(), 1);
}

#[test]
fn what_failed_in_a_kept_round_stays_failed() {
    let sandbox = agreeing().fake("r1_plan_s1.json", r#"{"error": "not_logged_in"}"#);
    let run = sandbox.run(&["plan", TASK, "--json"]);
    let id = run.exits(4).json()["session_id"].as_str().unwrap().to_owned();
    fs::remove_file(sandbox.home().join(".fake/scenario/r1_plan_s1.json")).unwrap();
    // The new session spent nothing, and an agent was not logged in: a failure of the environment.
    let document = again(&sandbox, &id, &["--from-round", "2"], 3);
    assert_eq!(document["verdict"], "undecided");
    assert_eq!(document["seats"][0]["status"], "failed");
    assert_eq!(sandbox.asked("r1/plan/s1"), 1, "as it was recorded");
    // A plain resume of the new session asks it again, as it would have in the parent.
    let child = document["session_id"].as_str().unwrap().to_owned();
    again(&sandbox, &child, &[], 0);
    assert_eq!(sandbox.asked("r1/plan/s1"), 2);
}

#[test]
fn drift_is_refused_and_where_it_is_accepted_the_kept_rounds_are_still_kept() {
    let sandbox = agreeing();
    let (id, _) = planned(&sandbox);
    let sandbox = sandbox.config(r#"{"agents": {"claude": {"model": "another"}}}"#);
    sandbox.run(&["sessions", "resume", &id, "--from-round", "2"]).exits(3).says("--accept-drift");
    assert_eq!(sandbox.sessions().len(), 1);
    let document = again(&sandbox, &id, &["--from-round", "2", "--accept-drift"], 0);
    let said = warning(&document, "drift_accepted").unwrap();
    assert!(said.contains("claude"), "{said}");
    assert_eq!(sandbox.asked("r1/plan/s2"), 1, "kept whatever would ask today");
    assert_eq!(sandbox.asked("r2/cross/s2"), 2);
    // Accepted drift remains accepted.
    let child = document["session_id"].as_str().unwrap().to_owned();
    again(&sandbox, &child, &[], 0);
    // With nothing kept, nothing can have drifted.
    again(&sandbox, &id, &["--from-round", "1"], 0);
}

#[test]
fn a_damaged_answer_of_the_parent_is_never_kept() {
    let sandbox = agreeing();
    let (id, _) = planned(&sandbox);
    let dir = sandbox.project().join(".debate/sessions").join(&id);
    let answer = (journal(&sandbox, &id).into_iter())
        .find(|record| record["type"] == "call.result")
        .unwrap();
    let name = answer["body"]["answer"].as_str().unwrap().to_owned();
    fs::write(dir.join("answers").join(name), "forged").unwrap();
    let calls = sandbox.calls().len();
    sandbox
        .run(&["sessions", "resume", &id, "--from-round", "2"])
        .exits(5)
        .says("does not contain what its name promises");
    assert_eq!(sandbox.calls().len(), calls);
    assert_eq!(sandbox.sessions().len(), 1, "nothing is left of the new session");
}

#[test]
fn a_rehearsal_is_begun_again_as_one() {
    let sandbox = Sandbox::new();
    let run = sandbox.run(&["plan", TASK, "--rehearse", "--json"]);
    let id = run.json()["session_id"].as_str().unwrap().to_owned();
    let run = sandbox.run(&["sessions", "resume", &id, "--from-round", "2", "--json"]);
    assert_eq!(run.json()["rehearsal"], true);
    assert!(sandbox.calls().is_empty());
}

#[cfg(target_os = "linux")]
mod kills {
    use super::*;

    /// Makes the `nth` call of a turn hang for ever.
    fn hanging(sandbox: Sandbox, turn: &str, nth: usize) -> Sandbox {
        let name = format!("{}.{nth}.sh", turn.replace('/', "_"));
        sandbox.fake(&name, ": >\"$fake/here\"; exec sleep 100")
    }

    #[test]
    fn a_parent_that_was_killed_or_suspended_is_begun_from_too() {
        let (_, golden) = planned(&agreeing());
        for (turn, round) in [("r2/cross/s1", "2"), ("validate/s2", "3"), ("validate/s2", "2")] {
            let sandbox = hanging(agreeing(), turn, 1);
            let mut child = sandbox.spawn(&["plan", TASK]);
            sandbox.until_here();
            let id = sandbox.only_session();
            // While it runs, no other process can take it.
            let args = ["sessions", "resume", &id, "--from-round", round];
            sandbox.run(&args).exits(5).says("process");
            child.kill().unwrap();
            child.wait().unwrap();
            let before = files(&sandbox, &id);
            let document = again(&sandbox, &id, &["--from-round", round], 0);
            for part in ["verdict", "steps", "scores", "winner"] {
                assert_eq!(document[part], golden[part], "{part}, killed in {turn}");
            }
            assert_eq!(sandbox.asked("r1/plan/s1"), 1, "killed in {turn}");
            assert_eq!(files(&sandbox, &id), before, "the parent was written to");
            sandbox.nobody_is_left();
        }
    }

    #[test]
    fn the_new_session_is_killed_in_any_step_and_resumed_as_if_nothing_had_happened() {
        let golden = {
            let sandbox = agreeing();
            let (id, _) = planned(&sandbox);
            again(&sandbox, &id, &["--from-round", "2"], 0)
        };
        for turn in ["r2/cross/s1", "r2/cross/s2", "validate/s2"] {
            // The second call of the turn is the new session's.
            let sandbox = hanging(agreeing(), turn, 2);
            let (id, _) = planned(&sandbox);
            let mut child = sandbox.spawn(&["sessions", "resume", &id, "--from-round", "2"]);
            sandbox.until_here();
            child.kill().unwrap();
            child.wait().unwrap();
            let new = sandbox.sessions().pop().unwrap();
            let new = new.file_name().unwrap().to_str().unwrap().to_owned();
            assert_ne!(new, id);
            let mut document = again(&sandbox, &new, &[], 0);
            let mut expected = golden.clone();
            assert_eq!(document["parent"]["session_id"], id);
            for part in ["verdict", "steps", "scores", "confidence", "winner"] {
                let (found, wanted) = (document[part].take(), expected[part].take());
                assert_eq!(found, wanted, "{part}, killed in {turn}");
            }
            assert_eq!(sandbox.asked("r1/plan/s1"), 1);
            assert_eq!(sandbox.asked("r1/plan/s2"), 1);
            assert_eq!(sandbox.asked(turn), 3, "the parent's, the cut one, the last");
            sandbox.nobody_is_left();
        }
    }
}
