//! The options of commands that call agents, each tested by its effect.

use std::fs;

use crate::support::Sandbox;

fn six() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.six();
    sandbox
}

#[test]
fn a_single_call_has_no_options_of_debates() {
    let sandbox = Sandbox::new();
    for option in ["--seat", "--max-rounds"] {
        sandbox.run(&["run", "claude", "hello", option]).exits(2);
    }
    assert!(sandbox.calls().is_empty());
}

#[test]
fn a_file_that_is_named_counts() {
    let sandbox = six();
    sandbox.write("mine.json", r#"{"backlog": {"max_rounds": 2}}"#);
    let project = sandbox.project();
    let mut command =
        sandbox.command(&["prioritize", "backlog.json", "--rehearse", "--events", "events.jsonl"]);
    Sandbox::finish(command.output().unwrap()).exits(0);
    assert!(project.join(".debate").is_dir() && project.join("events.jsonl").is_file());
    let shown = sandbox.run(&["--config", "mine.json", "config", "show"]).exits(0).stdout.clone();
    assert!(shown.contains("backlog.max_rounds = 2"), "{shown}");
}

#[test]
fn a_time_limit_is_over_every_configured_one() {
    let sandbox = six().slow("30");
    sandbox.write(
        "debate-agent.config.json",
        r#"{"agents": {"claude": {"timeout_seconds": 170}}, "roles": {"backlog-champion": {"timeout_seconds": 160}}}"#,
    );
    let document =
        sandbox.run(&["prioritize", "backlog.json", "--timeout", "1", "--json"]).exits(4).json();
    let failure = document["seats"][0]["failure"].as_str().unwrap();
    assert!(failure.contains("timed_out"), "{failure}");
    assert_eq!(sandbox.calls().len(), 1, "time-outs are not retried");
    let run = sandbox.run(&["run", "claude", "hello", "--timeout", "1"]);
    run.exits(4).says("time limit");
    // The name of the limit, and the setting that raises it.
    for said in [failure, &run.stderr] {
        assert!(said.contains(" 1 s ") && said.contains("agents.claude.timeout_seconds"), "{said}");
    }
}

/// D8: the limit and the setting that raises it are named, in the same words on the screen and in the document.
#[test]
fn a_time_limit_that_was_reached_is_named_with_what_raises_it() {
    let sandbox = six().slow("3").config(r#"{"agents": {"claude": {"timeout_seconds": 1}}}"#);
    let document = sandbox.run(&["prioritize", "backlog.json", "--json"]).exits(4).json();
    let failure = document["seats"][0]["failure"].as_str().unwrap();
    let said =
        "did not end within its time limit of 1 s (`agents.claude.timeout_seconds` raises it)";
    assert!(failure.contains(said), "{failure}");
    let id = document["session_id"].as_str().unwrap();
    let shown = sandbox.run(&["sessions", "show", id, "--full"]).exits(0).stdout.clone();
    let shown: Vec<&str> = shown.split_whitespace().collect();
    assert!(shown.join(" ").contains(said), "{shown:?}");
    // The named setting works.
    let run = ["run", "claude", "hello"];
    sandbox.run(&run).exits(4).says(said);
    let raised = r#"{"agents": {"claude": {"timeout_seconds": 100}}}"#;
    sandbox.config(raised).run(&run).exits(0);
}

#[test]
fn numbers_out_of_range_are_refused_by_name() {
    let sandbox = six();
    for (option, values) in [
        ("--timeout", &["0", "-5", "86401", "18446744073709551616", "x"][..]),
        ("--max-rounds", &["0", "-1", "21"]),
        ("--budget", &["-1", "NaN", "inf", "1e9", "x", ""]),
    ] {
        for value in values {
            let run = sandbox.run(&["prioritize", "backlog.json", option, value]);
            run.exits(2).says(option);
        }
    }
    assert!(sandbox.calls().is_empty());
}

/// Returns who was called for the backlog with these options, one call at a time.
fn seats(options: &[&str]) -> Vec<String> {
    let sandbox = six();
    let call = ["prioritize", "backlog.json", "--set", "limits.max_parallel=1"];
    sandbox.run(&[&call, options].concat()).exits(0);
    sandbox.ledger()
}

#[test]
fn other_agents_take_seats_by_option() {
    let expected = ["claude r1/champion", "gemini r1/critic", "codex r1/moderator"];
    assert_eq!(seats(&["--seat", "critic=gemini,backlog-moderator=codex"]), expected);
    let document = six()
        .run(&["prioritize", "backlog.json", "--seat", "critic=gemini", "--json"])
        .exits(0)
        .json();
    assert_eq!(document["seats"][1]["agent"], "gemini");
    let sandbox = six();
    for wrong in ["critic", "critic=nobody", "referee=claude", "=claude"] {
        let run = sandbox.run(&["prioritize", "backlog.json", "--seat", wrong]);
        run.exits(2).says("--seat");
    }
    assert!(sandbox.calls().is_empty());
}

#[test]
fn a_list_of_agents_takes_the_seats_in_order_and_a_single_seat_counts_above_it() {
    let of_two = ["gemini r1/champion", "codex r1/critic", "gemini r1/moderator"];
    assert_eq!(seats(&["--agents", "gemini,codex"]), of_two);
    let with_a_seat = ["gemini r1/champion", "codex r1/critic", "claude r1/moderator"];
    assert_eq!(seats(&["--agents", "gemini,codex", "--seat", "moderator=claude"]), with_a_seat);
    let sandbox = six();
    for wrong in ["nobody", "claude,critic=gemini"] {
        let run = sandbox.run(&["prioritize", "backlog.json", "--agents", wrong]);
        run.exits(2).says("--agents");
    }
    assert!(sandbox.calls().is_empty());
}

#[test]
fn options_that_need_trouble_are_accepted_without_it() {
    let sandbox = six();
    sandbox
        .run(&["prioritize", "backlog.json", "--rehearse", "--set", "limits.on_ambiguous=fail"])
        .exits(0)
        .says("REHEARSAL");
    sandbox
        .run(&["prioritize", "backlog.json", "--set", "limits.on_ambiguous=perhaps"])
        .exits(2)
        .says("expected `rerun` or `fail`");
}

#[test]
fn format_json_is_json_for_errors_and_plans_too() {
    let sandbox = Sandbox::new();
    for command in ["review", "plan"] {
        let args = match command {
            "plan" => vec!["plan", "", "--format", "json"],
            _ => vec!["review", "--base", "nowhere", "--format", "json"],
        };
        let run = sandbox.run(&args);
        assert!(run.json()["error"]["message"].is_string(), "{}", run.stdout);
        let run = sandbox.run(&[command, "--format=json", "--set", "review.confidence=101"]);
        assert!(run.exits(2).json()["error"]["code"].is_string(), "{}", run.stdout);
    }
    let plan = sandbox.run(&["plan", "Do it", "--dry-run", "--format", "json"]);
    assert!(plan.exits(0).json()["calls"].is_array(), "{}", plan.stdout);
    assert!(sandbox.calls().is_empty() && sandbox.sessions().is_empty());
}

#[test]
fn a_word_like_a_path_is_no_question_about_everything() {
    let sandbox = Sandbox::new().planted();
    sandbox.write("gone.py", "print('bye')\n");
    sandbox.commit("Add");
    fs::remove_file(sandbox.project().join("gone.py")).unwrap();
    let review = sandbox.run(&["review", "gone.py", "--rehearse", "--json"]);
    let document = review.json();
    assert_eq!(document["question"], "");
    assert_eq!(document["change"]["totals"]["files"], 1);
    let typo = sandbox.run(&["review", "src/stor.py", "--rehearse"]);
    typo.exits(2).says("the change has nothing at `src/stor.py`");
}
