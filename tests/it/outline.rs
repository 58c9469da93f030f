//! `outline`: a debate laid out, with no agent installed and none asked; with `--run`, run as a panel.

use serde_json::json;

use crate::support::Sandbox;

/// The panel matches the outline: topic, mode, agents in their seats, a cross round for each round.
#[test]
fn what_is_laid_out_can_be_held_as_a_panel() {
    let sandbox = Sandbox::new();
    let args = [
        "outline",
        "Which queue?",
        "--set",
        "debate.default_mode=consensus",
        "--max-rounds",
        "1",
        "--agents",
        "gemini,claude,codex",
        "--run",
        "--rehearse",
        "--json",
    ];
    let held = sandbox.run(&args).exits(0).json();
    assert_eq!((&held["protocol"], &held["mode"]), (&json!("panel"), &json!("consensus")));
    assert_eq!((&held["topic"], &held["rehearsal"]), (&json!("Which queue?"), &json!(true)));
    assert_eq!((&held["outcome"], &held["verdict"]), (&json!("settled"), &json!("consensus")));
    // Answers, the first vote, one cross round; the first vote is listed next to the last.
    assert_eq!(held["rounds"].as_array().map(Vec::len), Some(3));
    assert_eq!(held["first_votes"].as_array().map(Vec::len), Some(3));
    assert_ne!(held["first_votes"], held["last_votes"]);
    assert_eq!(held["dissent"].as_array().map(Vec::len), Some(1));
    assert!(held["decision"]["text"].as_str().unwrap().contains("Which queue?"));
    assert_eq!(sandbox.sessions().len(), 1);
    assert!(sandbox.calls().is_empty(), "a rehearsal calls nobody");
    // The agents sit in the order in which they were named.
    let mut real = args.to_vec();
    real.retain(|arg| *arg != "--rehearse");
    real.push("--dry-run");
    let plan = sandbox.run(&real).exits(0).json();
    let calls = plan["calls"].as_array().unwrap().iter();
    let agents: Vec<(&str, &str)> = calls
        .map(|call| (call["turn"].as_str().unwrap(), call["agent"].as_str().unwrap()))
        .collect();
    let seats = [("r1/answer/s1", "gemini"), ("r1/answer/s2", "claude"), ("r1/answer/s3", "codex")];
    assert_eq!(agents, seats);
}

#[test]
fn two_agents_are_a_panel_of_three_and_people_are_told_so() {
    let sandbox = Sandbox::new();
    let run =
        sandbox.run(&["outline", "X or Y?", "--agents", "claude,codex", "--run", "--rehearse"]);
    run.exits(0);
    run.prints("SETTLED");
    run.prints("two seats");
    // Shown, not run.
    let run = sandbox.run(&[
        "outline",
        "X or Y?",
        "--agents",
        "claude,codex",
        "--run",
        "--rehearse",
        "--dry-run",
    ]);
    run.exits(0);
    run.prints("r1/answer/s3");
    assert_eq!(sandbox.sessions().len(), 1);
}

#[test]
fn what_is_for_a_held_debate_is_refused_without_run() {
    let sandbox = Sandbox::new();
    for option in ["--rehearse", "--dry-run", "--budget=1"] {
        let run = sandbox.run(&["outline", "X?", option]);
        run.exits(2).says("add `--run`");
    }
    sandbox
        .run(&["outline", "X?", "--run", "--rehearse", "--agents", "claude"])
        .exits(2)
        .says("2 to 20 agents, not 1");
    assert!(sandbox.sessions().is_empty());
}
