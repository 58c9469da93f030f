//! Sinks that are cut off: before, during and after every call.

use std::fs;

use serde_json::{Value, json};

use crate::sinks::{DEBATE, assert_once, bigquery, gcs, github, rag};
use crate::support::Sandbox;

/// Cuts off every call of a sink in every way, and then sends the rest.
fn cut_off_everywhere(sinks: &Value) {
    let sandbox = Sandbox::agreeing().sinks(sinks);
    sandbox.fail_always(&["gh", "bq", "gcloud"]);
    sandbox.run(&DEBATE).exits(0);
    let clean = sandbox.sinks_state();
    let session = sandbox.sessions()[0].clone();
    let owed = session.join("sinks.json");
    let before = fs::read(&owed).unwrap();
    let start = |plan: &[(usize, &str)]| {
        sandbox.set_sinks_state(&clean);
        fs::write(&owed, &before).unwrap();
        sandbox.misbehave(plan);
    };
    start(&[]);
    sandbox.run(&["sessions", "sync"]).exits(0);
    assert_once(&sandbox, sinks);
    let calls = sandbox.sink_calls();
    assert!(!calls.is_empty(), "there is something to cut off");
    for (index, call) in calls.iter().enumerate() {
        let reads = call.contains("--method GET") || call.contains("graphql");
        let ways: &[&str] =
            if reads { &["during"] } else { &["before", "during", "after", "die", "half"] };
        for how in ways {
            start(&[(index + 1, how)]);
            let cut = sandbox.run(&["sessions", "sync"]);
            let killed = ["before", "during", "after"].contains(how);
            assert_eq!(cut.code == -9, killed, "{how} {call}: {} {}", cut.code, cut.stderr);
            let last = sandbox.run(&["sessions", "sync"]);
            assert_eq!(last.code, 0, "{how} {call}: {}", last.stdout);
            assert_once(&sandbox, sinks);
        }
    }
}

#[test]
fn whatever_is_cut_off_github_has_all_of_it_once() {
    cut_off_everywhere(&json!({"board": github()}));
}

#[test]
fn whatever_is_cut_off_bigquery_has_all_of_it_once() {
    cut_off_everywhere(&json!({"warehouse": bigquery()}));
}

#[test]
fn whatever_is_cut_off_buckets_have_all_of_it_once() {
    cut_off_everywhere(&json!({"bucket": gcs()}));
    cut_off_everywhere(&json!({"rag": rag()}));
}

#[test]
fn a_run_that_is_killed_before_it_sends_leaves_word_of_what_is_owed() {
    let sinks = json!({"board": github()});
    let sandbox = Sandbox::agreeing().sinks(&sinks);
    sandbox.misbehave(&[(1, "before")]);
    sandbox.run(&DEBATE).exits(-9);
    assert!(sandbox.comments().is_empty());
    sandbox.run(&["sessions", "sync"]).exits(0);
    assert_once(&sandbox, &sinks);
}
