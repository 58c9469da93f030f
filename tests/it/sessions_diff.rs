//! `sessions diff`: what differs between two sessions of a kind, and why. Nobody is asked and nothing is written.

use std::fs;

use serde_json::{Value, json};

use crate::support::Sandbox;
use crate::support::plans::TASK;
use crate::support::reviews::{PAST_END, injection, judgement, past_end};
use crate::support::styles::three;

/// Compares two sessions, given by their documents.
#[track_caller]
fn diff(sandbox: &Sandbox, a: &Value, b: &Value) -> Value {
    let calls = sandbox.calls().len();
    let [a, b] = [a, b].map(|document| document["session_id"].as_str().unwrap());
    let document = sandbox.run(&["sessions", "diff", a, b, "--json"]).exits(0).json();
    sandbox.is_of("session-diff", &document);
    assert_eq!(document["sessions"], json!([a, b]));
    assert_eq!(sandbox.calls().len(), calls, "somebody was asked");
    document
}

/// The titles and fields of what differs and is of this name.
fn of(document: &Value, list: &str, what: &str) -> Value {
    let all = document[list].as_array().unwrap().iter().filter(|entry| entry["what"] == what);
    all.map(|entry| json!([entry["title"], entry["fields"]])).collect()
}

#[test]
fn findings_are_matched_by_their_code_and_rules_answers_and_seats_are_told_apart() {
    let sandbox = Sandbox::new().planted().finds("s2", &[]);
    let sandbox = sandbox.finds("s1", &[injection("A name is pasted"), past_end()]);
    let agree = |id| judgement(id, "agree", (id == "F2").then_some(PAST_END));
    let sandbox = sandbox.judges(2, "s2", &[agree("F1"), agree("F2")]);
    let a = sandbox.reviewed(&["--json"]).json();
    let same = diff(&sandbox, &a, &a);
    assert_eq!((&same["differences"], &same["reasons"]), (&json!([]), &json!([])));
    // Other rules over the same answers.
    let ruled = sandbox.reviewed(&["--json", "--set", "review.confidence=95"]).json();
    let document = diff(&sandbox, &a, &ruled);
    assert_eq!(document["reasons"].as_array().unwrap().len(), 1, "{document:#}");
    assert_eq!(of(&document, "reasons", "rules"), json!([["", {"confidence": [80, 95]}]]));
    assert_eq!(document["answers"], json!([3, 0]), "{document:#}");
    // Other answers under the same rules; what the first finding is called is no difference.
    let sandbox = sandbox.finds("s1", &[injection("SQL"), past_end()]);
    let disagree = judgement("F2", "disagree", Some(PAST_END));
    let sandbox = sandbox.judges(2, "s2", &[agree("F1"), disagree]);
    let b = sandbox.reviewed(&["--json"]).json();
    let document = diff(&sandbox, &a, &b);
    let disputed = json!([["The index is past the end", {"status": ["confirmed", "disputed"]}]]);
    assert_eq!(of(&document, "differences", "finding"), disputed, "{document:#}");
    assert_eq!((&document["reasons"], &document["answers"]), (&json!([]), &json!([3, 2])));
    // Another seat; what is in one of them alone; a title that would act on a terminal.
    let sandbox = sandbox.finds("s1", &[injection("\u{1b}[31mSQL\u{202e}\nrm -rf")]);
    let c = sandbox.reviewed(&["--json", "--agents", "claude,codex"]).json();
    let document = diff(&sandbox, &c, &a);
    let seats =
        json!([["s1", {"agent": ["claude", "codex"]}], ["s2", {"agent": ["codex", "claude"]}]]);
    assert_eq!(of(&document, "reasons", "seat"), seats);
    let only = &of(&document, "differences", "finding")[0];
    assert_eq!(only[0], "The index is past the end");
    assert_eq!(only[1]["status"], json!([null, "confirmed"]));
    let ids = [&c, &a].map(|document| document["session_id"].as_str().unwrap());
    let text = sandbox.run(&["sessions", "diff", ids[0], ids[1]]).exits(0).stdout.clone();
    assert!(!text.contains(['\u{1b}', '\u{202e}']) && text.lines().count() <= 25, "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    println!("{text}");
}

#[test]
fn a_rank_moves_and_what_a_run_stamps_is_no_reason() {
    let sandbox = Sandbox::new().scenario("backlog/consensus-in-one");
    sandbox.six();
    let ranked = |sandbox: &Sandbox, more: &[&str]| {
        sandbox.run(&[&["prioritize", "backlog.json", "--json"], more].concat()).json()
    };
    sandbox.write("backlog.json", r#"[{"title": "One"}, {"title": "Two"}]"#);
    let rehearse = ["--rehearse"];
    let [a, b] = [ranked(&sandbox, &rehearse), ranked(&sandbox, &rehearse)];
    let document = diff(&sandbox, &a, &b);
    assert_eq!((&document["differences"], &document["reasons"]), (&json!([]), &json!([])));
    sandbox.write("backlog.json", r#"[{"title": "Two"}, {"title": "One", "description": "New"}]"#);
    let document = diff(&sandbox, &a, &ranked(&sandbox, &rehearse));
    let moved = |by| json!({"priority_rank": by});
    println!("{document:#}");
    assert_eq!(of(&document, "differences", "rank")[0], json!(["One", moved([1, 2])]));
    assert_eq!(of(&document, "reasons", "input"), json!([["One", {"description": ["", "New"]}]]));
    // A debate of which only the record is here has no rules and no answers.
    let id = a["session_id"].as_str().unwrap();
    fs::remove_dir_all(sandbox.project().join(".debate/sessions").join(id)).unwrap();
}

#[test]
fn two_kinds_are_not_compared() {
    let sandbox = Sandbox::discussing();
    sandbox.discuss(&["--rehearse"]);
    sandbox.run(&["plan", TASK, "--rehearse"]).exits(0);
    let run = sandbox.run(&["sessions", "diff", "@last:discuss", "@last:plan"]);
    let said = &run.exits(2).stderr;
    assert!(
        said.contains("session @last:discuss is of discuss, session @last:plan of plan"),
        "{said}"
    );
    assert!(said.contains("hint: give two of one kind"), "{said}");
}

#[test]
fn ratings_stances_and_votes_are_compared() {
    let sandbox = Sandbox::discussing();
    let a = sandbox.discuss(&[]).json();
    let sandbox = sandbox.rates(&[("product", 1)]);
    let document = diff(&sandbox, &a, &sandbox.discuss(&[]).json());
    let rating = json!([["product", {"critique/rating": [4, 1]}]]);
    assert_eq!(of(&document, "differences", "rating"), rating);
    assert_eq!(document["reasons"], json!([]), "the round's id is of each run");
    let sandbox = three(["Redis", "Redis", "Redis"]);
    let a = sandbox.debated("panel", &["--agents", "claude,codex,gemini"], 0);
    let sandbox = sandbox.casts("r2/vote/s3", "Memcached", None, &[]);
    let b = sandbox.debated("panel", &["--agents", "claude,codex,gemini"], 0);
    let document = diff(&sandbox, &a, &b);
    println!("{document:#}");
    let vote = json!([["s3", {"choice": ["Redis", "Memcached"]}]]);
    assert_eq!(of(&document, "differences", "vote"), vote);
    let sandbox = Sandbox::disputing();
    let run = |sandbox: &Sandbox| sandbox.run(&["debate", "Redis?", "--json"]).json();
    let a = run(&sandbox);
    let claims = ["It is fast enough.", "It costs nothing."];
    let sandbox = sandbox.offers("r1/review", &[("A1", "disagree"), ("A2", "disagree")], &claims);
    let document = diff(&sandbox, &a, &run(&sandbox));
    println!("{document:#}");
    assert!(
        of(&document, "differences", "open point").as_array().is_some_and(|all| !all.is_empty())
    );
}
