//! `debate --style panel`, end to end: the judge, missing seats, refusals.

use serde_json::{Value, json};

use crate::support::Sandbox;
use crate::support::styles::{DEAD, THREE, stubborn, three};

fn panel(sandbox: &Sandbox, more: &[&str], code: i32) -> Value {
    sandbox.debated("panel", more, code)
}

#[test]
fn where_no_vendor_is_left_the_one_with_the_fewest_votes_judges_and_that_is_said() {
    let five = ["Redis", "Files", "Memcached", "Nothing", "Both"];
    let sandbox =
        five.iter().enumerate().fold(Sandbox::new().panel(&five), |sandbox, (at, own)| {
            let seat = at + 1;
            sandbox.casts(&format!("r2/vote/s{seat}"), own, None, &[]).casts(
                &format!("r3/cross/s{seat}"),
                own,
                None,
                &[],
            )
        });
    let sandbox = sandbox.rules_twice(4, &five, ["Both", "Both"]);
    let seats = ["--agents", "gemini,claude,claude,codex,codex"];
    let document = panel(&sandbox, &seats, 0);
    assert_eq!(document["outcome"], "judged");
    assert_eq!(document["decision"]["text"], "Both");
    assert_eq!(document["expert"]["agent"], "gemini");
    assert_eq!(document["expert"]["of_a_participant"], true);
    let ledger = sandbox.ledger();
    for turn in ["own", "first", "second"] {
        assert!(ledger.contains(&format!("gemini r4/judge/{turn}")), "{ledger:?}");
    }
    let said = document["warnings"].to_string();
    assert!(said.contains("judge"), "{said}");
}

#[test]
fn a_dead_seat_agrees_with_nobody() {
    let seats = ["--agents", "claude,codex,gemini,claude", "--set", "topic.expert=none"];
    let four = ["Redis", "Files", "Memcached", "Nothing"];
    let voting = |votes: [&str; 3]| {
        let sandbox = Sandbox::new().panel(&four);
        let sandbox = (votes.iter().enumerate()).fold(sandbox, |sandbox, (at, to)| {
            sandbox.casts(&format!("r2/vote/s{}", at + 1), to, None, &[]).casts(
                &format!("r3/cross/s{}", at + 1),
                to,
                None,
                &[],
            )
        });
        ["r1_answer_s4", "r2_vote_s4", "r3_cross_s4"]
            .iter()
            .fold(sandbox, |sandbox, turn| sandbox.fake(&format!("{turn}.json"), DEAD))
    };
    // All voters agree; the share counts all seats.
    let sandbox = voting(["Redis", "Redis", "Redis"]);
    let document = panel(&sandbox, &seats, 0);
    // Also where the end of the run is all that is read.
    let end = sandbox.run(&["sessions", "watch", "@last"]);
    end.exits(0).prints("s4: claude (anthropic), FAILED");
    assert_eq!(document["outcome"], "settled");
    assert_eq!(document["consensus"], 0.75);
    assert_eq!(document["seats"][3]["status"], "failed");
    assert_eq!(document["quorum"], json!({"needed": 3, "answered": 3, "vendors": 3}));
    // Two of four are not a majority, though they are two of the three that voted.
    let document = panel(&voting(["Redis", "Redis", "Files"]), &seats, 1);
    assert_eq!(document["outcome"], "split");
    assert_eq!(document["decision"], Value::Null);
    assert_eq!(document["last_votes"].as_array().map(Vec::len), Some(3));
}

#[test]
fn without_a_quorum_nothing_is_decided_and_a_resume_shows_the_same_to_who_is_asked_again() {
    // One vendor alone: two seats of claude answer, codex does not.
    let sandbox = three(["Redis", "Redis", "Redis"]).fake("r1_answer_s3.json", DEAD);
    let document = panel(&sandbox, &["--agents", "claude,claude,codex"], 4);
    assert_eq!(document["outcome"], "failed");

    let sandbox = three(["Redis", "Redis", "Redis"])
        .fake("r2_vote_s2.json", DEAD)
        .fake("r2_vote_s3.json", DEAD);
    let document = panel(&sandbox, &[], 4);
    assert_eq!(document["outcome"], "failed");
    assert_eq!(document["decision"], Value::Null);
    sandbox.mend("r2_vote_s2.json");
    sandbox.mend("r2_vote_s3.json");
    let resumed = sandbox.resumed(&document, &[], 0);
    assert_eq!(resumed["outcome"], "settled");
    assert_eq!(sandbox.prompts("r2/vote/s1").len(), 1, "answered before");
    for turn in ["r2/vote/s2", "r2/vote/s3"] {
        let prompts = sandbox.prompts(turn);
        assert_eq!(prompts.len(), 2, "{turn}");
        assert_eq!(prompts[0], prompts[1], "{turn}: the seed is the session's");
    }
}

/// A substitute counts for its own vendor: no fallback turns one vendor into two, or hides that it stepped in.
#[test]
fn who_steps_in_counts_for_its_own_vendor() {
    let config = r#"{"agents": {"codex": {"path": "codex", "fallback": ["twin"]}, "twin": {"path": "claude", "profile": "claude"}}}"#;
    let seats = ["--agents", "claude,codex,claude", "--set", "topic.expert=none"];
    let sandbox = Sandbox::new().panel(&THREE).ballots(["Redis"; 3], ["Redis"; 3]);
    let sandbox = sandbox.config(config).fake("codex.json", DEAD);
    let document = panel(&sandbox, &seats, 4);
    assert_eq!(document["outcome"], "failed");
    assert_eq!(document["verdict"], "undecided");
    assert_eq!(document["decision"], Value::Null);
    assert_eq!(document["quorum"]["vendors"], 1);
    // With gemini instead there are two vendors, and the seat names the agent that spoke.
    let config = config.replace(r#"["twin"]"#, r#"["gemini"]"#);
    let sandbox = Sandbox::new().panel(&THREE).ballots(["Redis"; 3], ["Redis"; 3]);
    let sandbox = sandbox.config(&config).fake("codex.json", DEAD);
    let document = panel(&sandbox, &seats, 0);
    assert_eq!(document["outcome"], "settled");
    assert_eq!(document["quorum"]["vendors"], 2);
    assert_eq!(document["seats"][1]["status"], "fell_back");
    assert_eq!(document["seats"][1]["fell_back_to"], "gemini");
    assert_eq!(document["last_votes"][1]["vendor"], "google");
}

#[test]
fn the_judge_is_who_was_named_and_nobody_on_the_panel() {
    let sandbox = stubborn().rules_twice(4, &THREE, ["Redis", "Redis"]);
    let seats = ["--agents", "claude,codex,claude", "--set"];
    let document = panel(&sandbox, &[&seats[..], &["topic.expert=gemini"]].concat(), 0);
    assert_eq!(document["outcome"], "judged");
    assert_eq!(document["expert"]["agent"], "gemini");
}
