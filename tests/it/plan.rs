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

fn titles(document: &Value) -> Vec<&str> {
    let steps = document["steps"].as_array().unwrap();
    steps.iter().map(|step| step["title"].as_str().unwrap()).collect()
}

#[test]
fn two_plans_are_judged_merged_voted_on_and_accepted() {
    let sandbox = agreeing();
    let run = sandbox.run(&["plan", TASK, "--json"]);
    run.exits(0);
    let document = run.json();
    assert_eq!(document["outcome"], "accepted");
    assert_eq!(document["verdict"], "accepted");
    assert_eq!(document["mode"], "plan");
    assert_eq!(document["task"], TASK);
    assert_eq!(document["winner"], "codex");
    // In the order of the winner's phases, the added one after the winner's of its phase.
    assert_eq!(
        titles(&document),
        [
            "Write the new schema",
            "Let every caller read rows",
            "Keep a copy of yesterday's data",
            "Delete the pickled files"
        ]
    );
    let added: Vec<&Value> =
        (document["steps"].as_array().unwrap().iter()).map(|step| &step["added"]).collect();
    assert_eq!(added, [false, false, true, false]);
    let schema = &document["steps"][0];
    assert_eq!(schema["proposed_by"], json!(["codex", "claude"]));
    assert_eq!(
        document["steps"][2]["depends_on"],
        json!([schema["id"]]),
        "rewritten to the winner's step"
    );
    // Clarity 5 + 6 + 6 + 4 + 3, completeness 10 + 5 + 2, feasibility 20, consensus 20; the other 5 + 4 + 4 + 3 + 3,
    // 10 + 3, 5 + 5 + 5 + 3, 20.
    assert_eq!(document["scores"]["codex"]["total"], 24 + 17 + 20 + 20);
    assert_eq!(document["scores"]["claude"]["total"], 19 + 13 + 18 + 20);
    assert_eq!(document["confidence"], 100);
    assert_eq!(document["rounds_used"], 1);
    assert_eq!(document["steps"][1]["validation"]["result"], "approved");
    assert_eq!(schema["validation"]["result"], "unvalidated");
    assert_eq!(document["final_vote"], "held");
    assert_eq!(
        sandbox.turns(),
        ["r1/plan/s1", "r1/plan/s2", "r2/cross/s1", "r2/cross/s2", "validate/s1", "validate/s2"]
    );
    let report = document["report_path"].as_str().unwrap();
    let kept = fs::read_to_string(report.replace(".md", ".json")).unwrap();
    assert_eq!(serde_json::from_str::<Value>(&kept).unwrap(), document);
    let text = fs::read_to_string(report).unwrap();
    assert!(text.contains("Keep a copy of yesterday"), "{text}");
    sandbox.keeps(&document, 0);
}

#[test]
fn what_is_printed_is_of_the_published_schema() {
    let dead = || agreeing().fake("r1_plan_s1.json", r#"{"error": "not_logged_in"}"#);
    let schema = Sandbox::new().run(&["schema", "plan"]).exits(0).json();
    let schema = jsonschema::validator_for(&schema).unwrap();
    for (sandbox, code) in [(agreeing(), 0), (dead(), 4)] {
        let document = sandbox.run(&["plan", TASK, "--json"]).exits(code).json();
        let errors: Vec<String> =
            schema.iter_errors(&document).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{errors:#?}");
    }
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

#[test]
fn a_dead_planner_leaves_it_undecided_and_the_report_says_who() {
    let sandbox = agreeing().fake("r1_plan_s1.json", r#"{"error": "not_logged_in"}"#);
    let run = sandbox.run(&["plan", TASK, "--json"]);
    run.exits(4);
    let document = run.json();
    assert_eq!(document["verdict"], "undecided");
    assert_eq!(document["degraded"], true);
    assert_eq!(document["confidence"], 0);
    assert_eq!(document["seats"][0]["status"], "failed");
    assert_eq!(document["scores"]["codex"], Value::Null, "no score");
    assert_eq!(document["winner"], "claude");
    let id = document["session_id"].as_str().unwrap();
    let shown = sandbox.run(&["sessions", "show", id]).stdout;
    assert!(shown.starts_with("UNDECIDED"), "{shown}");
    assert!(shown.contains("codex"), "{shown}");
    let report = fs::read_to_string(document["report_path"].as_str().unwrap()).unwrap();
    assert!(report.contains("undecided") || report.contains("UNDECIDED"), "{report}");
    assert!(report.contains("codex"), "{report}");
    // An agent that died later does not approve either.
    let sandbox = agreeing().fake("validate_s2.json", r#"{"error": "not_logged_in"}"#);
    let run = sandbox.run(&["plan", TASK, "--json"]);
    run.exits(4);
    assert_eq!(run.json()["verdict"], "undecided");
}

#[test]
fn a_plan_without_a_step_is_a_failed_answer() {
    let sandbox = agreeing().plans("s1", &[], 0);
    let run = sandbox.run(&["plan", TASK, "--json"]);
    run.exits(4);
    let document = run.json();
    assert_eq!(document["verdict"], "undecided");
    assert_eq!(document["confidence"], 0);
    assert_eq!(document["seats"][0]["status"], "failed");
    let asked = |turn: &str| sandbox.ledger().iter().filter(|it| *it == turn).count();
    assert_eq!(asked("codex r1/plan/s1"), 2, "once, and its repair");
    assert_eq!(asked("claude r1/plan/s2"), 1);
}

#[test]
fn a_cycle_is_named_and_mended_or_dropped() {
    let circle = [
        step("a", "1 store", "Write the new schema", &["b"]),
        step("b", "2 callers", "Let every caller read rows", &["a"]),
    ];
    let body = |steps: &[Value]| {
        let plan =
            json!({"steps": steps, "summary": "A summary.", "risks": [], "open_questions": []});
        crate::support::replies::block("PLAN", &plan.to_string())
    };
    let sandbox = agreeing().fake("r1_plan_s1.1.txt", &body(&circle));
    sandbox.run(&["plan", TASK, "--json"]).exits(0);
    let repair = sandbox
        .calls()
        .into_iter()
        .filter(|call| call.turn == "r1/plan/s1")
        .nth(1)
        .unwrap()
        .read("stdin");
    assert!(repair.contains("a -> b -> a"), "{repair}");
    let sandbox = agreeing()
        .fake("r1_plan_s1.txt", &body(&circle))
        .weighs(2, "s1", &[("S1", "agree"), ("S4", "agree")])
        .votes("s1", "approve", &["S1", "S4"]);
    // Nobody knows which of the two is wrong, so the second time neither counts; the plan does.
    let document = sandbox.run(&["plan", TASK, "--json"]).json();
    let warnings = document["warnings"].as_array().unwrap();
    let mended = warnings.iter().find(|warning| warning["code"] == "dependency_cycle").unwrap();
    assert!(mended["message"].as_str().unwrap().contains("a -> b -> a"), "{mended}");
    assert_eq!(document["seats"][0]["failure"], Value::Null);
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
fn no_prompt_names_an_agent_or_a_vendor() {
    let sandbox = agreeing();
    sandbox.run(&["plan", TASK]).exits(0);
    for call in sandbox.calls() {
        let prompt = call.read("stdin").to_lowercase();
        for name in ["codex", "claude", "openai", "anthropic", "gemini", "google"] {
            assert!(!prompt.contains(name), "{} names {name}", call.turn);
        }
    }
}

#[test]
fn a_dry_run_asks_nobody_and_keeps_nothing() {
    let sandbox = agreeing();
    let plan = sandbox.run(&["plan", TASK, "--dry-run", "--json"]).exits(0).json();
    let turns: Vec<&Value> =
        (plan["calls"].as_array().unwrap().iter()).map(|call| &call["turn"]).collect();
    assert_eq!(turns, ["r1/plan/s1", "r1/plan/s2"]);
    assert!(sandbox.calls().is_empty());
    assert!(!sandbox.project().join(".debate").exists());
}

#[test]
fn a_plan_that_ran_out_of_money_goes_on_where_it_stopped() {
    let golden = agreeing().run(&["plan", TASK, "--json"]).exits(0).json();
    let sandbox = agreeing();
    // Two plans are paid for, with 0.15 reserved for each; the rest of 0.30 does not cover two more.
    let costly = r#"{"cost": 0.1}"#;
    let sandbox = sandbox.fake("r1_plan_s1.json", costly).fake("r1_plan_s2.json", costly);
    let run = sandbox.run(&["plan", TASK, "--budget", "0.30", "--json"]);
    run.exits(4);
    let document = run.json();
    assert_eq!(document["outcome"], "budget");
    assert_eq!(document["verdict"], "undecided");
    let id = document["session_id"].as_str().unwrap();
    let run = sandbox.run(&["sessions", "resume", id, "--budget", "2.50", "--json"]);
    let resumed = run.exits(0).json();
    for part in ["verdict", "steps", "scores", "confidence", "winner"] {
        assert_eq!(resumed[part], golden[part], "{part}");
    }
    let asked = |turn: &str| sandbox.calls().iter().filter(|it| it.turn == turn).count();
    assert_eq!((asked("r1/plan/s1"), asked("r1/plan/s2")), (1, 1));
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
