//! The treatment of each kind of answer: seat, rating, verdict, warnings, number of calls.
//!
//! Four perspectives are asked, and three of them rate 4 and raise nothing. So a seat that fails leaves three of four
//! and "reached, none", and an invented rating would show in the mean.

use serde_json::json;

use crate::support::Sandbox;
use crate::support::discusses::{critique, critique_with, seat};
use crate::support::replies::block;

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
