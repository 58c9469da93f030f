//! An answer that cannot be read is asked for once more, with the whole question.

use serde_json::json;

use crate::support::replies::block;
use crate::support::reviews::{agreeing, past_end};

/// The line by which a prompt names the changed file.
const CHANGE: &str = "+++ b/src/store.py";

/// A refusal, and an answer that is one bracket short.
#[test]
fn a_repair_holds_the_question_and_the_fault() {
    let body = json!({"findings": [past_end()], "residual_risks": [], "open_questions": []});
    let body = body.to_string();
    for (reply, says) in [
        ("I cannot review this.\n".to_owned(), "missing_block in REVIEW"),
        (block("REVIEW", &body[..body.len() - 1]), "bad_json in REVIEW"),
    ] {
        let sandbox = agreeing().fake("r1_review_s2.1.txt", &reply);
        let sandbox = sandbox.fake("r1_review_s2.txt", &block("REVIEW", &body));
        let document = sandbox.run(&["review", "--json"]).json();
        let prompts = sandbox.prompts("r1/review/s2");
        assert_eq!(prompts.len(), 2, "{document}");
        assert!(prompts[1].contains(CHANGE) && prompts[1].contains(says), "{}", prompts[1]);
        let found = document["findings"].to_string() + &document["eliminated"].to_string();
        assert!(found.contains("The index is past the end"), "{document}");
        // Showing or resuming the session does not ask again.
        let id = document["session_id"].as_str().unwrap();
        sandbox.run(&["resume", id, "--json"]);
        assert_eq!(sandbox.prompts("r1/review/s2").len(), 2);
    }
}
