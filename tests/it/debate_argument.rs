//! `debate --style argument`, end to end: the metrics, the checks, the state carried from round to round.

use serde_json::{Value, json};

use crate::support::Sandbox;
use crate::support::replies::warned;
use crate::support::styles::{CONTEXT, DEAD, accepted, round, undated};

fn debate(sandbox: &Sandbox, more: &[&str], code: i32) -> Value {
    sandbox.debated("argument", more, code)
}

#[test]
fn evidence_is_looked_up_and_what_an_agent_says_of_it_is_ignored() {
    let sandbox = accepted();
    let document = debate(&sandbox, &CONTEXT, 0);
    let arguments = &document["rounds"][0]["arguments"];
    let checked = |at: usize| -> Vec<Value> {
        let evidence = arguments[at]["evidence"].as_array().unwrap().iter();
        evidence.map(|each| each["checked"].clone()).collect()
    };
    assert_eq!(checked(0), [json!(true)], "a line of a context file");
    assert_eq!(
        checked(1),
        [json!(true), Value::Null],
        "a passage over two lines; a source is named, and not looked up"
    );
    assert_eq!(
        checked(2),
        [json!(false), json!(true)],
        "a line that the file does not have, though the agent says so; one that it has"
    );
    assert!(warned(&document, "r1/defense").contains(&"checked_ignored".to_owned()));
    // The other side sees the findings.
    let reply = sandbox.prompts("r1/reply").remove(0);
    assert!(reply.contains("\"checked\": false"), "{reply}");
    // A context file that was not given is not part of the context, but it is still a file of the project.
    let document = debate(&accepted(), &[], 0);
    let quote = &document["rounds"][0]["arguments"][1]["evidence"][0];
    assert_eq!(quote["checked"], false, "nobody was shown that passage");
}

#[test]
fn a_resume_finds_what_was_found_though_the_files_are_others_now() {
    let sandbox = accepted().fake("r1_defense.json", DEAD);
    let document = debate(&sandbox, &CONTEXT, 4);
    assert_eq!(document["outcome"], "failed");
    sandbox.mend("r1_defense.json");
    sandbox.write("src/store.rs", "one\ntwo\nthree\nfour\n");
    sandbox.write("notes.md", "Nothing.\n");
    let whole = sandbox.resumed(&document, &[], 0);
    assert_eq!(sandbox.prompts("r1/proposal").len(), 1, "answered before");
    assert_eq!(sandbox.prompts("r1/defense").len(), 2);
    let straight = debate(&accepted(), &CONTEXT, 0);
    for field in ["outcome", "rounds", "resolution", "dissent", "consensus"] {
        assert_eq!(undated(&whole[field]), undated(&straight[field]), "{field}");
    }
}

#[test]
fn a_concern_that_is_open_goes_on_into_the_next_round_and_counts_there() {
    let first = || {
        let sandbox = Sandbox::new();
        let raised = ["There is no way back.", "It costs more."];
        round(
            sandbox,
            1,
            &raised,
            &[("Move the reads.", 3)],
            &["C1", "C2"],
            &[("P1", "disagree"), ("C1", "disagree"), ("C2", "agree")],
        )
    };
    // Round 2 raises nothing new; its points are agreed to, and C1 is not.
    let points = [("Move the reads, and keep the old one.", 3)];
    let open = round(first(), 2, &[], &points, &["C1"], &[("P2", "agree"), ("C1", "disagree")]);
    let document = debate(&open, &["--max-rounds", "2"], 1);
    assert_eq!(document["outcome"], "deadlocked");
    let scores: Vec<&Value> = (document["rounds"].as_array().unwrap().iter())
        .map(|round| &round["consensus"]["decisive"])
        .collect();
    assert_eq!(scores, [0.0, 0.0]);
    assert_eq!(document["open_points"][0]["id"], "C1");
    assert!(
        document["resolution"]["unresolved_points"][0]
            .as_str()
            .unwrap()
            .ends_with("(raised by the adversary in round 1)")
    );
    // Both sides see it, the one that begins the round with the resolution that it begins from; a concern that was met is
    // not shown as open.
    for turn in ["r2/proposal", "r2/challenge", "r2/resolution", "r2/stances"] {
        let prompt = open.prompts(turn).remove(0);
        for part in ["\"last_resolution\"", "\"stances_on_it\""] {
            assert_eq!(prompt.contains(part), turn == "r2/proposal", "{part} in {turn}:\n{prompt}");
        }
        assert!(prompt.contains("There is no way back."), "{turn}:\n{prompt}");
        // The last turn judges it, and is shown how it was answered instead.
        assert_eq!(
            prompt.contains("\"since_round\": 1"),
            turn != "r2/stances",
            "{turn}:\n{prompt}"
        );
        let (data, _) = prompt.split_once("# Your answer").unwrap();
        let concerns = &data[data.rfind("\"concerns\": [").unwrap()..];
        let concerns = concerns.split_once("\n  ]").unwrap().0;
        assert!(!concerns.contains("It costs more."), "{turn}: C2 is met");
    }
    let met = round(first(), 2, &[], &points, &["C1"], &[("P2", "agree"), ("C1", "agree")]);
    let document = debate(&met, &["--max-rounds", "2"], 0);
    assert_eq!(document["outcome"], "consensus_reached");
    assert_eq!(document["rounds"][1]["arguments"][0]["argument_id"], "A6");
    assert_eq!(document["rounds"][1]["metrics"]["resolution_quality"], 1.0);
}
