//! An answer with a fault in its form alone goes back to its author without the question, and its content may not
//! change.

use serde_json::json;

use crate::support::replies::block;
use crate::support::reviews::{agreeing, past_end};

/// A review with a finding, whole and one bracket short.
fn reviews() -> (String, String) {
    let body = json!({"findings": [past_end()], "residual_risks": [], "open_questions": []});
    let body = body.to_string();
    (block("REVIEW", &body), block("REVIEW", &body[..body.len() - 1]))
}

/// The line by which a prompt names the changed file.
const CHANGE: &str = "+++ b/src/store.py";

#[test]
fn a_repair_of_the_form_holds_the_answer_and_not_the_change() {
    let (whole, short) = reviews();
    let sandbox = agreeing().fake("r1_review_s2.1.txt", &short).fake("r1_review_s2.txt", &whole);
    let document = sandbox.run(&["review", "--json"]).json();
    let prompts = sandbox.prompts("r1/review/s2");
    assert_eq!(prompts.len(), 2, "{document}");
    let (question, repair) = (&prompts[0], &prompts[1]);
    assert!(question.contains(CHANGE) && !repair.contains(CHANGE), "{repair}");
    for part in ["bad_json in REVIEW", "The index is past the end", "<<<REVIEW_START>>>"] {
        assert!(repair.contains(part), "{part} in {repair}");
    }
    assert!(repair.len() * 2 < question.len(), "{} of {} bytes", repair.len(), question.len());
    let found = document["findings"].to_string() + &document["eliminated"].to_string();
    assert!(found.contains("The index is past the end"), "{document}");
}

#[test]
fn a_repair_that_says_something_else_is_no_answer() {
    let (whole, short) = reviews();
    let milder = whole.replace("\"P1\"", "\"P2\"");
    let sandbox = agreeing()
        .fake("r1_review_s2.1.txt", &short)
        .fake("r1_review_s2.2.txt", &milder)
        .fake("r1_review_s2.txt", &whole);
    let document = sandbox.run(&["review", "--json"]).json();
    let prompts = sandbox.prompts("r1/review/s2");
    assert_eq!(prompts.len(), 3, "{document}");
    assert!(!prompts[1].contains(CHANGE) && prompts[2].contains(CHANGE));
    let warnings = document["warnings"].to_string();
    assert!(warnings.contains("a different value of `severity` in REVIEW"), "{warnings}");
    // Showing or resuming the session does not ask again.
    let id = document["session_id"].as_str().unwrap();
    sandbox.run(&["resume", id, "--json"]);
    assert_eq!(sandbox.prompts("r1/review/s2").len(), 3);
}

#[test]
fn a_refusal_is_asked_the_whole_question_again() {
    let sandbox = agreeing().fake("r1_review_s2.1.txt", "I cannot review this.\n");
    sandbox.run(&["review", "--json"]).json();
    let prompts = sandbox.prompts("r1/review/s2");
    assert_eq!(prompts.len(), 2);
    assert!(prompts[1].contains(CHANGE), "{}", prompts[1]);
}
