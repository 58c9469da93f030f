//! The rules of a review through the binary: rounds, votes, scores, parts of a large change, failures in the middle.

use serde_json::{Value, json};

use crate::support::Sandbox;
use crate::support::reviews::{injection, judgement, past_end};

/// The turns asked, in the order of their names.
fn turns(sandbox: &Sandbox) -> Vec<String> {
    let mut turns: Vec<String> =
        (sandbox.ledger().iter()).map(|call| call.split(' ').nth(1).unwrap().to_owned()).collect();
    turns.sort();
    turns
}

/// Three seats, a ghost finding of one of them, a disagreement that a later round ends, a tie of the validators.
fn three() -> Sandbox {
    let ghost = json!({
        "severity": "P2", "title": "The helper leaks", "file": "src/zz.py", "line": 1,
        "detail": "It is never closed.", "fix": "Close it.",
    });
    let said = |stance: &str, reason: &str| json!({"id": "F2", "stance": stance, "reason": reason, "evidence": "return cursor.fetchone()"});
    let keep = json!({
        "keep": [{"id": "F1"}, {"id": "F2", "title": "The last item is out of reach"}],
        "merge": [], "eliminate": [], "residual_risks": ["Callers were not looked at."], "open_questions": [],
    });
    let vote = |id: &str, vote: &str| json!({"id": id, "vote": vote, "reason": "It is so."});
    Sandbox::new()
        .planted()
        .finds("s1", &[injection("SQL injection by name"), past_end()])
        .finds("s2", &[injection("A string is put into SQL")])
        .finds("s3", &[ghost])
        .judges(2, "s2", &[said("agree", "It raises.")])
        .judges(
            2,
            "s3",
            &[judgement("F1", "agree", None), said("disagree", "Lists may be padded.")],
        )
        .judges(3, "s2", &[said("agree", "Nothing pads them.")])
        .judges(3, "s3", &[said("agree", "True, nothing does.")])
        .says("compose/s1", "COMPOSITION", &keep)
        .says("validate/s2", "VALIDATION", &json!({"votes": [vote("F2", "approve")]}))
        .says(
            "validate/s3",
            "VALIDATION",
            &json!({"votes": [vote("F1", "approve"), vote("F2", "reject")]}),
        )
}

const THREE: [&str; 6] = ["review", "--json", "--agents", "codex,claude,gemini", "--budget", "20"];

/// Every number of the document, worked out by hand from the specification.
#[test]
fn a_review_of_three_seats_is_counted_as_the_specification_says() {
    let sandbox = three();
    let run = sandbox.run(&THREE);
    let document = run.exits(1).json();
    assert_eq!(
        turns(&sandbox),
        [
            "compose/s1",
            "r1/review/s1",
            "r1/review/s2",
            "r1/review/s3",
            // The first seat wrote everything there is to judge; the ghost is out by rule.
            "r2/cross/s2",
            "r2/cross/s3",
            "r3/cross/s2",
            "r3/cross/s3",
            "validate/s2",
            "validate/s3",
        ]
    );
    assert_eq!(document["quorum"], json!({"needed": 2, "answered": 3, "vendors": 3}));
    // F1 (P0, weight 5) has two authors and is settled at once; F2 (P1, weight 3) only when the third seat gives in:
    // 5 of 8 is 62%, rounded down.
    assert_eq!(
        document["rounds"],
        json!([
            {"round": 0, "confidence": 62, "settled": 1, "groups": 2, "answered": 3, "asked": 3},
            {"round": 1, "confidence": 62, "settled": 1, "groups": 2, "answered": 2, "asked": 2},
            {"round": 2, "confidence": 100, "settled": 2, "groups": 2, "answered": 2, "asked": 2},
        ])
    );
    assert_eq!(document["rounds_used"], 2);
    let score = |agent: &str| {
        let score = &document["scores"][agent];
        [
            "p0_findings",
            "p1_findings",
            "p2_findings",
            "false_positives",
            "concrete_fixes",
            "file_accuracy",
            "clarity",
            "total",
        ]
        .map(|part| score[part].as_i64().unwrap())
    };
    assert_eq!(score("codex"), [15, 8, 0, 0, 10, 4, 6, 43]);
    assert_eq!(score("claude"), [15, 0, 0, 0, 5, 2, 6, 28]);
    // A ghost file: only the penalty, and the points for clarity.
    assert_eq!(score("gemini"), [0, 0, 0, -10, 0, 0, 6, -4]);
    assert_eq!(document["winner"], "codex");
    assert_eq!(document["composed_by"], "codex");
    assert_eq!(
        document["agreement"],
        json!([
            {"one": "codex", "other": "claude", "shared": 1, "agreed": 1, "disagreed": 0, "open": 0},
            {"one": "codex", "other": "gemini", "shared": 0, "agreed": 2, "disagreed": 0, "open": 1},
            {"one": "claude", "other": "gemini", "shared": 0, "agreed": 1, "disagreed": 0, "open": 1},
        ])
    );
    let votes: Vec<(&str, u64, u64, &str)> = (document["validation"].as_array().unwrap().iter())
        .map(|vote| {
            (
                vote["id"].as_str().unwrap(),
                vote["approves"].as_u64().unwrap(),
                vote["rejects"].as_u64().unwrap(),
                vote["result"].as_str().unwrap(),
            )
        })
        .collect();
    // The composer wrote F2, so it breaks no tie on it, and its new title does not count.
    assert_eq!(votes, [("F1", 1, 0, "approved"), ("F2", 1, 1, "tie_kept")]);
    assert_eq!(document["findings"][1]["title"], "The index is past the end");
    assert_eq!(document["findings"][1]["status"], "confirmed");
    assert_eq!(document["findings"][1]["confirmed_by"], json!(["claude", "gemini"]));
    assert_eq!(document["eliminated"][0]["status"], "outside");
    assert_eq!(document["eliminated"][0]["found_by"], json!(["gemini"]));
    for warning in document["warnings"].as_array().unwrap() {
        assert_eq!(warning["code"], "cost_estimated", "{warning}");
    }
}

#[test]
fn later_rounds_and_votes_show_what_is_open_and_ones_own_to_nobody() {
    let sandbox = three();
    sandbox.run(&THREE).exits(1);
    let calls = sandbox.calls();
    let prompt = |turn: &str| {
        let call = calls.iter().find(|call| call.turn == turn);
        call.unwrap_or_else(|| panic!("{turn} was not asked")).read("stdin")
    };
    let later = prompt("r3/cross/s2");
    // Of the others, only the titles are shown.
    let (later, _) = later.split_once("# Your answer").unwrap();
    let (judged, titles) = later.split_once("titles of the other findings").unwrap();
    assert!(judged.contains("\"id\": \"F2\"") && !judged.contains("\"id\": \"F1\""));
    assert!(titles.contains("\"id\": \"F1\""), "{titles}");
    assert!(later.contains("Lists may be padded."), "{later}");
    assert!(!later.contains("src/zz.py"), "out by rule: {later}");
    // The second seat wrote F1: it is asked about F2 alone.
    let votes = prompt("validate/s2");
    let (votes, _) = votes.split_once("# Your answer").unwrap();
    assert!(votes.contains("\"id\": \"F2\"") && !votes.contains("\"id\": \"F1\""), "{votes}");
    for turn in ["r3/cross/s3", "compose/s1", "validate/s3"] {
        let prompt = prompt(turn).to_lowercase();
        for name in ["codex", "claude", "gemini", "openai", "anthropic", "google"] {
            assert!(!prompt.contains(name), "{turn} names {name}");
        }
    }
}

#[test]
fn rounds_end_by_their_number_and_by_the_confidence_that_is_wanted() {
    for (more, crossings, status) in [
        (&[][..], 2, "confirmed"),
        (&["--max-rounds", "1"], 1, "unverified"),
        (&["--set", "review.confidence=0"], 1, "unverified"),
    ] {
        let sandbox = Sandbox::new()
            .planted()
            .finds("s1", &[past_end()])
            .finds("s2", &[])
            .finds("s3", &[])
            .judges(2, "s2", &[judgement("F1", "unsure", None)])
            .judges(2, "s3", &[judgement("F1", "unsure", None)])
            .judges(3, "s2", &[judgement("F1", "agree", None)])
            .judges(3, "s3", &[judgement("F1", "agree", None)])
            .composes("s1", "s2", &["F1"]);
        let document = sandbox.run(&[&THREE[..], more].concat()).exits(1).json();
        assert_eq!(document["findings"][0]["status"], status, "{more:?}");
        assert_eq!(document["rounds_used"], crossings, "{more:?}");
        let asked = turns(&sandbox);
        assert_eq!(asked.iter().any(|turn| turn == "r3/cross/s2"), crossings == 2, "{asked:?}");
    }
}

#[test]
fn one_round_and_no_critique_ask_what_they_say() {
    let reviews = ["r1/review/s1", "r1/review/s2"];
    let with_critique = ["r1/review/s1", "r1/review/s2", "r2/cross/s2"];
    let without = ["compose/s1", "r1/review/s1", "r1/review/s2", "validate/s2"];
    for (args, asked, status) in [
        (
            &["review", "--set", "review.max_rounds=1", "--set", "review.compose=never", "--json"]
                [..],
            &with_critique[..],
            "confirmed",
        ),
        (
            &["review", "--max-rounds", "0", "--set", "review.compose=never", "--json"],
            &reviews,
            "unverified",
        ),
        (&["review", "--max-rounds", "0", "--json"], &without, "unverified"),
        (
            &["review", "--set", "debate.include_critique_round=false", "--json"],
            &without,
            "unverified",
        ),
    ] {
        let sandbox = Sandbox::new()
            .planted()
            .finds("s1", &[past_end()])
            .finds("s2", &[])
            .judges(2, "s2", &[judgement("F1", "agree", None)])
            .composes("s1", "s2", &["F1"]);
        let document = sandbox.run(args).exits(1).json();
        assert_eq!(turns(&sandbox), asked, "{args:?}");
        assert_eq!(document["findings"][0]["status"], status, "{args:?}");
        let composed = args.contains(&"review.compose=never");
        assert_eq!(document["composed_by"].is_null(), composed, "{args:?}");
    }
}

/// The second seat reviews and then dies: its review counts, and no form claims that it did not answer.
#[test]
fn a_seat_that_reviewed_and_failed_later_is_both_in_every_form() {
    for (format, says) in [
        (
            "text",
            &[
                "claude cannot take a prompt of this size",
                "s2: claude (anthropic), answered; 1 of 2 turns failed; ",
                "2 of 2 seats reviewed the change (2 needed)",
            ][..],
        ),
        (
            "markdown",
            &["claude cannot take a prompt of this size", "answered; 1 of 2 turns failed; "],
        ),
        (
            "github",
            &["::warning title=debate-agent review::", "claude cannot take a prompt of this size"],
        ),
        ("sarif", &["\"turn_failed\"", "1 of 2 turns failed"]),
        ("json", &["\"status\": \"answered\"", "1 of 2 turns failed"]),
    ] {
        let sandbox = Sandbox::new()
            .planted()
            .finds("s1", &[past_end()])
            .finds("s2", &[])
            .fake("r2_cross_s2.json", r#"{"error": "prompt_too_long"}"#);
        let run = sandbox.reviewed(&["--full", "--format", format]);
        let text = &run.exits(1).stdout;
        for said in says {
            let said = said.replace("\": \"", "\":\"");
            let flat = text.replace("\": \"", "\":\"").replace('\n', " ");
            assert!(flat.contains(&said), "{format}: no `{said}` in\n{text}");
        }
        assert!(!text.contains("claude did not answer;"), "{format}: {text}");
        assert!(!text.contains("FAILED"), "{format}: {text}");
        if format == "json" {
            let quorum = &run.json()["quorum"];
            assert_eq!(*quorum, json!({"needed": 2, "answered": 2, "vendors": 2}));
        }
    }
}

#[test]
fn a_composition_on_which_nobody_may_vote_costs_no_vote_and_says_so() {
    let both = [injection("SQL injection by name")];
    let sandbox = Sandbox::new().planted().finds("s1", &both).finds("s2", &both).composes(
        "s1",
        "s2",
        &["F1"],
    );
    let run = sandbox.run(&["review", "--json"]);
    let document = run.exits(1).says("nobody voted").json();
    assert_eq!(document["validation"][0]["result"], "unvalidated");
    assert_eq!(turns(&sandbox), ["compose/s1", "r1/review/s1", "r1/review/s2"]);
}

/// Three new files, each a part of its own.
fn parts(most: u32) -> Sandbox {
    let sandbox = Sandbox::new().config(r#"{"review": {"compose": "always"}}"#);
    sandbox.git(&["init", "--quiet"]);
    let review = json!({"review": {"max_diff_bytes": 1_000, "max_batches": most}});
    sandbox.write("debate-agent.config.json", review.to_string());
    sandbox.commit("Begin");
    for name in ["a.py", "b.py", "c.py"] {
        let lines = (0..20).map(|line| format!("value_{line} = {line}  # the {line}th of them\n"));
        sandbox.write(name, lines.collect::<String>());
    }
    sandbox
}

fn in_part(sandbox: Sandbox, turn: &str, findings: &[Value]) -> Sandbox {
    let body = json!({"findings": findings, "residual_risks": [], "open_questions": []});
    sandbox.says(turn, "REVIEW", &body)
}

fn quiet(mut sandbox: Sandbox) -> Sandbox {
    for seat in 1..=2 {
        for part in 1..=3 {
            sandbox = in_part(sandbox, &format!("r1/review/s{seat}/b{part}"), &[]);
        }
    }
    sandbox
}

fn wrong(file: &str) -> Value {
    json!({
        "severity": "P1", "title": format!("A value of {file} is wrong"), "file": file, "line": 3,
        "quote": "value_2 = 2", "trigger": "Read it.", "detail": "It should be three.", "fix": "`value_2 = 3`",
    })
}

#[test]
fn a_change_in_parts_is_reviewed_part_by_part_and_composed_once() {
    let sandbox = in_part(quiet(parts(8)), "r1/review/s1/b1", &[wrong("a.py")]);
    let sandbox = in_part(sandbox, "r1/review/s2/b3", &[wrong("c.py")])
        .says(
            "r2/cross/s2/b1",
            "CROSS_REVIEW",
            &json!({"judgements": [judgement("F1", "agree", Some("value_2 = 2"))], "missed_issues": []}),
        )
        .says(
            "r2/cross/s1/b3",
            "CROSS_REVIEW",
            &json!({"judgements": [judgement("F2", "agree", Some("value_2 = 2"))], "missed_issues": []}),
        )
        .composes("s1", "s2", &["F1", "F2"]);
    let run = sandbox.run(&["review", "--json", "--budget", "20"]);
    let document = run.exits(1).json();
    assert_eq!(document["change"]["batches"], 3);
    let found: Vec<&str> = (document["findings"].as_array().unwrap().iter())
        .map(|finding| finding["file"].as_str().unwrap())
        .collect();
    assert_eq!(found, ["a.py", "c.py"]);
    assert_eq!(document["findings"][0]["status"], "confirmed");
    assert_eq!(document["findings"][1]["status"], "confirmed");
    assert_eq!(document["not_reviewed"], json!([]));
    let asked = turns(&sandbox);
    assert_eq!(asked.len(), 6 + 2 + 2, "{asked:?}");
    let shown = |turn: &str| {
        let calls = sandbox.calls();
        let call = calls.iter().find(|call| call.turn == turn).unwrap();
        call.read("stdin")
    };
    assert!(
        shown("r1/review/s1/b2").contains("+++ b/b.py")
            || shown("r1/review/s1/b2").contains("b.py")
    );
    let cross = shown("r2/cross/s2/b1");
    let (judged, titles) = cross.split_once("titles of the other findings").unwrap();
    assert!(!judged.contains("value of c.py") && titles.contains("value of c.py"), "{cross}");
}

#[test]
fn a_part_below_quorum_is_never_clean() {
    let dead =
        |sandbox: Sandbox| sandbox.fake("r1_review_s2_b2.json", r#"{"error": "prompt_too_long"}"#);
    let run = dead(quiet(parts(8))).run(&["review", "--json", "--budget", "20"]);
    let document = run.exits(4).json();
    assert_eq!(document["verdict"], "undecided");
    assert_eq!(document["quorum"], json!({"needed": 2, "answered": 2, "vendors": 2}));
    assert_eq!(document["degraded"], false);
    assert_eq!(document["confidence"], 50);
    assert_eq!(document["not_reviewed"].as_array().unwrap().len(), 1);
    assert_eq!(document["not_reviewed"][0]["path"], "b.py");
    assert_eq!(document["not_reviewed"][0]["why"], "no_quorum");
    assert_eq!(document["seats"][1]["status"], "answered");
    let text = dead(quiet(parts(8))).run(&["review", "--budget", "20"]);
    let head = text.stdout.lines().take(3).collect::<Vec<_>>().join(" ");
    assert!(
        head.starts_with("UNDECIDED: claude cannot take a prompt of this size; ")
            && head.contains(
                "; 1 part of the change was reviewed by fewer than two agents; nothing remains, which is not \"clean\"."
            ),
        "{head}"
    );
    // A finding of one seat alone in a part is shown, and asks for a change, without being confirmed.
    let sandbox = in_part(quiet(parts(8)), "r1/review/s1/b2", &[wrong("b.py")]);
    let run = dead(sandbox).run(&["review", "--json", "--budget", "20"]);
    let document = run.exits(1).json();
    assert_eq!(document["findings"][0]["status"], "unverified");
    assert_eq!(document["not_reviewed"][0]["why"], "no_quorum");
}

#[test]
fn what_is_beyond_the_parts_is_never_clean() {
    let run = quiet(parts(2)).run(&["review", "--json", "--budget", "20"]);
    let document = run.exits(4).json();
    assert_eq!(document["verdict"], "undecided");
    assert_eq!(document["change"]["batches"], 2);
    assert_eq!(document["not_reviewed"][0]["path"], "c.py");
    assert_eq!(document["not_reviewed"][0]["why"], "beyond_batches");
    assert_eq!(document["quorum"]["answered"], 2);
    let text = quiet(parts(2)).run(&["review", "--budget", "20"]).stdout;
    assert!(text.starts_with("UNDECIDED: 1 part of the change was not reviewed"), "{text}");
}
