//! `standing`: figures of real stored sessions, computed by hand from what the fakes were told to say.
#![cfg(target_os = "linux")]

use serde_json::{Value, json};

use crate::foreign::prepare;
use crate::support::Sandbox;
use crate::support::reviews::{injection, judgement, past_end};
use crate::support::styles::three;

/// A finding of claude's alone.
fn unclosed() -> Value {
    json!({
        "severity": "P2", "title": "The cursor is never closed", "file": "src/store.py", "line": 6,
        "quote": "return cursor.fetchone()", "trigger": "Call `find` in a loop.",
        "detail": "Cursors pile up until the collector runs.", "fix": "Close it: `cursor.close()`",
    })
}

/// A panel of three and a review of two. The panel: Redis against Files and Files, then evidence moves the first. The
/// review: both find the injection (F1), claude alone the cursor (F2), which codex
/// confirms, codex alone the index (F3), which claude refutes.
fn project() -> Sandbox {
    let sandbox = three(["Redis", "Files", "Files"])
        .casts("r3/cross/s1", "Files", Some("Answer @{Files} is 40% faster under load."), &[])
        .planted()
        .finds("s1", &[injection("A name can be SQL"), past_end()])
        .finds("s2", &[injection("A name can be SQL"), unclosed()])
        .judges(2, "s1", &[judgement("F2", "agree", None)])
        .judges(2, "s2", &[judgement("F3", "disagree", Some("return items[len(items)]"))]);
    sandbox.debated("panel", &[], 0);
    sandbox.reviewed(&[]).exits(1);
    sandbox
}

fn calls(sandbox: &Sandbox, cli: &str) -> usize {
    sandbox.calls().iter().filter(|call| call.cli == cli).count()
}

#[test]
fn it_counts_calls_costs_findings_changes_of_mind_and_agreement() {
    let sandbox = project();
    let review: Value =
        sandbox.run(&["sessions", "show", "@last:review", "--json"]).exits(0).json();
    let titled = |one: &&Value| one["title"] == past_end()["title"];
    let index = review["findings"].as_array().unwrap().iter().find(titled).unwrap();
    let why = ["--why", "The caller never does that."];
    let dismiss = ["review", "dismiss", index["id"].as_str().unwrap()];
    sandbox.run(&[&dismiss[..], &why].concat()).exits(0);
    let asked = sandbox.calls().len();
    let run = sandbox.run(&["standing", "--json"]);
    let document = run.exits(0).json();
    assert_eq!(sandbox.calls().len(), asked, "nobody is asked");
    assert_eq!((&document["sessions"], &document["rehearsals"]), (&json!(2), &json!(0)));
    let agents = document["agents"].as_array().unwrap();
    let of = |agent: &str| -> &Value {
        let mut rows = agents.iter().filter(|one| one["agent"] == agent);
        let row = rows.next().unwrap_or_else(|| panic!("{agent}: {document:#}"));
        assert!(rows.next().is_none(), "one model each: {document:#}");
        row
    };
    for agent in ["claude", "codex", "gemini"] {
        assert_eq!(of(agent)["calls"], calls(&sandbox, agent), "{agent}");
        assert_eq!(of(agent)["failures"], json!({}), "{agent}");
        assert!(of(agent)["seconds"].as_f64().unwrap() > 0.0, "{agent}");
    }
    // claude reports a cent a call, codex nothing.
    let cents = of("claude")["cost"]["usd"].as_f64().unwrap() * 100.0;
    assert!((cents - of("claude")["calls"].as_f64().unwrap()).abs() < 1e-6, "{document:#}");
    assert_eq!(of("claude")["cost_unknown"], 0);
    assert_eq!(
        (&of("codex")["cost"], &of("codex")["cost_unknown"]),
        (&Value::Null, &of("codex")["calls"])
    );
    let findings = |agent: &str| {
        ["raised", "confirmed", "refuted", "reproduced", "dismissed"]
            .map(|name| of(agent)[name].as_u64().unwrap())
    };
    assert_eq!(
        findings("codex"),
        [2, 1, 0, 0, 1],
        "F1 confirmed, F3 disputed by one and dismissed"
    );
    assert_eq!(findings("claude"), [2, 2, 0, 0, 0], "F1 and F2: {review:#}");
    assert_eq!(findings("gemini"), [0; 5]);
    let panel: Value = sandbox.run(&["sessions", "show", "@last:panel", "--json"]).exits(0).json();
    let first = panel["first_votes"][0]["agent"].as_str().unwrap();
    for agent in ["claude", "codex", "gemini"] {
        assert_eq!(of(agent)["changes_of_mind"], u32::from(agent == first), "{agent}");
    }
    // Findings: 5 of 6 values say right, one of three pairs differs: 1 - 2 / (10 / 5) = 0. Votes of the first against
    // another: 1 - 4 / (8 / 3) = -0.5; of the two others: 1.
    for pair in document["agreement"].as_array().unwrap() {
        let names: Vec<&str> =
            pair["agents"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
        let (units, alpha) = match pair["about"].as_str().unwrap() {
            "findings" => (3, 0.0),
            _ if names.contains(&first) => (2, -0.5),
            _ => (2, 1.0),
        };
        assert_eq!(pair["units"], units, "{pair}");
        assert!((pair["alpha"].as_f64().unwrap() - alpha).abs() < 1e-9, "{pair}");
    }
    assert_eq!(document["agreement"].as_array().unwrap().len(), 4);
    let text = sandbox.run(&["standing"]);
    text.exits(0)
        .prints("It weighs nothing")
        .prints("-0.500")
        .prints("2/1/0/0/1")
        .prints("unknown");
}

#[test]
fn rehearsals_are_left_out_and_other_versions_are_named() {
    let sandbox = Sandbox::new();
    sandbox.six();
    sandbox.run(&["standing"]).exits(0).prints("Of 0 sessions");
    for _ in 0..2 {
        sandbox.run(&["prioritize", "backlog.json", "--rehearse"]).exits(0);
    }
    prepare(&sandbox.sessions()[0], |opened| opened["program_version"] = json!("0.0.9"));
    let document = sandbox.run(&["standing", "--json"]).exits(0).json();
    assert_eq!(document["rehearsals"], 1);
    assert_eq!((&document["sessions"], &document["agents"]), (&json!(0), &json!([])));
    let [other] = &document["not_read"].as_array().unwrap()[..] else { panic!("{document:#}") };
    assert_eq!(other["session_id"], sandbox.sessions()[0].file_name().unwrap().to_str().unwrap());
    assert!(other["problem"].as_str().unwrap().contains("was made by version 0.0.9"), "{other}");
    sandbox.run(&["standing"]).exits(0).prints("Not read:");
}

#[test]
fn a_failed_call_is_counted_by_its_class() {
    let sandbox = Sandbox::new()
        .planted()
        .finds("s2", &[])
        .fake("r1_review_s1.json", r#"{"error": "not_logged_in"}"#);
    sandbox.run(&["review"]).exits(4);
    let document = sandbox.run(&["standing", "--json"]).exits(0).json();
    let codex = document["agents"].as_array().unwrap().iter().find(|one| one["agent"] == "codex");
    let codex = codex.unwrap_or_else(|| panic!("{document:#}"));
    assert_eq!(codex["failures"]["not_logged_in"], codex["calls"]);
}
