//! A critique in other forms: from standard input, as Markdown, as events; and afterwards, as a stored session.

use std::fs;

use serde_json::json;

use crate::support::Sandbox;
use crate::support::discusses::seat;

const TWO: [&str; 2] = ["--perspectives", "product,quality"];

#[test]
fn an_artifact_may_come_by_standard_input() {
    let sandbox = Sandbox::discussing();
    let text = "# A design\n\nIt came through a pipe; see [it](gone.md).\n";
    let args = [&["discuss", "-", "--json"], &TWO[..]].concat();
    let document = sandbox.piped(&args, text).exits(0).json();
    sandbox.is_of("discuss", &document);
    assert_eq!(document["artifact"], "standard input");
    assert_eq!(document["artifact_bytes"], json!(text.len()));
    for turn in ["r1/product", "r1/quality"] {
        let prompt = &sandbox.prompts(turn)[0];
        assert!(prompt.contains("It came through a pipe"), "{turn}");
    }
    let page = fs::read_to_string(document["record_path"].as_str().unwrap()).unwrap();
    assert!(page.contains("standard input"), "{page}");
    // It is part of the session, so a resume needs no pipe.
    let id = document["session_id"].as_str().unwrap();
    sandbox.run(&["sessions", "resume", id]).exits(0);
    // It can be read only once.
    let calls = sandbox.calls().len();
    sandbox.piped(&["discuss", "-", "--context", "-"], text).exits(2).says("standard input");
    sandbox.piped(&["discuss", "-"], "").exits(2).says("empty");
    assert_eq!(sandbox.calls().len(), calls);
}

#[test]
fn a_resume_asks_those_who_failed_and_pays_nobody_twice() {
    let sandbox = Sandbox::discussing()
        .fake("claude.json", r#"{"cost": 0.10}"#)
        .fails("product", "not_logged_in")
        .babbles("risk", "It is fine.");
    let document = sandbox.discussed(&[], 4);
    assert_eq!(document["quorum"]["answered"], 2);
    let id = document["session_id"].as_str().unwrap();
    let shown = sandbox.run(&["sessions", "show", id, "--full"]).exits(0).stdout.clone();
    assert!(!shown.contains("REACHED"), "{shown}");
    let status = sandbox.run(&["sessions", "status", id, "--json"]);
    let status = status.exits(0).json();
    let mut next: Vec<&str> = (status["next_turns"].as_array().unwrap().iter())
        .map(|turn| turn.as_str().unwrap())
        .collect();
    next.sort_unstable();
    assert_eq!(next, ["r1/product", "r1/risk"]);
    let paid = document["cost"]["total_usd"].as_f64().unwrap();
    let before = sandbox.calls().len();
    sandbox.heal();
    let resumed = sandbox.run(&["sessions", "resume", id, "--json"]);
    let resumed = resumed.exits(0).json();
    sandbox.is_of("discuss", &resumed);
    assert_eq!(resumed["session_id"], id);
    assert_eq!(resumed["ratings"].as_object().unwrap().len(), 4);
    let mut asked: Vec<String> = sandbox.ledger().split_off(before);
    asked.sort();
    assert_eq!(asked, ["gemini r1/product", "gemini r1/risk"]);
    let now = resumed["cost"]["total_usd"].as_f64().unwrap();
    assert!(now > paid && now < paid + 0.10, "{paid} and then {now}");
    // The record of the undecided one remains, and the decided one has its own.
    let records = [&document, &resumed].map(|one| one["record_path"].as_str().unwrap().to_owned());
    assert_ne!(records[0], records[1]);
    let page = fs::read_to_string(&records[0]).unwrap();
    assert!(page.contains("UNDECIDED") && !page.contains("REACHED"), "{page}");
}

#[test]
fn an_undecided_critique_can_be_ended_and_stays_undecided() {
    let sandbox = Sandbox::discussing().fails("product", "not_logged_in").rates(&[("quality", 5)]);
    let document = sandbox.discussed(&TWO, 4);
    let id = document["session_id"].as_str().unwrap();
    let ended = sandbox.run(&["sessions", "terminate", id, "--json"]);
    let ended = ended.exits(0).json();
    assert_eq!(ended["session"]["verdict"], "undecided", "{ended}");
    sandbox.heal();
    let calls = sandbox.calls().len();
    let run = sandbox.run(&["sessions", "resume", id, "--json"]);
    assert_ne!(run.code, 0, "{}", run.stdout);
    assert!(!run.stdout.contains("consensus_reached"), "{}", run.stdout);
    assert_eq!(sandbox.calls().len(), calls);
    let shown = sandbox.run(&["sessions", "show", id, "--json"]);
    assert_eq!(shown.exits(0).json()["verdict"], "undecided");
}

#[test]
fn a_resume_keeps_the_agents_that_stood_in() {
    let sandbox =
        Sandbox::discussing().breaks("gemini", "not_logged_in").babbles("quality", "It is fine.");
    let document = sandbox.discussed(&TWO, 4);
    assert_eq!(seat(&document, "product")["fell_back_to"], "codex");
    sandbox.heal();
    let id = document["session_id"].as_str().unwrap();
    let resumed = sandbox.run(&["sessions", "resume", id, "--json"]);
    let resumed = resumed.exits(0).json();
    // Past substitutions remain, also when gemini is back.
    assert_eq!(seat(&resumed, "product")["fell_back_to"], "codex");
    assert_eq!(resumed["perspectives"][0]["instead_of"], "gemini");
    assert_eq!(sandbox.calls().len(), 5);
}
