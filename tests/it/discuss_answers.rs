//! The treatment of each kind of answer: seat, rating, verdict, warnings, number of calls.
//!
//! Four perspectives are asked, and three of them rate 4 and raise nothing. So a seat that fails leaves three of four
//! and "reached, none", and an invented rating would show in the mean.

use serde_json::{Value, json};

use crate::support::Sandbox;
use crate::support::discusses::{critique, critique_with, seat};
use crate::support::replies::{block, warned};
use crate::support::table::each_of;

/// The treatment of a perspective's answer.
#[derive(Debug, Clone, Copy)]
enum End {
    /// The seat fails, without a rating. The text that the failure must contain.
    Fails(&'static str),
    /// The answer is accepted with this rating, and noted under these codes.
    Rates(u8, &'static [&'static str]),
}
use End::{Fails, Rates};

/// A name, the perspective, its answer or script or control file, the treatment, the number of calls.
type Case = (&'static str, &'static str, Said, End, usize);

#[derive(Debug, Clone)]
enum Said {
    Text(String),
    Script(String),
    Control(Value),
}

fn rated(rating: &str) -> Said {
    let body = critique(4).to_string().replace("\"rating\":4", &format!("\"rating\":{rating}"));
    assert!(body.contains(rating), "{body}");
    Said::Text(block("CRITIQUE", &body))
}

fn with(fields: Value) -> Said {
    Said::Text(block("CRITIQUE", &critique_with(4, fields).to_string()))
}

fn cases() -> Vec<Case> {
    let body = |rating: u8| block("CRITIQUE", &critique(rating).to_string());
    let template = "<<<CRITIQUE_START>>>\n{\"strengths\": [\"<what is good, and where>\", ...],\n \"weaknesses\": [\"<what is not, and where>\", ...],\n \"suggestions\": [\"<what to change, and into what>\", ...],\n \"rating\": <1 to 5>}\n<<<CRITIQUE_END>>>\n";
    let print = |text: &str, to: &str| format!("cat {to} <<'CRITIQUE'\n{text}CRITIQUE\n");
    vec![
        ("0", "quality", rated("0"), Fails("rating"), 2),
        ("6", "quality", rated("6"), Fails("rating"), 2),
        ("-1", "quality", rated("-1"), Fails("rating"), 2),
        ("4.5", "quality", rated("4.5"), Fails("rating"), 2),
        ("five", "quality", rated("\"five\""), Fails("rating"), 2),
        ("9/10", "quality", rated("\"9/10\""), Fails("rating"), 2),
        ("10/5", "quality", rated("\"10/5\""), Fails("rating"), 2),
        ("a list", "quality", rated("[4]"), Fails("rating"), 2),
        ("true", "quality", rated("true"), Fails("rating"), 2),
        ("null", "quality", rated("null"), Fails("rating"), 2),
        ("missing", "quality", with(json!({"rating": null})), Fails("rating"), 2),
        ("NaN", "quality", rated("NaN"), Fails("JSON"), 2),
        ("Infinity", "quality", rated("Infinity"), Fails("JSON"), 2),
        ("huge", "quality", rated("1e999"), Fails(""), 2),
        // A number equal to 1, written differently: 1 blocks.
        ("1e0", "quality", rated("1e0"), Rates(1, &["number_normalised"]), 1),
        ("4.0", "quality", rated("4.0"), Rates(4, &["number_normalised"]), 1),
        ("4/5", "quality", rated("\"4/5\""), Rates(4, &["number_normalised"]), 1),
        ("2 / 5", "quality", rated("\" 2 / 5 \""), Rates(2, &["number_normalised"]), 1),
        ("catastrophic, owed", "risk", with(json!({"risk_level": "catastrophic"})), Fails("risk_level"), 2),
        ("catastrophic, not owed", "quality", with(json!({"risk_level": "catastrophic"})), Rates(4, &["unknown_word"]), 1),
        ("no risk level, owed", "risk", with(json!({"risk_level": null})), Fails("risk_level"), 2),
        ("no risk level, not owed", "quality", with(json!({"risk_level": null})), Rates(4, &[]), 1),
        ("LOW", "risk", with(json!({"risk_level": "LOW"})), Rates(4, &["word_normalised"]), 1),
        ("no weaknesses", "quality", with(json!({"weaknesses": null})), Fails("weaknesses"), 2),
        ("an unreadable requirement", "quality", with(json!({"missing_requirements": ["It is not there.", true]})), Fails("missing_requirements"), 2),
        ("two that differ", "quality", Said::Text(body(5) + &body(1)), Fails("CRITIQUE"), 2),
        ("two alike", "quality", Said::Text(body(3) + &body(3)), Rates(3, &["duplicate_equal"]), 1),
        ("the template", "quality", Said::Text(template.to_owned()), Fails(""), 2),
        ("the template and an answer", "quality", Said::Text(template.to_owned() + &body(3)), Rates(3, &["echo"]), 1),
        ("prose", "quality", Said::Text("It is fine: 5 of 5.\n".to_owned()), Fails(""), 2),
        ("cut", "quality", Said::Text(body(5)[..60].to_owned()), Fails(""), 2),
        ("on stderr alone", "quality", Said::Script(print(&body(5), ">&2") + "exit 0\n"), Fails(""), 0),
        ("empty", "quality", Said::Control(json!({"error": "empty"})), Fails(""), 0),
        ("exit 1 with an answer", "quality", Said::Control(json!({"exit": "1"})), Fails(""), 0),
        (
            "8 MiB",
            "quality",
            Said::Script("{ head -c 9000000 /dev/zero | tr '\\000' x; echo; cat \"$answer\"; } >\"$ledger/long\"; answer=$ledger/long\n".to_owned()),
            Fails(""),
            0,
        ),
    ]
}

/// Without waits between attempts of a CLI.
const NO_RETRIES: &str = r#"{"limits": {"retries": {"crashed": 0, "overloaded": 0, "rate_limited": 0, "empty_reply": 0}}}"#;

#[test]
fn a_rating_is_one_that_was_given_or_there_is_none() {
    each_of(&cases(), |(what, who, said, end, times)| {
        let sandbox = Sandbox::discussing().config(NO_RETRIES);
        let sandbox = match said {
            Said::Text(text) => sandbox.babbles(who, text),
            Said::Script(script) => sandbox.fake(&format!("r1_{who}.sh"), script),
            Said::Control(control) => sandbox.fake(&format!("r1_{who}.json"), &control.to_string()),
        };
        let (rating, notes, verdict, severity, mean) = match end {
            Fails(_) => (None, None, "consensus_reached", "none", 4.0),
            Rates(rating, notes) => {
                let (verdict, severity) = if *rating <= 2 {
                    ("consensus_blocked", "medium")
                } else {
                    ("consensus_reached", "none")
                };
                let mean = (f64::from(*rating) + 12.0) / 4.0;
                (Some(*rating), Some(*notes), verdict, severity, mean)
            }
        };
        let code = i32::from(verdict == "consensus_blocked");
        let run = sandbox.discuss(&[]);
        assert_eq!(run.code, code, "{what}\n{}\n{}", run.stdout, run.stderr);
        let document = run.json();
        sandbox.is_of("discuss", &document);
        assert_eq!(document["verdict"], verdict, "{what}");
        assert_eq!(document["severity"], severity, "{what}");
        assert_eq!(document["average_rating"], json!(mean), "{what}");
        let given = document["ratings"].get(who);
        assert_eq!(given.cloned(), rating.map(Value::from), "{what}");
        let (seat, turn) = (seat(&document, who), format!("r1/{who}"));
        if let Fails(why) = end {
            assert_eq!(seat["status"], "failed", "{what}: {seat}");
            let failure = seat["failure"].as_str().unwrap();
            assert!(failure.contains(why) && !failure.is_empty(), "{what}: {failure}");
            assert_eq!(document["quorum"]["answered"], 3, "{what}");
            // Readers of the record see it as well.
            let record =
                std::fs::read_to_string(document["record_path"].as_str().unwrap()).unwrap();
            let row = (record.lines()).find(|line| line.starts_with(&format!("| {who} | - |")));
            assert!(row.is_some_and(|row| row.contains("FAILED")), "{what}: {record}");
        } else {
            assert_eq!(seat["status"], "answered", "{what}: {seat}");
            assert_eq!(document["quorum"]["answered"], 4, "{what}");
        }
        if let Some(notes) = notes {
            assert_eq!(warned(&document, &turn), notes, "{what}");
        }
        // Asked again once if another attempt can fix it; never through another agent.
        if *times > 0 {
            let prompts = sandbox.prompts(&turn);
            // An answer asked again for its form alone that is no better leads to the whole question.
            let of_form = |prompt: &&String| prompt.contains("# An answer in another form");
            let asked = prompts.len() - prompts.iter().filter(of_form).count();
            assert_eq!(asked, *times, "{what}: {:?}", sandbox.ledger());
        }
    });
}

/// The second attempt counts, whatever the first one was.
#[test]
fn an_answer_that_is_mended_counts_as_it_is_mended() {
    let spoiled = critique_with(5, json!({"rating": 6}));
    let sandbox = Sandbox::discussing()
        .fake("r1_quality.1.txt", &block("CRITIQUE", &spoiled.to_string()))
        .fake("r1_quality.2.txt", &block("CRITIQUE", &critique(2).to_string()));
    let document = sandbox.discussed(&[], 1);
    assert_eq!(document["ratings"]["quality"], 2);
    assert_eq!(document["average_rating"], json!(3.5));
    assert_eq!(seat(&document, "quality")["status"], "answered");
    let prompts = sandbox.prompts("r1/quality");
    assert_eq!(prompts.len(), 2);
    assert!(prompts[1].contains("whole number from 1 to 5"), "{}", prompts[1]);
}

/// `--strict`: notes become faults.
#[test]
fn strict_takes_no_other_writing() {
    for (rating, taken) in [("\"4/5\"", false), ("4.0", false), ("4", true)] {
        let Said::Text(text) = rated(rating) else { unreachable!() };
        let sandbox = Sandbox::discussing().babbles("quality", &text);
        let document = sandbox.discussed(&["--strict"], 0);
        assert_eq!(document["ratings"].get("quality").is_some(), taken, "{rating}");
        let status = if taken { "answered" } else { "failed" };
        assert_eq!(seat(&document, "quality")["status"], status, "{rating}");
    }
}
