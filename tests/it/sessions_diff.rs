//! `sessions diff`: what differs between two sessions of a kind, and why. Nobody is asked and nothing is written.

use serde_json::{Value, json};

use crate::foreign::prepare;
use crate::plan::agreeing;
use crate::support::Sandbox;
use crate::support::plans::TASK;
use crate::support::reviews::{PAST_END, injection, judgement, past_end};
use crate::support::styles::three;

/// Compares two sessions, given by their documents.
#[track_caller]
fn diff(sandbox: &Sandbox, a: &Value, b: &Value, code: i32) -> Value {
    let calls = sandbox.calls().len();
    let [a, b] = [a, b].map(|document| document["session_id"].as_str().unwrap());
    let document = sandbox.run(&["sessions", "diff", a, b, "--json"]).exits(code).json();
    sandbox.is_of("session-diff", &document);
    assert_eq!(document["differs"], code == 1);
    assert_eq!(sandbox.calls().len(), calls, "somebody was asked");
    document
}

/// The titles and values of what differs and is of this name.
fn of<'a>(document: &'a Value, list: &str, what: &str) -> Vec<[&'a str; 3]> {
    let all = document[list].as_array().unwrap().iter().filter(|entry| entry["what"] == what);
    all.map(|entry| ["title", "a", "b"].map(|field| entry[field].as_str().unwrap_or("-"))).collect()
}

#[test]
fn findings_are_matched_by_their_code_whatever_their_titles() {
    let sandbox = Sandbox::new().planted().finds("s2", &[]);
    let sandbox = sandbox.finds("s1", &[injection("A name is pasted"), past_end()]);
    let agree = |id| judgement(id, "agree", (id == "F2").then_some(PAST_END));
    let sandbox = sandbox.judges(2, "s2", &[agree("F1"), agree("F2")]);
    let a = sandbox.reviewed(&["--json"]).json();
    let mut unquoted = past_end();
    unquoted["quote"] = Value::Null;
    unquoted["title"] = json!("the index: is past the END");
    let sandbox = sandbox.finds("s1", &[injection("\u{1b}[31mSQL\u{202e}"), unquoted]);
    let disagree = judgement("F2", "disagree", Some(PAST_END));
    let sandbox = sandbox.judges(2, "s2", &[agree("F1"), disagree]);
    let b = sandbox.reviewed(&["--json"]).json();
    let document = diff(&sandbox, &a, &b, 1);
    let found = of(&document, "differences", "finding");
    let [[title, "confirmed P1", after]] = found[..] else { panic!("{document:#}") };
    assert_eq!(title, "src/store.py:10: The index is past the end");
    assert!(!["-", "confirmed P1"].contains(&after), "{after}");
    assert_eq!(document["same"], 1, "the other has the same code, whatever its title");
    let summary = document["summary"].as_str().unwrap();
    assert!(
        summary.contains("1 finding differs, 1 is the same; other answers of 2 of"),
        "{summary}"
    );
    // Another seat, another verdict; what is only there in one, with a title that would act on a terminal.
    let sandbox = sandbox.finds("s1", &[injection("\u{1b}[31mSQL\u{202e}\nrm -rf")]);
    let c = sandbox.reviewed(&["--json", "--agents", "claude,codex"]).json();
    let document = diff(&sandbox, &a, &c, 1);
    let seats = [
        ["s1", "codex (openai)", "claude (anthropic)"],
        ["s2", "claude (anthropic)", "codex (openai)"],
    ];
    assert_eq!(of(&document, "reasons", "seat"), seats);
    assert_eq!(of(&document, "differences", "finding")[0][2], "-");
    let [a, c] = [a, c].map(|document| document["session_id"].as_str().unwrap().to_owned());
    let text = sandbox.run(&["sessions", "diff", &c, &a]).exits(1).stdout.clone();
    assert!(!text.contains(['\u{1b}', '\u{202e}']), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    assert!(text.contains("other seats") && text.contains("finding  src/store.py:10"), "{text}");
}

#[test]
#[expect(clippy::many_single_char_names, reason = "the sessions that are compared")]
fn the_same_session_differs_in_nothing_and_another_rule_is_named() {
    let sandbox = Sandbox::new().scenario("backlog/consensus-in-one");
    sandbox.six();
    let ranked = |more: &[&str]| {
        let run = [&["prioritize", "backlog.json", "--json"], more].concat();
        sandbox.run(&run).json()
    };
    let a = ranked(&[]);
    let text = sandbox.run(&["sessions", "diff", "@last", "@last:backlog"]).exits(0).stdout.clone();
    assert_eq!(text, "nothing differs\n");
    let b = ranked(&["--set", "backlog.rank_stability=0.6"]);
    let document = diff(&sandbox, &a, &b, 0);
    assert_eq!(
        document["reasons"],
        json!([{"what": "rule", "title": "rank_stability", "a": "0.8", "b": "0.6"}])
    );
    assert_eq!(
        (&document["summary"], &document["same"]),
        (&json!("nothing differs; other rules"), &json!(6))
    );
    let sandbox = sandbox.scenario("backlog/moderator-stop");
    let c = sandbox.run(&["prioritize", "backlog.json", "--json"]).json();
    let document = diff(&sandbox, &a, &c, 1);
    assert_eq!(
        of(&document, "differences", "result")[0],
        ["outcome", "consensus", "moderator_stop"]
    );
    assert!(!of(&document, "reasons", "answer").is_empty(), "{document:#}");
    sandbox
        .write("backlog.json", r#"[{"title": "Only this", "number": 7}, {"title": "And that"}]"#);
    let d = sandbox.run(&["prioritize", "backlog.json", "--json", "--rehearse"]).json();
    let document = diff(&sandbox, &a, &d, 1);
    assert_eq!(of(&document, "reasons", "input").len(), 1);
    let new =
        of(&document, "differences", "rank").into_iter().find(|row| row[0].ends_with("Only this"));
    assert_eq!(new.unwrap()[..2], ["#7 Only this", "-"]);
    let sandbox = sandbox.fake("r1_champion.json", r#"{"cost": 0.1}"#);
    let e =
        sandbox.run(&["prioritize", "backlog.json", "--json", "--budget", "0.16"]).exits(4).json();
    let document = diff(&sandbox, &a, &e, 1);
    assert!(document["notes"][0].as_str().unwrap().contains("is not over"), "{document:#}");
    assert!(of(&document, "reasons", "model").is_empty(), "nobody knows it yet: {document:#}");
    // What another version made is compared by how it ended.
    let path = format!(".debate/sessions/{}", d["session_id"].as_str().unwrap());
    prepare(&sandbox.project().join(path), |opened| opened["program_version"] = json!("0.0.9"));
    let document = diff(&sandbox, &a, &d, 0);
    assert!(
        document["notes"][0].as_str().unwrap().starts_with("Another version made"),
        "{document:#}"
    );
}

#[test]
fn a_fork_differs_by_the_answers_that_were_asked_again_and_kinds_are_not_mixed() {
    let sandbox = agreeing();
    let a = sandbox.run(&["plan", TASK, "--json"]).exits(0).json();
    let sandbox = sandbox.weighs(2, "s2", &[("S1", "disagree"), ("S3", "agree")]);
    let sandbox = sandbox.votes("s1", "reject", &["S2"]).votes("s2", "reject", &["S1", "S3"]);
    let id = a["session_id"].as_str().unwrap();
    let b = sandbox.run(&["sessions", "resume", id, "--from-round", "2", "--json"]).exits(1).json();
    let document = diff(&sandbox, &a, &b, 1);
    let answers = of(&document, "reasons", "answer");
    assert!(
        !answers.is_empty() && answers.iter().all(|[turn, ..]| !turn.starts_with("r1/")),
        "{answers:?}"
    );
    assert!(!of(&document, "differences", "step").is_empty(), "{document:#}");
    sandbox.six();
    sandbox.run(&["prioritize", "backlog.json", "--rehearse", "--budget", "5"]);
    let run = sandbox.run(&["sessions", "diff", id, "@last"]);
    assert!(run.exits(2).stderr.contains("is of plan and session"), "{}", run.stderr);
}

#[test]
fn ratings_stances_and_votes_are_compared() {
    let sandbox = Sandbox::discussing();
    let a = sandbox.discuss(&[]).json();
    let sandbox = sandbox.rates(&[("product", 1)]);
    let document = diff(&sandbox, &a, &sandbox.discuss(&[]).json(), 1);
    assert_eq!(of(&document, "differences", "rating"), [["product", "4", "1"]]);
    let sandbox = three(["Redis", "Redis", "Redis"]);
    let a = sandbox.debated("panel", &["--agents", "claude,codex,gemini"], 0);
    let sandbox = sandbox.casts("r2/vote/s3", "Memcached", None, &[]);
    let b = sandbox.debated("panel", &["--agents", "claude,codex,gemini"], 0);
    let document = diff(&sandbox, &a, &b, 1);
    assert_eq!(of(&document, "differences", "vote"), [["s3", "Redis", "Memcached"]]);
    let sandbox = Sandbox::disputing();
    let run = |sandbox: &Sandbox| sandbox.run(&["debate", "Redis?", "--json"]).json();
    let a = run(&sandbox);
    let claims = ["It is fast enough.", "It costs nothing."];
    let sandbox = sandbox.offers("r1/review", &[("A1", "disagree"), ("A2", "disagree")], &claims);
    let document = diff(&sandbox, &a, &run(&sandbox), 1);
    let stances = of(&document, "differences", "stance");
    assert!(stances.iter().any(|[_, _, b]| *b == "disagree"), "{document:#}");
}
