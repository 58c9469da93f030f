//! `debate --style argument`, end to end: the refusals, the failures, and a person in a seat.

use serde_json::{Value, json};

use crate::support::Sandbox;
use crate::support::replies::warned;
use crate::support::styles::{CONTEXT, DEAD, accepted, argument, concerns, resolution};

fn debate(sandbox: &Sandbox, more: &[&str], code: i32) -> Value {
    sandbox.debated("argument", more, code)
}

#[test]
fn references_name_what_was_argued_and_nothing_else() {
    let wrong = argument(
        "challenge",
        "Redis can fail.",
        &json!({"references": ["A1", "A7"], "concerns": concerns(&["There is no way back.", "It is one more thing."])}),
    );
    let sandbox = accepted().argues("r1/challenge", &wrong);
    let document = debate(&sandbox, &CONTEXT, 0);
    // It decides nothing, so it is not asked for again.
    assert_eq!(sandbox.prompts("r1/challenge").len(), 1);
    let why = "`A7` is not an earlier argument of this debate: there is only A1";
    assert!(document["warnings"].to_string().contains(why), "{}", document["warnings"]);
    let challenge = &document["rounds"][0]["arguments"][1];
    assert_eq!(challenge["references"], json!(["A1"]));
    assert!(warned(&document, "r1/challenge").contains(&"unknown_reference".to_owned()));
}

#[test]
fn a_dead_side_is_no_agreement_whenever_it_dies() {
    let turns = ["proposal", "challenge", "defense", "reply", "stances"];
    for (at, turn) in turns.into_iter().enumerate() {
        let sandbox = accepted().fake(&format!("r1_{turn}.json"), DEAD);
        let code = if at == 0 { 3 } else { 4 };
        let document = debate(&sandbox, &CONTEXT, code);
        assert_eq!(document["outcome"], "failed", "{turn}");
        assert_eq!(document["verdict"], "undecided", "{turn}");
        assert_eq!(document["consensus"], Value::Null, "{turn}");
        assert_eq!(document["decision"], Value::Null, "{turn}");
        assert!(document.get("resolution").is_none(), "{turn}");
        assert_eq!(sandbox.calls().len(), at + 1, "{turn}");
        sandbox.mend(&format!("r1_{turn}.json"));
        let whole = sandbox.resumed(&document, &[], 0);
        assert_eq!(whole["consensus"], 0.875, "{turn}");
        assert_eq!(sandbox.calls().len(), 6, "{turn}: nothing is asked twice");
    }
}

#[test]
fn a_person_challenges_and_accepts_by_file() {
    let challenge = argument(
        "challenge",
        "Redis can fail.",
        &json!({"concerns": [{"text": "There is no way back."}], "feasibility": 0.25}),
    );
    let accepts = resolution(&[("Move the reads.", 3)], &["C1"]);
    let sandbox = accepted().takes(1, &[("P1", "agree")]);
    sandbox.write("words.jsonl", format!("{challenge}\n{accepts}\n"));
    // The agent's defense also answers a concern that was never raised; that entry is left out.
    let args = ["--as", "adversary", "--arguments", "words.jsonl"];
    let document = debate(&sandbox, &args, 0);
    assert_eq!(document["outcome"], "consensus_reached");
    assert_eq!(document["decision"]["by"], "adversary");
    assert_eq!(document["seats"][1]["agent"], "human");
    assert_eq!(document["quorum"]["vendors"], 1);
    assert_eq!(sandbox.turns(), ["r1/defense", "r1/proposal", "r1/stances"]);
    for call in sandbox.calls() {
        let prompt = call.read("stdin").to_lowercase();
        assert!(!prompt.contains("human"), "{}:\n{prompt}", call.turn);
    }
}

/// Evidence names places of the project and of the context; nothing else is looked at.
#[test]
fn what_lies_outside_of_the_project_is_no_evidence() {
    let places = [
        "/etc/passwd:1",
        "../outside.txt:1",
        "link.rs:1",
        "src/store.rs:0",
        "src/store.rs:3-2",
        "src/./store.rs:1",
    ];
    let evidence: Vec<Value> =
        (places.iter()).map(|place| json!({"type": "file", "data": place})).collect();
    let proposal =
        argument("proposal", "Move it.", &json!({"evidence": evidence, "confidence_score": 1}));
    let sandbox = accepted().argues("r1/proposal", &proposal);
    std::fs::write(sandbox.project().join("../outside.txt"), "one\n").unwrap();
    std::os::unix::fs::symlink("../outside.txt", sandbox.project().join("link.rs")).unwrap();
    let document = debate(&sandbox, &CONTEXT, 0);
    let said = &document["rounds"][0]["arguments"][0];
    let evidence = said["evidence"].as_array().unwrap();
    assert_eq!(evidence.len(), places.len());
    for each in evidence {
        assert_eq!(each["checked"], false, "{each}");
    }
    assert_eq!(said["confidence"], 0.5, "sure of what nothing supports");
}
