//! `plan` end to end: the planners' prompts, the result, the exit code.

use std::fs;

use serde_json::{Value, json};

use crate::support::Sandbox;
use crate::support::plans::{TASK, step, three};

/// Two plans that share their first step; everything else is agreed on. Ids follow the titles: `S1` deletes, `S2`
/// keeps a copy, `S3` lets callers read, `S4` writes the schema.
pub(crate) fn agreeing() -> Sandbox {
    Sandbox::new().scenario("plan/agreeing")
}

/// Two plans without a common step.
fn apart() -> Sandbox {
    let other = [step("backup", "1 store", "Keep a copy of yesterday's data", &[])];
    Sandbox::new()
        .plans("s1", &three(), 1)
        .plans("s2", &other, 0)
        .weighs(2, "s1", &[("S2", "agree")])
        .weighs(2, "s2", &[("S1", "agree"), ("S3", "agree"), ("S4", "agree")])
        .votes("s1", "approve", &["S2"])
}

#[test]
fn a_plan_whose_steps_are_mostly_voted_down_is_rejected() {
    let sandbox = apart().votes("s2", "reject", &["S1", "S3", "S4"]);
    fs::create_dir_all(sandbox.project().join(".git")).unwrap();
    let document = sandbox.run(&["plan", TASK, "--json"]).exits(1).json();
    assert_eq!(document["verdict"], "rejected");
    // For a client each step that was voted against bears its mark, and no other.
    let mut mcp = sandbox.mcp();
    let short = mcp.result("session_result", json!({ "session_id": document["session_id"] }));
    mcp.finish().exits(0);
    let items = short["items"].as_array().unwrap().iter();
    let marks = items.filter(|item| !item["keep_rejected"].is_null());
    let marks: Vec<Value> = marks.map(|item| json!([item["id"], item["keep_rejected"]])).collect();
    let steps = document["steps"].as_array().unwrap().iter();
    let rejected = steps.filter(|step| step["validation"]["result"] == "rejected");
    let rejected: Vec<Value> = rejected
        .map(|step| {
            let vote = &step["validation"];
            json!([step["id"], {"approves": vote["approves"], "rejects": vote["rejects"]}])
        })
        .collect();
    assert_eq!(marks, rejected);
    assert!(!rejected.is_empty());
    let objections = document["steps"][0]["objections"].as_array().unwrap();
    assert_eq!(objections[0]["agent"], "claude", "{objections:?}");
    // A step without any vote does not count as approved: most of those voted on were still rejected.
    assert!(document["recommendation"].as_str().unwrap().starts_with("REJECTED: "));
    apart().votes("s2", "reject", &["S1", "S3", "S4"]).run(&["plan", TASK]).exits(1);
    apart().votes("s2", "approve", &["S1", "S3", "S4"]).run(&["plan", TASK]).exits(0);
}

/// In a repository planners are shown its files and its README, and everywhere the files that are named.
#[test]
fn the_repository_and_the_files_given_are_shown() {
    let sandbox = agreeing().planted();
    fs::write(sandbox.project().join("README.md"), "# The pickled store\n").unwrap();
    fs::write(sandbox.project().join("notes.md"), "Keep the pickles.\n").unwrap();
    let document = sandbox.run(&["plan", TASK, "--file", "notes.md", "--json"]).exits(0).json();
    for call in sandbox.calls() {
        let shown = call.read("stdin");
        for text in ["| # The pickled store", "| src/: ", "| Keep the pickles."] {
            assert!(shown.contains(text), "{}: {text}", call.turn);
        }
    }
    // The steps name files that do not exist.
    assert_eq!(document["steps"][0]["missing_files"], json!(["src/schema.py"]));
    let outside = agreeing();
    outside.run(&["plan", TASK]).exits(0);
    assert!(!outside.calls()[0].read("stdin").contains("# The repository"));
    let run = agreeing().piped(&["plan", "-", "--file", "-"], "x");
    run.exits(2).says("only once");
}

#[test]
fn the_change_is_shown_where_it_is_asked_for_only() {
    for with in [true, false] {
        let sandbox = agreeing().planted();
        let mut args = vec!["plan", TASK, "--json"];
        if with {
            args.extend(["--base", "HEAD"]);
        }
        sandbox.run(&args).exits(0);
        let of = |turn: &str| {
            let calls = sandbox.calls();
            let call = calls.iter().find(|call| call.turn == turn).unwrap();
            call.read("stdin").contains("# The change that is there already")
        };
        assert_eq!(of("r1/plan/s1"), with);
        assert_eq!(of("r1/plan/s2"), with);
    }
}

#[test]
fn the_task_comes_from_standard_input_too() {
    let sandbox = agreeing();
    let run = sandbox.piped(&["plan", "-", "--json"], &format!("  {TASK}\n"));
    assert_eq!(run.exits(0).json()["task"], TASK);
    for call in sandbox.calls() {
        assert!(call.read("stdin").contains(TASK), "{}", call.turn);
        assert!(!call.read("argv").contains(TASK), "{}", call.turn);
    }
    sandbox.run(&["plan", " "]).exits(2).says("empty");
    sandbox.run(&["plan", "-"]).exits(2).says("empty");
}

#[test]
fn a_rehearsal_and_errors_of_the_request_spend_nothing() {
    let sandbox = Sandbox::new();
    let document = sandbox.run(&["plan", TASK, "--rehearse", "--json"]).exits(0).json();
    assert_eq!(document["rehearsal"], true);
    for (args, code, says) in [
        (&["plan", TASK, "--agents", "claude,nobody"][..], 2, "nobody"),
        (&["plan", TASK, "--max-rounds", "9"], 2, ""),
        (&["plan", TASK, "--json", "--format", "text"], 2, "two formats"),
        (&["plan", TASK, "--base", "HEAD"], 3, "git"),
    ] {
        sandbox.run(args).exits(code).says(says);
    }
    assert!(sandbox.calls().is_empty());
}
