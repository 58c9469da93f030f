//! A person takes a side, by a file of arguments.

use serde_json::{Value, json};

use crate::support::debates::TOPIC;
use crate::support::styles::undated;
use crate::support::{Run, Sandbox};

const PROPOSAL: &str = r#"{"type": "proposal", "content": {"text": "Move it to Redis."}, "confidence_score": 0.8, "feasibility": 0.75, "evidence": [{"type": "source", "data": "the load test of May"}]}"#;
const DEFENSE: &str = r#"{"type": "defense", "content": {"text": "It was measured."}, "confidence_score": 0.7, "addresses": [{"id": "C1", "how": "The load test of May did."}]}"#;
const RESOLUTION: &str = r#"{"type": "resolution", "content": {"text": "Move the reads.", "points": [{"claim": "Move the reads.", "importance": 3}]}, "confidence_score": 0.6, "feasibility": 1.0}"#;

/// One round in which the person is the primary and a stand-in challenges.
const ONE_ROUND: [&str; 6] = ["debate", TOPIC, "--as", "primary", "--rehearse", "--max-rounds=1"];

fn with<'a>(args: &[&'a str], more: &[&'a str]) -> Vec<&'a str> {
    [args, more].concat()
}

fn lines(sandbox: &Sandbox, lines: &[&str]) {
    sandbox.write("words.jsonl", lines.join("\n"));
}

fn by_file(sandbox: &Sandbox) -> Run {
    sandbox.run(&with(&ONE_ROUND, &["--arguments", "words.jsonl", "--json"]))
}

fn resumed(sandbox: &Sandbox, document: &Value) -> Run {
    let id = document["session_id"].as_str().unwrap();
    sandbox.run(&["sessions", "resume", id, "--arguments", "words.jsonl", "--json"])
}

/// The arguments of the first round: their agents and types.
fn arguments(document: &Value) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let arguments = document["rounds"][0]["arguments"].as_array().unwrap();
    (arguments.iter()).map(|each| (text(&each["agent_id"]), text(&each["type"]))).collect()
}

fn by_human(document: &Value) -> Vec<String> {
    let all = arguments(document).into_iter();
    all.filter(|(agent, _)| agent == "human").map(|(_, kind)| kind).collect()
}

#[test]
fn a_person_argues_by_file_and_supplies_no_second_vendor() {
    let sandbox = Sandbox::new();
    lines(&sandbox, &[PROPOSAL, DEFENSE, "", RESOLUTION]);
    let document = by_file(&sandbox).exits(1).json();
    assert_eq!(document["outcome"], "deadlocked");
    assert_eq!(by_human(&document), ["proposal", "defense", "resolution"]);
    assert_eq!(arguments(&document).len(), 5, "{document}");
    let seat = &document["seats"][0];
    assert_eq!(
        (&seat["role"], &seat["agent"], &seat["vendor"]),
        (&json!("primary"), &json!("human"), &json!("human"))
    );
    assert_eq!(document["quorum"]["vendors"], 1, "{}", document["quorum"]);
    let codes: Vec<&Value> =
        (document["warnings"].as_array().unwrap().iter()).map(|warning| &warning["code"]).collect();
    assert!(codes.contains(&&json!("one_vendor")), "{codes:?}");
    assert_eq!(document["cost"]["total_usd"], 0.0);
    // It is closed: shown again without a person.
    let id = document["session_id"].as_str().unwrap();
    let again = sandbox.run(&["sessions", "resume", id, "--json"]);
    assert_eq!(again.exits(1).json()["session_id"], document["session_id"]);
}

#[test]
fn what_a_file_cannot_be_asked_for_is_refused_before_anything_is_begun() {
    let sandbox = Sandbox::new();
    for (words, why) in [
        (
            &[PROPOSAL, RESOLUTION][..],
            "words.jsonl:2: `resolution` cannot come here: next is `defense`",
        ),
        (&[PROPOSAL, "{\"type\": "], "words.jsonl:2: not valid JSON"),
        (&[DEFENSE], "words.jsonl:1: `defense` cannot come here: next is `proposal`"),
        (&[], "contains no argument"),
    ] {
        lines(&sandbox, words);
        let run = by_file(&sandbox);
        let said = run.exits(2).json()["error"]["message"].to_string();
        assert!(said.contains(why), "{said}");
    }
    let missing = with(&ONE_ROUND, &["--arguments", "missing.jsonl"]);
    sandbox.run(&missing).exits(2).says("missing.jsonl");
    let nobody = ["debate", TOPIC, "--rehearse", "--arguments", "words.jsonl"];
    lines(&sandbox, &[PROPOSAL]);
    sandbox.run(&nobody).exits(2).says("no person takes part");
    sandbox.run(&ONE_ROUND).exits(2).says("there is no file of arguments");
    assert!(sandbox.sessions().is_empty());
}

#[test]
fn a_file_that_ends_fails_the_turn_and_a_longer_one_goes_on_without_asking_again() {
    let sandbox = Sandbox::new();
    lines(&sandbox, &[PROPOSAL, DEFENSE]);
    let run = by_file(&sandbox);
    let document = run.exits(4).json();
    assert_eq!(document["outcome"], "failed");
    assert_eq!(document["verdict"], "undecided");
    run.says("has no line left for r1/resolution");
    // Words already given cannot be changed.
    let other = PROPOSAL.replace("Redis", "files");
    lines(&sandbox, &[&other, DEFENSE, RESOLUTION]);
    let refused = resumed(&sandbox, &document).exits(2).json();
    let said = refused["error"]["message"].to_string();
    assert!(said.contains("words.jsonl:1: this is not what was said in r1/proposal"), "{said}");
    lines(&sandbox, &[PROPOSAL, DEFENSE, RESOLUTION]);
    let whole = resumed(&sandbox, &document).exits(1).json();
    assert_eq!(by_human(&whole), ["proposal", "defense", "resolution"]);

    let straight = by_file(&sandbox).exits(1).json();
    for field in ["outcome", "rounds", "dissent", "open_points", "resolution"] {
        assert_eq!(undated(&whole[field]), undated(&straight[field]), "{field}");
    }
}

#[test]
fn a_line_that_the_rules_refuse_fails_with_its_place_and_can_be_mended() {
    let sandbox = Sandbox::new();
    let no_list =
        r#"{"type": "defense", "content": {"text": "x"}, "confidence_score": 1, "evidence": 7}"#;
    lines(&sandbox, &[PROPOSAL, no_list, RESOLUTION]);
    let run = by_file(&sandbox);
    let document = run.exits(4).json();
    run.says("words.jsonl:2: the line was refused");
    lines(&sandbox, &[PROPOSAL, DEFENSE, RESOLUTION]);
    let whole = resumed(&sandbox, &document).exits(1).json();
    assert_eq!(by_human(&whole), ["proposal", "defense", "resolution"]);
}
