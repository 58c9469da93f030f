//! `debate --style argument`, end to end: what is measured, what is checked, what is carried on, how it ends.

use serde_json::{Value, json};

use crate::support::debates::TOPIC;
use crate::support::replies::{block, warned};
use crate::support::styles::{argument, concerns, resolution};
use crate::support::{Run, Sandbox};

const DEAD: &str = r#"{"error": "not_logged_in"}"#;

fn run(sandbox: &Sandbox, more: &[&str]) -> Run {
    sandbox.run(&[&["debate", TOPIC, "--style", "argument"], more].concat())
}

/// Holds a debate and returns its document, which fits the schema.
fn debate(sandbox: &Sandbox, more: &[&str], code: i32) -> Value {
    let document = run(sandbox, &[more, &["--json"]].concat())
        .exits(code)
        .json();
    fits(sandbox, &document);
    document
}

fn fits(sandbox: &Sandbox, document: &Value) {
    let schema = sandbox.run(&["schema", "debate"]).exits(0).json();
    let schema = jsonschema::validator_for(&schema).unwrap();
    let errors: Vec<String> = (schema.iter_errors(document))
        .map(|error| error.to_string())
        .collect();
    assert!(errors.is_empty(), "{errors:#?}");
}

fn resumed(sandbox: &Sandbox, document: &Value, code: i32) -> Value {
    let id = document["session_id"].as_str().unwrap();
    let run = sandbox.run(&["sessions", "resume", id, "--json"]);
    let document = run.exits(code).json();
    fits(sandbox, &document);
    document
}

const NOTES: &str = "Load test of May:\nthe cache lost 4,000 entries\nat each restart.\n";

/// A round in which the adversary accepts the defense and writes the resolution; every figure is known by hand.
///
/// | argument | claims | evidence, in halves |
/// |---|---|---|
/// | A1 proposal | 1 | a line of the context: 2 |
/// | A2 challenge | 2 concerns | a quote: 2, a source: 1 |
/// | A3 defense | 1 | a line of the project: 2 (the line beyond its end: 0) |
/// | A4 resolution | 2 points | none |
fn accepted() -> Sandbox {
    let proposal = json!({
        "evidence": [{"type": "file", "data": "notes.md:2"}], "confidence_score": 0.9,
        "impact_areas": ["performance", "karma"], "feasibility": 4,
        "risks": [{"name": "Downtime", "likelihood": 0.5, "impact": 0.8}],
    });
    let challenge = json!({
        "references": ["A1"], "concerns": concerns(&["There is no way back.", "It is one more thing that can fail."]),
        "evidence": [
            {"type": "quote", "data": "the cache lost 4,000 entries at each restart"},
            {"type": "source", "data": "the manual of Redis"},
        ],
        "confidence_score": 0.8, "feasibility": 2,
        "risks": [{"name": "downtime.", "likelihood": 0.3, "impact": 0.5}],
    });
    let defense = json!({
        "references": ["A2"], "confidence_score": 1, "feasibility": 5,
        "evidence": [
            {"type": "file", "data": "src/store.rs:4", "checked": true},
            {"type": "file", "data": "src/store.rs:3"},
        ],
        "addresses": [{"id": "C1", "how": "The old one stays."}, {"id": "C2", "how": "It runs twice."}],
    });
    let mut last = resolution(
        &[("Move the reads of the cache to Redis.", 3), ("Keep a way back.", 1)],
        &["C1", "C2"],
    );
    last["confidence_score"] = json!(0.9);
    last["risks"] = json!([{"name": "Downtime", "likelihood": 0.2, "impact": 0.5}]);
    let sandbox = Sandbox::new()
        .argues("r1/proposal", &argument("proposal", "Move the cache to Redis.", &proposal))
        .argues("r1/challenge", &argument("challenge", "Redis can fail.", &challenge))
        .argues("r1/defense", &argument("defense", "So can a disk.", &defense))
        .argues("r1/reply", &last)
        .takes(1, &[("P1", "agree"), ("P2", "partly")]);
    sandbox.write("notes.md", NOTES);
    sandbox.write("src/store.rs", "one\ntwo\nthree\n");
    sandbox
}

const CONTEXT: [&str; 2] = ["--file", "notes.md"];

#[test]
fn every_figure_of_a_round_is_the_one_worked_out_by_hand() {
    let sandbox = accepted();
    let document = debate(&sandbox, &CONTEXT, 0);
    assert_eq!(document["outcome"], "consensus_reached");
    assert_eq!(document["status"], "consensus_reached");
    assert_eq!(document["verdict"], "consensus");
    assert_eq!(
        sandbox.ledger(),
        [
            "claude r1/proposal",
            "gemini r1/challenge",
            "claude r1/defense",
            "gemini r1/reply",
            "claude r1/stances"
        ]
    );
    // Stances: (3 x 1 + 1 x 0.5) / 4. Who raised the concerns writes the resolution, and disposes of both.
    // Evidence: 2 + 3 + 2 + 0 halves of 6 claims. Feasibility: 5 and 3 of 5, each less 1, of 8.
    // Risk: what each side said last of it, (0.4 + 0.1) / 2.
    assert_eq!(
        document["rounds"][0]["metrics"],
        json!({
            "agreement_score": 0.875, "resolution_quality": 1.0, "evidence_strength": 0.583,
            "implementation_feasibility": 0.75, "risk_assessment": {"downtime": 0.25}, "complete": true,
        })
    );
    let check = &document["rounds"][0]["consensus"];
    assert_eq!(check["decisive"], 0.875);
    assert_eq!(check["threshold"], 0.8);
    assert_eq!(check["text_score"], Value::Null);
    let arguments = document["rounds"][0]["arguments"].as_array().unwrap();
    let told: Vec<(&Value, &Value, &Value)> = (arguments.iter())
        .map(|each| (&each["argument_id"], &each["agent_id"], &each["confidence"]))
        .collect();
    // As stated, at most a half and half the strength of its own evidence: 1, 0.75, 1 and 0.
    assert_eq!(
        json!(told),
        json!([
            ["A1", "claude", 0.9],
            ["A2", "gemini", 0.8],
            ["A3", "claude", 1.0],
            ["A4", "gemini", 0.5]
        ])
    );
    assert_eq!(arguments[3]["confidence_score"], 0.9, "as stated, beside it");
    assert_eq!(arguments[0]["impact_areas"], json!(["performance", "karma"]));
    assert_eq!(arguments[0]["unknown_areas"], json!(["karma"]));
    assert_eq!(arguments[1]["references"], json!(["A1"]));
    assert_eq!(arguments[1]["concerns"][1]["id"], "C2");
    assert_eq!(document["code_change_required"], true);
    // The raiser wrote the resolution: both concerns are met by it, and what is left is a condition.
    let resolution = &document["resolution"];
    assert_eq!(resolution["kind"], "conditional_approval");
    assert_eq!(resolution["conditions"], json!(["P2: Only for reads"]));
    assert_eq!(document["decision"]["by"], "adversary");
    assert_eq!(document["decision"]["amendments"], json!(["Only for reads."]));
    assert_eq!(document["dissent"][0]["about"], "P2 (partly): Keep a way back.");
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
    // The other side sees what was found.
    let reply = sandbox.prompts("r1/reply").remove(0);
    assert!(reply.contains("\"checked\": false"), "{reply}");
    // A context file that was not given is no context; of the project it is a file still.
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
    let whole = resumed(&sandbox, &document, 0);
    assert_eq!(sandbox.prompts("r1/proposal").len(), 1, "answered before");
    assert_eq!(sandbox.prompts("r1/defense").len(), 2);
    let straight = debate(&accepted(), &CONTEXT, 0);
    for field in ["outcome", "rounds", "resolution", "dissent", "consensus"] {
        assert_eq!(whole[field], straight[field], "{field}");
    }
}

/// A round in which the adversary counters, the primary resolves, and the adversary judges.
fn countered(points: &[(&str, u8)], disposes_of: &[&str], said: &[(&str, &str)]) -> Sandbox {
    round(
        Sandbox::new(),
        1,
        &["There is no way back."],
        points,
        disposes_of,
        said,
    )
}

fn round(
    sandbox: Sandbox,
    round: u32,
    raised: &[&str],
    points: &[(&str, u8)],
    disposes_of: &[&str],
    said: &[(&str, &str)],
) -> Sandbox {
    let turn = |word: &str| format!("r{round}/{word}");
    let raises = json!({"concerns": concerns(raised)});
    let none = json!({});
    sandbox
        .argues(&turn("proposal"), &argument("proposal", "Move the cache to Redis.", &none))
        .argues(&turn("challenge"), &argument("challenge", "Redis can fail.", &raises))
        .argues(&turn("defense"), &argument("defense", "So can a disk.", &none))
        .argues(&turn("reply"), &argument("counter", "A disk is ours.", &none))
        .argues(&turn("resolution"), &resolution(points, disposes_of))
        .takes(round, said)
}

#[test]
fn what_one_side_began_with_is_full_agreement_and_what_neither_did_is_hybrid() {
    let began = countered(
        &[("Move the cache to Redis.", 3)],
        &["C1"],
        &[("P1", "agree"), ("C1", "agree")],
    );
    let document = debate(&began, &[], 0);
    assert_eq!(document["resolution"]["kind"], "full_agreement");
    assert_eq!(document["decision"]["by"], "primary");
    assert_eq!(document["dissent"], json!([]));
    assert_eq!(document["open_points"], json!([]));
    let neither = countered(
        &[("Measure again in March, before anybody decides.", 3)],
        &["C1"],
        &[("P1", "agree"), ("C1", "agree")],
    );
    let document = debate(&neither, &[], 0);
    assert_eq!(document["resolution"]["kind"], "hybrid");
    let text = run(&neither.env("COLUMNS", "80"), &[]).exits(0).stdout.clone();
    assert!(text.contains("CONSENSUS"), "{text}");
    assert!(text.contains("what neither side began with"), "{text}");
}

#[test]
fn a_concern_is_met_only_if_its_raiser_says_so() {
    // The points are agreed to, and the resolution disposes of the concern: its raiser does not think so.
    let sandbox = countered(
        &[("Move the cache to Redis.", 3)],
        &["C1"],
        &[("P1", "agree"), ("C1", "disagree")],
    );
    let document = debate(&sandbox, &["--max-rounds", "1"], 1);
    assert_eq!(document["outcome"], "deadlocked");
    let metrics = &document["rounds"][0]["metrics"];
    assert_eq!(metrics["agreement_score"], 0.0);
    assert_eq!(metrics["resolution_quality"], 1.0);
    assert_eq!(document["rounds"][0]["consensus"]["stance_score"], 1.0);
    // No word on it is no agreement.
    let sandbox = countered(&[("Move the cache to Redis.", 3)], &["C1"], &[("P1", "agree")]);
    let document = debate(&sandbox, &["--max-rounds", "1"], 1);
    assert_eq!(document["outcome"], "deadlocked");
    assert_eq!(document["consensus"], 0.0);
}

#[test]
fn a_deadlock_is_a_package_for_a_person() {
    let sandbox = countered(
        &[("Move the reads.", 3), ("Move the writes.", 3)],
        &[],
        &[("P1", "agree"), ("P2", "disagree"), ("C1", "partly")],
    );
    let document = debate(&sandbox, &["--max-rounds", "1"], 1);
    assert_eq!(document["outcome"], "deadlocked");
    assert_eq!(document["status"], "deadlocked");
    assert_eq!(document["verdict"], "no_consensus");
    assert_eq!(document["decision"], Value::Null);
    assert_eq!(document["consensus"], 0.5);
    assert_eq!(document["rounds"][0]["metrics"]["resolution_quality"], 0.0);
    let package = &document["resolution"];
    assert_eq!(package["kind"], "human_escalation");
    assert_eq!(package["key_decisions"], json!(["P1: Move the reads"]));
    assert_eq!(
        package["unresolved_points"],
        json!([
            "P2: Move the writes (the adversary: disagree, I thought it through)",
            "C1: There is no way back (raised by the adversary in round 1)"
        ])
    );
    assert_eq!(
        package["recommendations"],
        json!([
            "the primary, at last: Move the reads",
            "the adversary, at last: A disk is ours"
        ])
    );
    assert_eq!(
        package["asked"],
        json!([
            "Is P2 to hold: Move the writes?",
            "Does C1 weigh so much that it must be met first: There is no way back?"
        ])
    );
    let history = package["history"].as_array().unwrap();
    assert_eq!(history.len(), 6, "five arguments and what they came to");
    assert_eq!(history[3], "round 1, A4, counter by the adversary: A disk is ours");
    assert_eq!(history[5], "round 1: agreement 50% (80% wanted)");
    let text = run(&sandbox.env("COLUMNS", "80"), &["--max-rounds", "1"]);
    let text = &text.exits(1).stdout;
    let widest = text.lines().map(|line| line.chars().count()).max();
    assert!(widest <= Some(80), "{text}");
    for part in ["DEADLOCKED", "a person has to decide", "Asked of a person", "Is P2 to hold"] {
        assert!(text.contains(part), "no `{part}` in\n{text}");
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
    let open = round(first(), 2, &[], &points, &["C1"], &[("P1", "agree"), ("C1", "disagree")]);
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
    // Both sides are shown it, with the resolution that the round begins from; what is met is not shown as open.
    for turn in ["r2/proposal", "r2/challenge", "r2/resolution", "r2/stances"] {
        let prompt = open.prompts(turn).remove(0);
        for part in ["\"last_resolution\"", "\"stances_on_it\"", "\"since_round\": 1", "There is no way back."] {
            assert!(prompt.contains(part), "no {part} in {turn}:\n{prompt}");
        }
        let concerns = &prompt[prompt.rfind("\"concerns\": [").unwrap()..];
        assert!(!concerns.contains("It costs more."), "{turn}: C2 is met");
    }
    let met = round(first(), 2, &[], &points, &["C1"], &[("P1", "agree"), ("C1", "agree")]);
    let document = debate(&met, &["--max-rounds", "2"], 0);
    assert_eq!(document["outcome"], "consensus_reached");
    assert_eq!(document["rounds"][1]["arguments"][0]["argument_id"], "A6");
    assert_eq!(document["rounds"][1]["metrics"]["resolution_quality"], 1.0);
}

#[test]
fn an_argument_that_may_not_come_is_asked_for_again_once_and_then_the_side_has_failed() {
    let illegal = argument("counter", "A disk is ours.", &json!({}));
    let illegal = block("ARGUMENT", &illegal.to_string());
    let sandbox = accepted().fake("r1_challenge.1.txt", &illegal);
    let document = debate(&sandbox, &CONTEXT, 0);
    assert_eq!(document["outcome"], "consensus_reached");
    let prompts = sandbox.prompts("r1/challenge");
    assert_eq!(prompts.len(), 2);
    let why = "a counter by the adversary cannot come now: now comes a challenge by the adversary";
    assert!(prompts[1].contains(why), "{}", prompts[1]);

    let sandbox = accepted().fake("r1_challenge.txt", &illegal);
    let document = debate(&sandbox, &CONTEXT, 4);
    assert_eq!(document["outcome"], "failed");
    assert_eq!(document["verdict"], "undecided");
    assert_eq!(sandbox.turns(), ["r1/challenge", "r1/proposal"]);
    assert_eq!(document["rounds"][0]["forced"], json!(["adversary"]));
    // Nothing follows a resolution: nobody is asked for another one.
    let sandbox = accepted().argues("r1/resolution", &resolution(&[("Stay.", 3)], &[]));
    debate(&sandbox, &CONTEXT, 0);
    assert!(!sandbox.turns().contains(&"r1/resolution".to_owned()));
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
    let prompts = sandbox.prompts("r1/challenge");
    assert_eq!(prompts.len(), 2);
    let why = "`A7` is no earlier argument of this debate: there is A1 alone";
    assert!(prompts[1].contains(why), "{}", prompts[1]);
    let challenge = &document["rounds"][0]["arguments"][1];
    assert_eq!(challenge["references"], json!(["A1"]));
    assert!(warned(&document, "r1/challenge").contains(&"unknown_reference".to_owned()));
    // With `--strict` it is no argument.
    let document = debate(&sandbox, &["--file", "notes.md", "--strict"], 4);
    assert_eq!(document["outcome"], "failed");
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
        let whole = resumed(&sandbox, &document, 0);
        assert_eq!(whole["consensus"], 0.875, "{turn}");
        assert_eq!(sandbox.calls().len(), 6, "{turn}: nothing is asked twice");
    }
}

#[test]
fn who_did_not_rate_is_said_and_never_invented() {
    let mut silent = resolution(&[("Move the cache to Redis.", 3)], &["C1", "C2"]);
    silent.as_object_mut().unwrap().remove("feasibility");
    let sandbox = accepted()
        .argues("r1/reply", &silent)
        .takes(1, &[("P1", "agree")]);
    let document = debate(&sandbox, &CONTEXT, 0);
    let metrics = &document["rounds"][0]["metrics"];
    assert_eq!(metrics["implementation_feasibility"], 1.0, "the other's 5 alone");
    assert_eq!(metrics["complete"], false);
    assert!(warned(&document, "r1/stances").contains(&"incomplete_metrics".to_owned()));
}

const PROPOSAL: &str = r#"{"type": "proposal", "content": {"text": "Move it to Redis."}, "confidence_score": 0.8, "feasibility": 4}"#;
const DEFENSE: &str = r#"{"type": "defense", "content": {"text": "It was measured."}, "confidence_score": 0.7}"#;
const RESOLUTION: &str = r#"{"type": "resolution", "content": {"text": "Move the reads.", "points": [{"claim": "Move the reads.", "importance": 3}]}, "confidence_score": 0.6, "addresses": [{"id": "C1", "how": "The old one stays."}]}"#;

#[test]
fn a_person_argues_with_an_agent_by_file_and_a_longer_file_goes_on() {
    let sandbox = countered(&[("x", 1)], &[], &[("P1", "agree"), ("C1", "agree")]);
    let args = ["--as", "primary", "--arguments", "words.jsonl"];
    sandbox.write("words.jsonl", format!("{PROPOSAL}\n{RESOLUTION}\n"));
    let refused = run(&sandbox, &args);
    refused.exits(2).says("words.jsonl:2: `resolution` cannot come here");
    assert!(sandbox.calls().is_empty() && sandbox.sessions().is_empty());
    sandbox.write("words.jsonl", format!("{PROPOSAL}\n{DEFENSE}\n"));
    let document = debate(&sandbox, &args, 4);
    assert_eq!(document["outcome"], "failed");
    assert_eq!(sandbox.ledger(), ["claude r1/challenge", "claude r1/reply"]);
    sandbox.write("words.jsonl", format!("{PROPOSAL}\n{DEFENSE}\n{RESOLUTION}\n"));
    let id = document["session_id"].as_str().unwrap();
    let again = ["sessions", "resume", id, "--arguments", "words.jsonl", "--json"];
    let whole = sandbox.run(&again).exits(0).json();
    fits(&sandbox, &whole);
    assert_eq!(whole["outcome"], "consensus_reached");
    assert_eq!(whole["decision"]["by"], "primary");
    assert_eq!(whole["quorum"]["vendors"], 1, "a person is no second vendor");
    assert_eq!(
        sandbox.ledger(),
        ["claude r1/challenge", "claude r1/reply", "claude r1/stances"]
    );
    for call in sandbox.calls() {
        let prompt = call.read("stdin").to_lowercase();
        assert!(!prompt.contains("human"), "{}:\n{prompt}", call.turn);
    }
}

#[test]
fn a_remark_between_rounds_is_read_by_both_sides() {
    let points = [("Move the reads.", 3)];
    let none = [("P1", "disagree"), ("C1", "disagree")];
    let sandbox = countered(&points, &[], &none);
    let sandbox = round(sandbox, 2, &[], &points, &[], &none);
    sandbox.write("words.jsonl", r#"{"remark": "Mind the price."}"#);
    let pause = ["--max-rounds", "2", "--pause-between-rounds", "--arguments", "words.jsonl"];
    let document = debate(&sandbox, &pause, 1);
    assert_eq!(document["rounds"][1]["remark"], "Mind the price.");
    let mut heard = Vec::new();
    for call in sandbox.calls() {
        let reads = call.read("stdin").contains("Mind the price.");
        assert_eq!(reads, call.turn.starts_with("r2/"), "{}", call.turn);
        if reads {
            heard.push(call.cli);
        }
    }
    heard.sort();
    heard.dedup();
    assert_eq!(heard, ["claude", "gemini"]);
}
