//! `discuss` end to end: the agents asked, the ladder's decision on their answers, missing perspectives, the files
//! kept.

use serde_json::json;

use crate::support::Sandbox;
use crate::support::discusses::{CONTEXT, FIVE, critique_with, seat};
use crate::support::replies::warned;

const WITH: [&str; 2] = ["--context", CONTEXT];

/// Each answers only when all have been asked: one after the other, none would.
#[test]
fn all_five_are_asked_at_once() {
    let sandbox = Sandbox::discussing().meet(&FIVE);
    let document = sandbox.discussed(&WITH, 0);
    assert_eq!(document["quorum"]["answered"], 5);
    assert_eq!(sandbox.calls().len(), 5);
}

#[test]
fn everybody_is_shown_the_same_artifact_and_nobody_another_s_critique() {
    let secret = "Nobody else may read this sentence.";
    let sandbox =
        Sandbox::discussing().critic("product", &critique_with(3, json!({"weaknesses": [secret]})));
    sandbox.discussed(&WITH, 0);
    let mut heads = Vec::new();
    for perspective in FIVE {
        let prompts = sandbox.prompts(&format!("r1/{perspective}"));
        assert_eq!(prompts.len(), 1, "{perspective}");
        let prompt = &prompts[0];
        assert!(prompt.contains("Move the cache out of the process"), "{perspective}");
        assert!(prompt.contains("Two processes share it."), "{perspective}");
        for word in [secret, "gemini", "codex", "claude"] {
            assert!(!prompt.to_lowercase().contains(&word.to_lowercase()), "{perspective}: {word}");
        }
        let turn = format!("\nturn: r1/{perspective}\n");
        let (head, _) = prompt.split_once(&turn).unwrap();
        heads.push(head.to_owned());
    }
    // The text before the turn's line and after the role's own skill is the same, so that a vendor can cache it.
    let stable = |head: &String| head[head.find("# The critique").unwrap()..].to_owned();
    let first = stable(&heads[0]);
    assert!(heads.iter().all(|head| stable(head) == first));
}

#[test]
fn without_a_context_coverage_is_skipped_and_leaves_the_quorum() {
    let sandbox = Sandbox::discussing();
    let document = sandbox.discussed(&[], 0);
    assert_eq!(document["quorum"], json!({"needed": 3, "answered": 4, "vendors": 3}));
    let skipped = seat(&document, "coverage");
    assert_eq!(skipped["status"], "skipped");
    assert!(skipped["failure"].is_string() || skipped["failure"].is_object(), "{skipped}");
    assert_eq!(warned(&document, ""), ["perspective_skipped"]);
    assert!(document["ratings"].get("coverage").is_none());
    // Requested by name, it is an error before any agent is asked.
    let calls = sandbox.calls().len();
    let run = sandbox.discuss(&["--perspectives", "product,coverage"]);
    run.exits(2);
    assert_eq!(sandbox.calls().len(), calls);
}

/// An invalid rating is asked for again, once, and then missing: never 3, never clamped, never in the mean.
#[test]
fn a_perspective_without_a_rating_is_missing_and_said_to_be() {
    for rating in [json!(0), json!(6), json!(4.5), json!("good"), json!(null)] {
        let spoiled = critique_with(4, json!({ "rating": rating }));
        let sandbox = Sandbox::discussing()
            .rates(&[("product", 5), ("technical", 4), ("risk", 4)])
            .critic("quality", &spoiled);
        let document = sandbox.discussed(&[], 0);
        assert_eq!(document["average_rating"], json!(4.33), "{rating}");
        assert_eq!(
            document["ratings"],
            json!({"product": 5, "technical": 4, "risk": 4}),
            "{rating}"
        );
        assert_eq!(seat(&document, "quality")["status"], "failed", "{rating}");
        assert_eq!(document["quorum"]["answered"], 3);
        let mut asked = sandbox.ledger();
        asked.retain(|call| call.ends_with("r1/quality"));
        // Once more; no other agent is asked for an opinion that was given but cannot be read.
        assert_eq!(asked, ["claude r1/quality"; 2], "{rating}");
    }
}
