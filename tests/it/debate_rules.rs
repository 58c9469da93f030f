//! The rules of a dialogue, through the binary: every ending, the rounds, what counts as agreement, what is asked
//! again.

use std::sync::OnceLock;

use serde_json::{Value, json};

use crate::support::Sandbox;
use crate::support::crash::warnings;
use crate::support::debates::{TOPIC, position, stances};
use crate::support::replies::block;

/// The schema of a result, printed by the program once.
fn schema() -> &'static jsonschema::Validator {
    static SCHEMA: OnceLock<jsonschema::Validator> = OnceLock::new();
    SCHEMA.get_or_init(|| {
        let printed = Sandbox::new().run(&["schema", "debate"]).exits(0).json();
        jsonschema::validator_for(&printed).unwrap()
    })
}

/// Runs a debate, and validates the result against the schema.
#[track_caller]
fn debate(sandbox: &Sandbox, more: &[&str], code: i32) -> Value {
    let args = [&["debate", TOPIC, "--json"], more].concat();
    let document = sandbox.run(&args).exits(code).json();
    let errors: Vec<String> =
        (schema().iter_errors(&document)).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{errors:#?}\n{document:#}");
    document
}

/// The turns in the order asked.
fn asked(sandbox: &Sandbox) -> Vec<String> {
    sandbox.calls().into_iter().map(|call| call.turn).collect()
}

fn scores(document: &Value) -> Vec<Value> {
    let rounds = document["rounds"].as_array().unwrap().iter();
    rounds.map(|round| round["consensus"]["decisive"].clone()).collect()
}

/// The prompt of the `nth` call of a turn, from 1.
fn prompt(sandbox: &Sandbox, turn: &str, nth: usize) -> String {
    let calls = sandbox.calls();
    let mut calls = calls.iter().filter(|call| call.turn == turn);
    calls.nth(nth - 1).unwrap().read("stdin")
}

fn configured(sandbox: Sandbox, topic: &str) -> Sandbox {
    sandbox.config(&format!(r#"{{"topic": {topic}}}"#))
}

/// Rounds 1 and 2 score 0.25 and 0.5: below the expert's threshold, and rising.
fn rising() -> Sandbox {
    Sandbox::disputing()
}

/// The joint draft of round 3, with these stances on its two points.
fn joint(first: &str, second: &str) -> Sandbox {
    let claims = ["Measure in March.", "Then move the reads."];
    rising().compromises(3, &claims, &[("J1", first), ("J2", second)])
}

/// Rounds 1 and 2 both score 0.5.
fn stuck() -> Sandbox {
    rising().reviews(&[("A1", "agree"), ("A2", "disagree")]).rules(3, &["B1", "B2"])
}

struct Row {
    name: &'static str,
    sandbox: Sandbox,
    args: &'static [&'static str],
    code: i32,
    outcome: &'static str,
    verdict: &'static str,
    by: Option<&'static str>,
    scores: &'static [f64],
    turns: &'static str,
    /// The first line for people.
    says: &'static str,
}

const ALL: &str = "r1/propose r1/review r2/rebuttal r3/compromise r3/answer r4/expert";

#[expect(clippy::too_many_lines, reason = "a row an ending")]
fn rows() -> Vec<Row> {
    vec![
        Row {
            name: "the reviewer's position is adopted, with its amendment",
            sandbox: rising()
                .offers(
                    "r1/review",
                    &[("A1", "disagree"), ("A2", "partly")],
                    &["It is fast.", "It is free.", "It is there.", "We know it."],
                )
                .rebuts(
                    "r2/rebuttal",
                    &[("B1", "agree"), ("B2", "agree"), ("B3", "agree"), ("B4", "partly")],
                ),
            args: &[],
            code: 0,
            outcome: "adopted",
            verdict: "consensus",
            by: Some("reviewer"),
            scores: &[0.25, 0.875],
            turns: "r1/propose r1/review r2/rebuttal",
            says: "ADOPTED: consensus 87.5% (85% needed) after round 2.",
        },
        Row {
            name: "the joint position is adopted",
            sandbox: joint("agree", "agree"),
            args: &[],
            code: 0,
            outcome: "adopted",
            verdict: "consensus",
            by: Some("joint"),
            scores: &[0.25, 0.5, 1.0],
            turns: "r1/propose r1/review r2/rebuttal r3/compromise r3/answer",
            says: "ADOPTED: consensus 100% (85% needed) after round 3.",
        },
        Row {
            name: "between the thresholds in the last round it is partial, expert or not",
            sandbox: joint("agree", "partly"),
            args: &[],
            code: 1,
            outcome: "partial",
            verdict: "partial",
            by: Some("joint"),
            scores: &[0.25, 0.5, 0.75],
            turns: "r1/propose r1/review r2/rebuttal r3/compromise r3/answer",
            says: "PARTIAL: consensus 75% (85% needed) after round 3. Not adopted: a person decides.",
        },
        Row {
            name: "between the thresholds before it the debate goes on",
            sandbox: joint("agree", "agree")
                .reviews(&[("A1", "agree"), ("A2", "partly")])
                .rebuts("r2/rebuttal", &[("B1", "agree"), ("B2", "partly")]),
            args: &[],
            code: 0,
            outcome: "adopted",
            verdict: "consensus",
            by: Some("joint"),
            scores: &[0.75, 0.75, 1.0],
            turns: "r1/propose r1/review r2/rebuttal r3/compromise r3/answer",
            says: "ADOPTED",
        },
        Row {
            name: "below the expert's threshold at the end the expert rules",
            sandbox: configured(joint("agree", "disagree"), r#"{"deadlock_rise": 0}"#),
            args: &[],
            code: 0,
            outcome: "expert",
            verdict: "ruled",
            by: Some("expert"),
            scores: &[0.25, 0.5, 0.5],
            turns: ALL,
            says: "RULED by the expert codex (openai). Without the ruling: consensus 50% (85% needed).",
        },
        Row {
            name: "a deadlock in round 2 asks the expert at once",
            sandbox: stuck(),
            args: &[],
            code: 0,
            outcome: "expert",
            verdict: "ruled",
            by: Some("expert"),
            scores: &[0.5, 0.5],
            turns: "r1/propose r1/review r2/rebuttal r3/expert",
            says: "RULED by the expert",
        },
        Row {
            name: "a deadlock without an expert",
            sandbox: stuck(),
            args: &["--set", "topic.expert=none"],
            code: 1,
            outcome: "deadlocked",
            verdict: "no_consensus",
            by: None,
            scores: &[0.5, 0.5],
            turns: "r1/propose r1/review r2/rebuttal",
            says: "DEADLOCKED: consensus 50% (85% needed) after round 2; nobody ruled.",
        },
        Row {
            name: "one round has no expert",
            sandbox: stuck(),
            args: &["--max-rounds", "1"],
            code: 1,
            outcome: "deadlocked",
            verdict: "no_consensus",
            by: None,
            scores: &[0.5],
            turns: "r1/propose r1/review",
            says: "DEADLOCKED",
        },
        Row {
            name: "two rounds are one and the expert's",
            sandbox: stuck().rules(2, &["A2"]),
            args: &["--max-rounds", "2"],
            code: 0,
            outcome: "expert",
            verdict: "ruled",
            by: Some("expert"),
            scores: &[0.5],
            turns: "r1/propose r1/review r2/expert",
            says: "RULED",
        },
        Row {
            name: "three rounds are two and the expert's",
            sandbox: rising().rules(3, &["B1", "B2"]),
            args: &["--max-rounds", "3"],
            code: 0,
            outcome: "expert",
            verdict: "ruled",
            by: Some("expert"),
            scores: &[0.25, 0.5],
            turns: "r1/propose r1/review r2/rebuttal r3/expert",
            says: "RULED",
        },
        Row {
            name: "an expert that fails approves of nothing",
            sandbox: stuck().fake("r3_expert.json", r#"{"error": "not_logged_in"}"#),
            args: &[],
            code: 1,
            outcome: "deadlocked",
            verdict: "no_consensus",
            by: None,
            scores: &[0.5, 0.5],
            turns: "r1/propose r1/review r2/rebuttal r3/expert",
            says: "DEADLOCKED: consensus 50% (85% needed) after round 2; the expert codex (openai) gave no ruling.",
        },
        Row {
            name: "without a proposal there is no debate",
            sandbox: stuck().fake("r1_propose.json", r#"{"error": "not_logged_in"}"#),
            args: &[],
            code: 3,
            outcome: "failed",
            verdict: "undecided",
            by: None,
            scores: &[],
            turns: "r1/propose",
            says: "UNDECIDED: agents failed; 0 of 2 participants answered (2 needed), from 0 vendors.",
        },
        Row {
            name: "a budget that is gone leaves it open",
            sandbox: stuck(),
            args: &["--budget", "0.16"],
            code: 4,
            outcome: "budget",
            verdict: "undecided",
            by: None,
            // The expert's first call would need a reservation of $0.15.
            scores: &[0.5, 0.5],
            turns: "r1/propose r1/review r2/rebuttal",
            says: "UNDECIDED: the budget does not cover the next call.",
        },
    ]
}

#[test]
fn every_way_a_dialogue_ends_has_its_code_its_document_and_its_line() {
    for row in rows() {
        let name = row.name;
        let document = debate(&row.sandbox, row.args, row.code);
        assert_eq!(document["outcome"], row.outcome, "{name}");
        assert_eq!(document["verdict"], row.verdict, "{name}");
        assert_eq!(document["decision"]["by"].as_str(), row.by, "{name}");
        assert_eq!(asked(&row.sandbox).join(" "), row.turns, "{name}");
        let measured: Vec<f64> = (scores(&document).iter()).filter_map(Value::as_f64).collect();
        assert_eq!(measured, row.scores, "{name}");
        // Whether or not anything was decided, no objection is left out.
        if row.outcome != "failed" && row.outcome != "budget" && document["consensus"] != 1.0 {
            assert_ne!(document["dissent"], json!([]), "{name}");
        }
        // The same for people: their first line, on standard output.
        let text = row.sandbox.run(&[&["debate", TOPIC], row.args].concat());
        text.exits(row.code);
        assert!(text.stdout.replace("\n  ", " ").contains(row.says), "{name}:\n{}", text.stdout);
    }
}

/// A proposal of five points, and a review with this many stances on them.
fn covered(agreed: &[&str]) -> Sandbox {
    let said: Vec<(&str, &str)> = agreed.iter().map(|point| (*point, "agree")).collect();
    rising()
        .proposes(&["It is safe.", "It is fast.", "It is cheap.", "It is known.", "It is there."])
        .reviews(&said)
}

#[test]
fn agreement_counts_only_where_four_in_five_points_have_a_stance() {
    let lower = |sandbox| {
        configured(
            sandbox,
            r#"{"consensus_threshold": 0.6, "expert_threshold": 0.6, "max_rounds": 1}"#,
        )
    };
    let enough = lower(covered(&["A1", "A2", "A3", "A5"]));
    let document = debate(&enough, &[], 0);
    assert_eq!(document["outcome"], "adopted");
    assert_eq!(document["consensus"], 0.8);
    assert_eq!(document["open_points"][0]["id"], "A4");
    // One less gives the required agreement, but no consensus; not even a partial one.
    let few = lower(covered(&["A1", "A2", "A3"]));
    let document = debate(&few, &[], 1);
    assert_eq!(document["outcome"], "deadlocked");
    let check = &document["rounds"][0]["consensus"];
    assert_eq!((&check["stance_score"], &check["covered"]), (&json!(0.6), &json!(0.6)));
    assert_eq!(check["reached"], false);
    let said = few.run(&["debate", TOPIC]).exits(1).stdout.replace('\n', " ");
    assert!(said.contains("only 60% of the points' weight judged (80% needed)"), "{said}");
    // It was asked again, by name, and then accepted.
    assert_eq!(few.asked("r1/review"), 4, "twice in each run");
    let again = prompt(&few, "r1/review", 2);
    assert!(again.contains("no stance on A4, A5"), "{again}");
    assert!(warnings(&document).contains(&"missing_ids".to_owned()));
}

#[test]
fn one_re_ask_names_what_was_missing_and_then_it_is_no_answer() {
    let own = position("Keep the cache in the process.", &["It is fast enough."]).to_string();
    let own = block("POSITION", &own);
    let owed = |body: &str| block("STANCES", body) + &own;
    let unknown = r#"{"stances": [{"point": "A1", "stance": "maybe", "reason": "x"}]}"#;
    for (bad, names) in [
        (own.clone(), "STANCES"),
        (owed(r#"{"stances": [], "missing": []}"#), "give a stance on each of A1, A2"),
        (owed(r#"{"stances": ["#), "STANCES"),
        (owed(unknown), "maybe"),
        (block("STANCES", &stances(&[("A1", "agree"), ("A2", "agree")]).to_string()), "POSITION"),
    ] {
        let said = [("A1", "agree"), ("A2", "agree")];
        let mended = rising().reviews(&said).fake("r1_review.1.txt", &bad);
        let document = debate(&mended, &[], 0);
        assert_eq!(document["outcome"], "adopted", "{bad}");
        let again = prompt(&mended, "r1/review", 2);
        let (_, about) = again.split_once("# Your last reply could not be used").unwrap();
        assert!(about.contains(names), "{bad}:\n{about}");
        // Repeatedly: no stances, no check, no agreement.
        let never = rising().fake("r1_review.txt", &bad);
        let document = debate(&never, &["--max-rounds", "1"], 4);
        assert_eq!(document["outcome"], "failed", "{bad}");
        assert_eq!(document["consensus"], Value::Null, "{bad}");
        assert_eq!(document["rounds"][0]["forced"], json!(["reviewer"]), "{bad}");
        assert_eq!(asked(&never), ["r1/propose", "r1/review", "r1/review"], "{bad}");
    }
}

#[test]
fn who_is_silent_in_one_round_may_speak_in_the_next_and_in_two_it_is_over() {
    let dead = r#"{"error": "not_logged_in"}"#;
    // The proposer is silent in round 2, and is asked for the same again: nobody else has anything new to answer.
    let once = rising()
        .fake("r2_rebuttal.json", dead)
        .rebuts("r3/rebuttal", &[("B1", "agree"), ("B2", "agree")]);
    let document = debate(&once, &[], 0);
    assert_eq!(document["decision"]["by"], "reviewer");
    assert_eq!(asked(&once), ["r1/propose", "r1/review", "r2/rebuttal", "r3/rebuttal"]);
    assert_eq!(document["rounds"][1]["forced"], json!(["proposer"]));
    assert_eq!(document["rounds"][1].get("consensus"), None);
    let twice = rising().fake("r2_rebuttal.json", dead).fake("r3_rebuttal.json", dead);
    let document = debate(&twice, &[], 4);
    assert_eq!(document["outcome"], "failed");
    assert_eq!(document["decision"], Value::Null);
    assert_eq!(document["final_positions"].as_object().unwrap().len(), 2, "all is kept");
    assert_eq!(document["final_positions"]["claude"]["round"], 1);
    // One after the other is not twice in a row.
    let each = rising()
        .fake("r1_review.json", dead)
        .offers("r2/review", &[("A1", "disagree")], &["It is fast."])
        .fake("r3_rebuttal.json", dead)
        .rules(4, &["B1"]);
    let document = debate(&each, &[], 0);
    assert_eq!(document["outcome"], "expert");
    assert_eq!(document["rounds"][2]["forced"], json!(["proposer"]));
}
