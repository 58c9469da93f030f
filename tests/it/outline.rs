//! `outline`: a debate laid out, with no agent installed and none asked; with `--run`, run as a panel.

use serde_json::json;

use crate::support::Sandbox;

#[test]
fn a_debate_is_laid_out_without_any_agent() {
    let sandbox = Sandbox::new();
    // No program on PATH can be an agent.
    let sandbox = sandbox.env("PATH", "/nonexistent");
    let run = sandbox.run(&["outline", "REST or gRPC?", "--json"]);
    let outline = run.exits(0).json();
    assert_eq!(outline["topic"], "REST or gRPC?");
    assert_eq!(outline["mode"], "adversarial");
    assert_eq!(outline["rounds"], 2);
    assert_eq!(outline["agents"], serde_json::json!(["codex", "claude"]));
    let phases = outline["phases"].as_array().unwrap();
    assert_eq!(phases.len(), 4);
    let action = |phase: usize, who: &str| phases[phase]["agent_actions"][who].as_str().unwrap();
    assert!(action(1, "codex").contains("Challenge claude"));
    assert!(action(1, "claude").contains("Challenge codex"));
    assert!(!action(3, "judge").is_empty());
    assert_eq!(outline["scoring_criteria"]["false_positive"], -10);
    let id = outline["plan_id"].as_str().unwrap();
    assert_eq!(id.len(), 36, "{id}");
    let again = sandbox.run(&["outline", "REST or gRPC?", "--json"]).json();
    assert_ne!(again["plan_id"], outline["plan_id"]);
    assert!(sandbox.calls().is_empty() && sandbox.sessions().is_empty());
}

#[test]
fn mode_rounds_and_agents_are_chosen_and_read_well() {
    let sandbox = Sandbox::new();
    let args = [
        "outline",
        "One repository or many?",
        "--mode",
        "consensus",
        "--max-rounds",
        "1",
        "--agents",
        "gemini,claude",
    ];
    let run = sandbox.run(&args);
    run.exits(0);
    run.prints("consensus, 1 round, gemini, claude");
    run.prints("2. Common ground 1 of 1");
    run.prints("Nobody was asked.");
    sandbox.write(
        "debate-agent.config.json",
        r#"{"debate": {"default_mode": "collaborative", "default_agents": ["claude", "gemini"]}}"#,
    );
    let outline = sandbox.run(&["outline", "X?", "--json"]).exits(0).json();
    assert_eq!(outline["mode"], "collaborative");
    assert_eq!(outline["agents"], serde_json::json!(["claude", "gemini"]));
}

#[test]
fn what_is_no_debate_is_a_usage_error() {
    let sandbox = Sandbox::new();
    for (args, says) in [
        (&["outline", "X?", "--agents", "claude"][..], "2 to 20 agents, not 1"),
        (&["outline", "X?", "--agents", "claude,claude"], "`claude` is named twice"),
        (&["outline", "X?", "--agents", "claude,kodex"], "did you mean `codex`?"),
        (&["outline", " "], "the topic is empty"),
        (&["outline", "X?", "--max-rounds", "6"], "6 is not in 1..=5"),
        (&["outline", "X?", "--mode", "loud"], "loud"),
        (&["outline"], "TOPIC"),
    ] {
        sandbox.run(args).exits(2).says(says);
    }
}

/// The panel matches the outline: topic, mode, agents in their seats, a cross round for each round.
#[test]
fn what_is_laid_out_can_be_held_as_a_panel() {
    let sandbox = Sandbox::new();
    let args = [
        "outline",
        "Which queue?",
        "--mode",
        "consensus",
        "--max-rounds",
        "1",
        "--agents",
        "gemini,claude,codex",
        "--run",
        "--rehearse",
        "--json",
    ];
    let held = sandbox.run(&args).exits(0).json();
    assert_eq!(held["protocol"], "debate");
    assert_eq!((&held["style"], &held["mode"]), (&json!("panel"), &json!("consensus")));
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
    for option in ["--rehearse", "--dry-run", "--budget=1", "--strict", "--exit-zero"] {
        let run = sandbox.run(&["outline", "X?", option]);
        run.exits(2).says("add `--run`");
    }
    sandbox
        .run(&["outline", "X?", "--run", "--rehearse", "--agents", "claude"])
        .exits(2)
        .says("2 to 20 agents, not 1");
    assert!(sandbox.sessions().is_empty());
}
