//! One CLI is enough: what each job does with one vendor, and what its agreement is worth; who steps in for an agent
//! that fails.

use serde_json::{Value, json};

use crate::support::debates::TOPIC;
use crate::support::discusses::BRIEF;
use crate::support::plans::{TASK, three, two};
use crate::support::reviews::agreeing;
use crate::support::styles::{accepted, three as panel};
use crate::support::{Run, Sandbox};

/// Leaves one CLI on the PATH.
fn alone(sandbox: Sandbox, cli: &str) -> Sandbox {
    let others: Vec<&str> =
        ["claude", "codex", "gemini"].into_iter().filter(|each| *each != cli).collect();
    sandbox.without(&others)
}

/// The models that the calls of a turn asked for, in order; empty for a call without one.
fn models(sandbox: &Sandbox, turn: &str) -> Vec<String> {
    let model = |argv: String| {
        let mut args = argv.lines();
        args.find(|arg| ["--model", "-m"].contains(arg));
        args.next().unwrap_or_default().to_owned()
    };
    let calls = sandbox.calls().into_iter().filter(|call| call.turn == turn);
    calls.map(|call| model(call.read("argv"))).collect()
}

/// The agents of the seats that were asked.
fn agents(document: &Value) -> Vec<String> {
    let seats = document["seats"].as_array().unwrap().iter();
    seats.map(|seat| seat["agent"].as_str().unwrap().to_owned()).collect()
}

/// The first line of a stored result on a screen.
fn headline(sandbox: &Sandbox, document: &Value) -> String {
    let id = document["session_id"].as_str().unwrap();
    let shown: Run = sandbox.run(&["sessions", "show", id, "--full"]);
    shown.stdout.lines().next().unwrap_or_default().to_owned()
}

/// Asserts what is the same for all jobs.
#[track_caller]
fn is_of_one_vendor(sandbox: &Sandbox, document: &Value, begins: &str) {
    assert_eq!((&document["vendors"], &document["quorum"]["vendors"]), (&json!(1), &json!(1)));
    let line = headline(sandbox, document);
    assert!(line.starts_with(&format!("one vendor: {begins}")), "{line}");
    let warnings = document["warnings"].to_string();
    assert!(warnings.contains("npm install -g @openai/codex"), "{warnings}");
    for word in ["\"confirmed\"", "\"settled\"", "\"consensus\"", "\"accepted\"", "\"adopted\""] {
        for key in ["outcome", "verdict", "findings", "steps"] {
            let said = document[key].to_string();
            assert!(!said.contains(word), "{key}: {said}");
        }
    }
}

#[test]
fn a_grave_finding_that_two_seats_of_one_vendor_agree_on_is_not_confirmed() {
    let sandbox = alone(agreeing(), "claude");
    let document = sandbox.run(&["review", "--json"]).exits(1).json();
    is_of_one_vendor(&sandbox, &document, "CHANGES REQUESTED: ");
    assert_eq!(document["findings"][0]["severity"], "P0");
    assert_eq!(document["findings"][0]["status"], "agreed (one vendor)");
    assert_eq!(agents(&document), ["claude:opus", "claude:sonnet"]);
    assert_eq!(models(&sandbox, "r1/review/s1"), ["opus"]);
    assert_eq!(models(&sandbox, "r1/review/s2"), ["sonnet"]);
    assert_eq!(models(&sandbox, "r2/cross/s2"), ["sonnet"]);
}

#[test]
fn a_change_that_one_vendor_alone_finds_clean_is_not_approved() {
    let sandbox = alone(Sandbox::new().planted().finds("s1", &[]).finds("s2", &[]), "claude");
    let document = sandbox.run(&["review", "--json"]).exits(0).json();
    assert_eq!((&document["outcome"], &document["decided"]), (&json!("clean"), &json!(false)));
    is_of_one_vendor(&sandbox, &document, "CLEAN");
}

#[test]
fn a_plan_a_ranking_and_a_critique_are_agreed_by_one_vendor() {
    let plans = Sandbox::new()
        .plans("s1", &three(), 1)
        .plans("s2", &two(), 0)
        .weighs(1, "s1", &[("S1", "agree"), ("S2", "agree"), ("S3", "agree"), ("S4", "agree")])
        .weighs(1, "s2", &[("S1", "agree"), ("S2", "agree"), ("S3", "agree"), ("S4", "agree")]);
    let plans = alone(plans, "claude");
    let document = plans.run(&["plan", TASK, "--json"]).exits(1).json();
    assert_eq!(document["outcome"], "agreed (one vendor)");
    is_of_one_vendor(&plans, &document, "AGREED");
    assert_eq!(agents(&document), ["claude:opus", "claude:sonnet"]);
    assert_eq!(models(&plans, "r1/plan/s2"), ["sonnet"]);

    let ranks = alone(Sandbox::new(), "claude");
    ranks.six();
    let document = ranks.run(&["prioritize", "backlog.json", "--json"]).exits(1).json();
    assert_eq!(document["outcome"], "agreed (one vendor)");
    assert_eq!(document["verdict"], "agreed (one vendor)");
    assert_eq!(document["decided"], false);
    is_of_one_vendor(&ranks, &document, "AGREED after 1 of");
    assert_eq!(models(&ranks, "r1/champion"), ["opus"]);
    assert_eq!(models(&ranks, "r1/critic"), ["sonnet"]);
    assert_eq!(models(&ranks, "r1/moderator"), ["opus"]);

    let critique = alone(Sandbox::discussing(), "claude");
    let document = critique.run(&["discuss", BRIEF, "--json"]).exits(0).json();
    assert_eq!(document["outcome"], "agreed (one vendor)");
    is_of_one_vendor(&critique, &document, "AGREED (");
    assert_eq!(models(&critique, "r1/product"), ["opus"]);
    assert_eq!(models(&critique, "r1/technical"), ["sonnet"]);
}

#[test]
fn debates_of_all_styles_are_agreed_by_one_vendor_and_ruled_by_none() {
    let dialogue = || Sandbox::disputing().reviews(&[("A1", "agree"), ("A2", "agree")]);
    for (style, sandbox, turns) in [
        ("dialogue", dialogue(), ["r1/propose", "r1/review"]),
        ("argument", accepted(), ["r1/proposal", "r1/challenge"]),
        ("panel", panel(["Redis", "Redis", "Redis"]), ["r1/answer/s1", "r1/answer/s2"]),
    ] {
        let sandbox = alone(sandbox, "claude");
        let mut args = vec!["debate", TOPIC, "--style", style, "--json"];
        args.extend(if style == "argument" { &["--file", "notes.md"][..] } else { &[] });
        let document = sandbox.run(&args).exits(1).json();
        sandbox.fits(&document);
        assert_eq!(document["outcome"], "agreed (one vendor)", "{style}");
        is_of_one_vendor(&sandbox, &document, "AGREED: ");
        assert_eq!(models(&sandbox, turns[0]), ["opus"], "{style}");
        assert_eq!(models(&sandbox, turns[1]), ["sonnet"], "{style}");
        let ledger = sandbox.ledger().concat();
        assert!(!ledger.contains("judge") && !ledger.contains("expert"), "{ledger}");
    }
}

#[test]
fn any_other_cli_is_enough_and_models_can_be_configured() {
    for (cli, config, expected) in [
        ("gemini", "{}", [("gemini:pro", "pro"), ("gemini:flash", "flash")]),
        ("codex", "{}", [("codex", ""), ("codex#2", "")]),
        (
            "codex",
            r#"{"agents": {"codex": {"path": "codex", "models": ["m-1", "m-2"]}}}"#,
            [("codex:m-1", "m-1"), ("codex:m-2", "m-2")],
        ),
    ] {
        let sandbox = alone(agreeing().config(config), cli);
        let document = sandbox.run(&["review", "--json"]).exits(1).json();
        assert_eq!(document["vendors"], 1);
        let asked =
            ["s1", "s2"].map(|seat| models(&sandbox, &format!("r1/review/{seat}")).concat());
        assert_eq!(agents(&document), expected.map(|(agent, _)| agent));
        assert_eq!(asked, expected.map(|(_, model)| model), "{cli}");
    }
}

/// The models are those of the session, whatever the configuration says by then.
#[test]
fn a_resume_asks_the_same_models() {
    let sandbox = alone(agreeing(), "claude").fake("r1_review_s2.json", r#"{"error": "bad_key"}"#);
    let document = sandbox.run(&["review", "--json"]).json();
    let id = document["session_id"].as_str().unwrap();
    std::fs::remove_file(sandbox.home().join(".fake/scenario/r1_review_s2.json")).unwrap();
    let sandbox =
        sandbox.config(r#"{"agents": {"claude": {"path": "claude", "models": ["x", "y"]}}}"#);
    sandbox.run(&["sessions", "resume", id, "--accept-drift", "--json"]).exits(1);
    assert_eq!(models(&sandbox, "r1/review/s1"), ["opus"]);
    assert_eq!(models(&sandbox, "r1/review/s2"), ["sonnet"; 2]);
}

#[test]
fn who_fails_is_replaced_by_an_agent_without_a_seat() {
    let on = |sandbox: Sandbox| sandbox.env("DEBATE_AGENT_FALLBACK", "true");
    let dead = r#"{"error": "not_logged_in"}"#;
    // Default seats: codex and claude. A third vendor is here.
    let sandbox = on(agreeing().fake("codex.json", dead));
    let document = sandbox.run(&["review", "--json"]).exits(1).json();
    assert_eq!(document["vendors"], 2);
    assert_eq!(document["findings"][0]["status"], "confirmed");
    let seat = &document["seats"][0];
    assert_eq!((&seat["agent"], &seat["fell_back_to"]), (&json!("codex"), &json!("gemini")));
    assert!(document["warnings"].to_string().contains("gemini stepped in"));
    // Nobody else is here: the other seat does not speak twice, and a dead agent is no agreement.
    let sandbox = on(agreeing().fake("codex.json", dead)).without(&["gemini"]);
    let document = sandbox.run(&["review", "--json"]).json();
    assert_eq!(document["outcome"], "undecided");
    assert!(!sandbox.ledger().contains(&"claude r1/review/s1".to_owned()));
    // Nor does it cost more than the budget.
    let sandbox = on(agreeing().fake("codex.json", r#"{"error": "overloaded", "cost": 0.3}"#));
    let document = sandbox.run(&["review", "--budget", "0.31", "--json"]).json();
    let spent = document["cost"]["total_usd"].as_f64().unwrap();
    assert!(spent <= 0.31, "{spent}");
}

#[test]
fn doctor_and_init_say_what_a_second_vendor_would_add() {
    let sandbox = alone(Sandbox::new(), "claude");
    for run in [sandbox.run(&["doctor"]), sandbox.run(&["init"])] {
        let said = run.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(said.contains("an agent of a second vendor could confirm or refute it"), "{said}");
        assert!(said.contains("`npm install -g @openai/codex"), "{said}");
    }
    assert!(!Sandbox::new().run(&["doctor"]).stdout.contains("second vendor"));
}
