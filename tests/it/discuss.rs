//! `discuss` end to end: the agents asked, the ladder's decision on their answers, missing perspectives, the files
//! kept.

use std::fs;

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::support::Sandbox;
use crate::support::discusses::{
    BRIEF, CONTEXT, FIVE, FOUR, critique, critique_with, divergences, seat,
};
use crate::support::live::until;
use crate::support::replies::warned;

const WITH: [&str; 2] = ["--context", CONTEXT];

#[test]
fn five_perspectives_that_raise_nothing_are_an_agreement() {
    let sandbox = Sandbox::discussing();
    let document = sandbox.discussed(&[&WITH[..], &["--round-id", "R-7"]].concat(), 0);
    for (field, wanted) in [
        ("outcome", json!("consensus_reached")),
        ("verdict", json!("consensus_reached")),
        ("severity", json!("none")),
        ("recommendation", json!("proceed")),
        ("average_rating", json!(4.0)),
        ("round_id", json!("R-7")),
        ("artifact", json!(BRIEF)),
        ("divergences", json!([])),
        ("action_items", json!([])),
        ("rounds_used", json!(1)),
        ("quorum", json!({"needed": 3, "answered": 5, "vendors": 3})),
    ] {
        assert_eq!(document[field], wanted, "{field}");
    }
    assert!(document.get("message").is_none(), "nobody is to act");
    assert_eq!(
        sandbox.turns(),
        ["r1/coverage", "r1/product", "r1/quality", "r1/risk", "r1/technical"]
    );
    // The spec's defaults: gemini has three of the five.
    let mut asked = sandbox.ledger();
    asked.sort();
    assert_eq!(
        asked,
        [
            "claude r1/quality",
            "codex r1/technical",
            "gemini r1/coverage",
            "gemini r1/product",
            "gemini r1/risk"
        ]
    );
    let record = document["record_path"].as_str().unwrap();
    assert!(record.ends_with(".debate/discuss/discussions/R-7-discussion.md"), "{record}");
    let page = fs::read_to_string(record).unwrap();
    assert!(page.starts_with("# ") && page.lines().next().unwrap().contains("R-7"), "{page}");
    let beside = fs::read_to_string(record.replace(".md", ".json")).unwrap();
    assert_eq!(serde_json::from_str::<Value>(&beside).unwrap(), document);
}

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

/// The answers; the resulting severity, recommendation, exit code and kinds of divergences.
type Case<'a> = (&'a [(&'a str, &'a Value)], &'a str, &'a str, i32, &'a [&'a str]);

/// The rungs of the ladder by their conditions, with the caller's next step: worked out by hand from
/// `docs/discuss.md`.
#[test]
fn the_ladder_decides_and_the_exit_code_follows_it() {
    let gap = critique_with(4, json!({"missing_requirements": ["Two processes share it."]}));
    let risk =
        |level: &str| critique_with(4, json!({"risk_level": level, "risks": ["It may be lost."]}));
    let low = critique(2);
    let noted = critique_with(5, json!({"suggestions": ["Name an owner."]}));
    let cases: [Case<'_>; 7] = [
        (&[("coverage", &gap)], "high", "revise", 1, &["coverage_gap"]),
        (&[("risk", &risk("critical"))], "high", "revise", 1, &["high_risk"]),
        (
            &[("product", &low), ("quality", &low)],
            "high",
            "revise",
            1,
            &["low_rating", "low_rating"],
        ),
        (&[("risk", &risk("high"))], "medium", "proceed-with-caution", 1, &["high_risk"]),
        (&[("technical", &low)], "medium", "proceed-with-caution", 1, &["low_rating"]),
        (&[("quality", &noted)], "low", "proceed", 0, &[]),
        (&[], "none", "proceed", 0, &[]),
    ];
    for (said, severity, recommendation, code, kinds) in cases {
        let sandbox = (said.iter())
            .fold(Sandbox::discussing(), |sandbox, (perspective, critique)| {
                sandbox.critic(perspective, critique)
            });
        let document = sandbox.discussed(&WITH, code);
        assert_eq!(document["severity"], severity);
        assert_eq!(document["recommendation"], recommendation, "{severity}");
        let verdict = if code == 1 { "consensus_blocked" } else { "consensus_reached" };
        assert_eq!(document["verdict"], verdict, "{severity}");
        let found = divergences(&document);
        // One entry may name both perspectives with such a low rating, or there may be one for each.
        let mut distinct = found.clone();
        distinct.dedup();
        let mut wanted = kinds.to_vec();
        wanted.dedup();
        assert_eq!(distinct, wanted, "{severity}: {found:?}");
        assert_eq!(document.get("message").is_some(), code == 1, "{severity}");
    }
}

#[test]
fn fail_on_moves_the_line_and_nothing_else() {
    let noted = critique_with(5, json!({"suggestions": ["Name an owner."]}));
    for (critique, fail_on, code) in [
        (&critique(2), "high", 0),
        (&critique(2), "medium", 1),
        (&critique(2), "low", 1),
        (&noted, "medium", 0),
        (&noted, "low", 1),
        (&critique(4), "low", 0),
    ] {
        let sandbox = Sandbox::discussing().critic("quality", critique);
        let document = sandbox.discussed(&[&WITH[..], &["--fail-on", fail_on]].concat(), code);
        let blocked = critique["rating"] == 2;
        let verdict = if blocked { "consensus_blocked" } else { "consensus_reached" };
        assert_eq!(document["verdict"], verdict, "{fail_on}");
    }
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

#[test]
fn half_of_the_perspectives_decide_nothing_whatever_they_say() {
    let sandbox = Sandbox::discussing()
        .rates(&[("product", 5), ("technical", 5)])
        .babbles("quality", "It is fine.")
        .babbles("risk", "It is fine.");
    let document = sandbox.discussed(&[], 4);
    assert_eq!(document["verdict"], "undecided");
    for field in ["severity", "recommendation"] {
        assert_eq!(document[field], Value::Null, "{field}");
    }
    // A resume asks the failed ones again, and then decides.
    sandbox.heal();
    let id = document["session_id"].as_str().unwrap();
    let resumed = sandbox.run(&["sessions", "resume", id, "--json"]).exits(0).json();
    assert_eq!(resumed["verdict"], "consensus_reached");
    assert_eq!(resumed["ratings"], json!({"product": 5, "technical": 5, "quality": 4, "risk": 4}));
}

#[test]
fn who_answers_for_another_is_named() {
    let sandbox = Sandbox::discussing().fails_at("codex", "technical", "not_logged_in");
    let document = sandbox.discussed(&[], 0);
    let technical = seat(&document, "technical");
    assert_eq!((&technical["status"], &technical["agent"]), (&json!("fell_back"), &json!("codex")));
    let by = technical["fell_back_to"].as_str().unwrap();
    assert!(["claude", "gemini"].contains(&by), "{technical}");
    let voice = &document["perspectives"][1];
    assert_eq!((&voice["perspective"], &voice["agent"]), (&json!("technical"), &json!(by)));
    assert_eq!(voice["instead_of"], "codex");
}

#[test]
fn one_vendor_behind_every_perspective_is_said() {
    let sandbox =
        Sandbox::discussing().breaks("codex", "not_logged_in").breaks("claude", "not_logged_in");
    let document = sandbox.discussed(&[], 0);
    assert_eq!(document["quorum"], json!({"needed": 3, "answered": 4, "vendors": 1}));
    assert!(warned(&document, "").contains(&"one_vendor".to_owned()), "{}", document["warnings"]);
    let page = fs::read_to_string(document["record_path"].as_str().unwrap()).unwrap();
    assert!(page.contains("**WARNING:** all 4 perspectives that answered used google"), "{page}");
}

#[test]
fn when_nobody_answers_there_is_a_basic_record_and_no_agreement() {
    let sandbox = (FOUR.iter()).fold(Sandbox::discussing(), |sandbox, perspective| {
        sandbox.fails(perspective, "not_logged_in")
    });
    let document = sandbox.discussed(&[], 4);
    assert_eq!(document["verdict"], "undecided");
    assert_eq!(document["average_rating"], Value::Null);
    let outline = &document["basics"]["outline"];
    assert_eq!(outline.as_array().unwrap().len(), 3, "{outline}");
    assert_eq!(document["basics"]["markers"], json!([{"line": 9, "text": "TBD"}]));
    for perspective in FOUR {
        let seat = seat(&document, perspective);
        assert_eq!(seat["status"], "failed", "{seat}");
        assert!(!seat["failure"].is_null(), "with the error that it had: {seat}");
    }
    let page = fs::read_to_string(document["record_path"].as_str().unwrap()).unwrap();
    assert!(page.contains("No perspective answered") && !page.contains("reached"), "{page}");
}

/// Three of four have answered, and would decide; but a stop was requested.
#[test]
fn what_is_stopped_is_not_decided_and_goes_on_later() {
    let sandbox = Sandbox::discussing().hangs("risk");
    let live = sandbox.start(&["discuss", BRIEF, "--json"]);
    // In the journal, not in the ledger: a fake that has ended may not have been read yet.
    until("three answers are journaled and one agent hangs", || {
        sandbox.calls().len() == 4 && sandbox.results() == 3
    });
    live.send(Signal::INT);
    let run = live.finish();
    let document = run.exits(130).json();
    assert_eq!(
        (&document["outcome"], &document["verdict"]),
        (&json!("interrupted"), &json!("undecided"))
    );
    assert_eq!(document["severity"], Value::Null);
    sandbox.nothing_lives();
    sandbox.heal();
    let id = document["session_id"].as_str().unwrap();
    let resumed = sandbox.run(&["sessions", "resume", id, "--json"]).exits(0).json();
    assert_eq!(resumed["verdict"], "consensus_reached");
    assert_eq!(sandbox.prompts("r1/risk").len(), 2, "the others are not asked again");
    assert_eq!(sandbox.calls().len(), 5);
}

#[test]
fn an_artifact_goes_back_once_then_a_person_decides() {
    let sandbox = Sandbox::discussing().rates(&[("product", 1), ("quality", 2)]);
    let apply = ["--apply-policy", "--round-id", "DRAFT-001"];
    let first = sandbox.discussed(&apply, 1);
    assert_eq!(first["recommendation"], "revise");
    assert_eq!(first["follow_up"]["action"], "revision_task");
    assert_eq!(first["follow_up"]["task"], "DRAFT-001-R1");
    assert_eq!(first["follow_up"]["recorded"], true);
    let second = sandbox.discussed(&apply, 1);
    assert_eq!(second["recommendation"], "escalate");
    assert_eq!(second["follow_up"]["action"], "escalate");
    assert_eq!(second["follow_up"]["stops"], true);
    let lines = sandbox.policy(".debate/discuss");
    let actions: Vec<&Value> = lines.iter().map(|line| &line["action"]).collect();
    assert_eq!(actions, ["revision_task", "escalate"]);
    assert_eq!(lines[0]["artifact"], BRIEF);
    assert_eq!(lines[0]["session_id"], first["session_id"]);
    // Requesting a closed session again writes nothing.
    let id = second["session_id"].as_str().unwrap();
    sandbox.run(&["sessions", "resume", id, "--json"]).exits(1);
    assert_eq!(sandbox.policy(".debate/discuss"), lines);
    // Without the flag, nothing follows.
    let other = Sandbox::discussing().rates(&[("product", 1), ("quality", 2)]);
    assert!(other.discussed(&[], 1).get("follow_up").is_none());
    assert!(other.policy(".debate/discuss").is_empty());
}

#[test]
fn a_warning_is_kept_for_who_works_on_it_next() {
    let sandbox = Sandbox::discussing().rates(&[("risk", 2)]);
    let args = ["--apply-policy", "--folder", "work", "--fail-on", "high"];
    let document = sandbox.discussed(&args, 0);
    assert_eq!(document["follow_up"]["action"], "warning");
    let page = fs::read_to_string(sandbox.project().join("work/wisdom/issues.md")).unwrap();
    let id = document["session_id"].as_str().unwrap();
    assert!(page.ends_with(&format!("\nSession: `{id}`\n")), "{page}");
    assert!(page.contains("low\\_rating (medium), risk"), "{page}");
    let record = document["record_path"].as_str().unwrap();
    assert!(record.contains("/work/discussions/"), "{record}");
    // A rehearsal of the same critique changes nothing.
    sandbox.discuss(&[&args[..], &["--rehearse"]].concat());
    assert_eq!(fs::read_to_string(sandbox.project().join("work/wisdom/issues.md")).unwrap(), page);
}
