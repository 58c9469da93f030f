//! `sessions diff`: what differs between two sessions of a kind, and why. Nobody is asked and nothing is written.

use std::fs;

use serde_json::{Value, json};

use crate::foreign::prepare;
use crate::plan::agreeing;
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
    let b = ranked(&sandbox, &rehearse);
    let document = diff(&sandbox, &a, &b);
    let moved = json!({"priority_rank": [1, 2], "disposition": ["prioritize", "defer"]});
    assert_eq!(of(&document, "differences", "rank")[0], json!(["One", moved]));
    assert_eq!(of(&document, "reasons", "input"), json!([["One", {"description": ["", "New"]}]]));
    // More than a window holds is counted, and the document has it.
    let many: Vec<Value> = (0..90).map(|at| json!({"title": format!("Title {at}")})).collect();
    sandbox.write("backlog.json", json!(many).to_string());
    let c = ranked(&sandbox, &rehearse);
    let rows = diff(&sandbox, &b, &c)["differences"].as_array().unwrap().len();
    assert!(rows > 90, "{rows}");
    let ids = [&b, &c].map(|document| document["session_id"].as_str().unwrap());
    let text = sandbox.run(&["sessions", "diff", ids[0], ids[1]]).exits(0).stdout.clone();
    assert!((35..=40).contains(&text.lines().count()), "{text}");
    assert!(text.contains(" more, with --json\n") && text.contains("why: input"), "{text}");
}

#[test]
fn another_model_of_an_agent_is_a_reason() {
    let sandbox = agreeing();
    let of_model = |model: &str| {
        let set = format!("agents.codex.model={model}");
        sandbox.run(&["plan", TASK, "--json", "--agents", "claude,codex", "--set", &set]).json()
    };
    let (a, b) = (of_model("gpt-one"), of_model("gpt-two"));
    let document = diff(&sandbox, &a, &b);
    let model = json!([["s2", {"model": ["gpt-one", "gpt-two"]}]]);
    assert_eq!(of(&document, "reasons", "model"), model, "{document:#}");
    assert_eq!(document["reasons"].as_array().unwrap().len(), 1, "{document:#}");
}

#[test]
fn of_a_record_alone_only_the_seats_are_reasons() {
    let sandbox = Sandbox::new().scenario("backlog/consensus-in-one");
    sandbox.six();
    let ranked = |more: &[&str]| {
        sandbox.run(&[&["prioritize", "backlog.json", "--json"], more].concat()).json()
    };
    let (a, b) = (ranked(&[]), ranked(&["--set", "backlog.rank_stability=0.6"]));
    let document = diff(&sandbox, &a, &b);
    let rules = json!([["", {"rank_stability": [0.8, 0.6]}]]);
    assert_eq!((of(&document, "reasons", "rules"), &document["equal"]), (rules, &json!(7)));
    let dir = sandbox.project().join(".debate/sessions").join(a["session_id"].as_str().unwrap());
    prepare(&dir, |opened| opened["digests"]["skills"]["backlog-critic"] = json!("other"));
    let prompts = of(&diff(&sandbox, &a, &b), "reasons", "prompts");
    assert_eq!(prompts[0][1]["backlog-critic"][0], "other", "{prompts}");
    fs::remove_dir_all(dir).unwrap();
    for [one, other] in [[&a, &b], [&b, &a]] {
        let document = diff(&sandbox, one, other);
        assert_eq!((&document["reasons"], &document["answers"]), (&json!([]), &Value::Null));
        assert_eq!(document["equal"], 7, "{document:#}");
    }
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
    let vote = json!([["s3", {"choice": ["Redis", "Memcached"]}]]);
    assert_eq!(of(&document, "differences", "vote"), vote);
    // Where the expert does not answer, what is open stays open.
    let sandbox = Sandbox::disputing().fake("r4_expert.json", r#"{"error": "not_logged_in"}"#);
    let run = || sandbox.run(&["debate", "Redis?", "--json"]).json();
    let (a, old) = (run(), run());
    // What another version stored is compared as it stands.
    let dir = sandbox.project().join(".debate/sessions").join(old["session_id"].as_str().unwrap());
    let stored = fs::read_to_string(dir.join("session.json")).unwrap();
    let mut stored: Value = serde_json::from_str(&stored).unwrap();
    stored["open_points"][0]["stance"] = json!("partly");
    let twice = stored["open_points"][0].clone();
    stored["open_points"].as_array_mut().unwrap().push(twice);
    // The last word counts, and a word that is only said again is none.
    let said = &mut stored["rounds"][2]["stances"]["proposer"]["stances"];
    said[1]["stance"] = json!("agree");
    let again = stored["rounds"][1]["stances"]["proposer"]["stances"][0].clone();
    let said = &mut stored["rounds"][2]["stances"]["proposer"]["stances"];
    said.as_array_mut().unwrap().push(again);
    fs::write(dir.join("session.json"), stored.to_string()).unwrap();
    prepare(&dir, |opened| opened["program_version"] = json!("0.0.9"));
    let document = diff(&sandbox, &a, &old);
    let name = "Then move the reads.";
    let open = [json!("disagree"), Value::Null].map(|a| json!([name, {"stance": [a, "partly"]}]));
    assert_eq!(of(&document, "differences", "open point"), json!(open));
    let name = format!("proposer: {name}");
    let stance = json!([[name, {"stance": ["disagree", "agree"], "round": [3, 3]}]]);
    assert_eq!(of(&document, "differences", "stance"), stance);
}

#[test]
fn a_fork_differs_by_the_answers_that_were_asked_again() {
    let sandbox = agreeing();
    let a = sandbox.run(&["plan", TASK, "--json"]).exits(0).json();
    let sandbox = sandbox.weighs(2, "s2", &[("S1", "disagree"), ("S3", "agree")]);
    let sandbox = sandbox.votes("s1", "reject", &["S2"]).votes("s2", "reject", &["S1", "S3"]);
    let id = a["session_id"].as_str().unwrap();
    let b = sandbox.run(&["sessions", "resume", id, "--from-round", "2", "--json"]).exits(1).json();
    let document = diff(&sandbox, &a, &b);
    let ends = json!({"outcome": ["accepted", "rejected"], "verdict": ["accepted", "rejected"]});
    assert_eq!(of(&document, "differences", "result"), json!([["", ends]]));
    let step = json!([["Delete the pickled files", {"status": ["confirmed", "refuted"]}]]);
    assert_eq!(of(&document, "differences", "step"), step);
    assert_eq!((&document["reasons"], &document["answers"]), (&json!([]), &json!([6, 3])));
}
