//! The events of a run as JSON Lines: their destination, and that they never share or overwrite a file.

use std::fs;

use crate::cli::every_turn_ends;
use crate::support::Sandbox;

#[test]
fn every_line_of_events_is_json_in_order_and_every_started_turn_ends() {
    let quick = r#"{"limits": {"retries": 0}}"#;
    for (args, code, scenario) in [
        (&["prioritize", "backlog.json"][..], 0, ""),
        (&["prioritize", "backlog.json", "--rehearse"], 0, ""),
        (&["run", "claude", "hello"], 0, ""),
        (&["prioritize", "backlog.json"], 4, r#"{"crash": 9}"#),
        (&["run", "claude", "hello"], 4, r#"{"crash": 9}"#),
        (&["prioritize", "backlog.json", "--budget", "0.2"], 4, ""),
    ] {
        let sandbox = Sandbox::new();
        sandbox.six();
        sandbox.write("debate-agent.config.json", quick);
        let sandbox =
            if scenario.is_empty() { sandbox } else { sandbox.fake("claude.json", scenario) };
        let mut to_file = args.to_vec();
        to_file.extend(["--events", "events.jsonl", "--json"]);
        sandbox.run(&to_file).exits(code).json();
        every_turn_ends(&fs::read_to_string(sandbox.project().join("events.jsonl")).unwrap());

        let mut to_stdout = args.to_vec();
        to_stdout.extend(["--events", "-"]);
        every_turn_ends(&sandbox.run(&to_stdout).exits(code).stdout);
    }
}

#[test]
fn events_and_the_document_do_not_share_standard_output() {
    let sandbox = Sandbox::new();
    sandbox.six();
    for args in [
        &["prioritize", "backlog.json"][..],
        &["prioritize", "backlog.json", "--dry-run"],
        &["prioritize", "missing.json"],
        &["run", "claude", "hello"],
        &["sessions", "resume", "0"],
    ] {
        let mut args = args.to_vec();
        args.extend(["--events", "-", "--json"]);
        let run = sandbox.run(&args);
        assert_eq!(run.exits(2).json()["error"]["code"], "usage", "{args:?}");
        run.says("both want standard output");
    }
    // Nor do events share a file with a record in Markdown.
    for args in [
        &["discuss", "missing.md"][..],
        &["debate", "Which one?"],
        &["plan", "Something"],
        &["review"],
    ] {
        let args = [args, &["--events", "-", "--format", "markdown"]].concat();
        let run = sandbox.run(&args);
        run.exits(2).says("both want standard output");
        assert_eq!(run.stdout, "", "{args:?}");
    }
    assert!(sandbox.calls().is_empty() && sandbox.sessions().is_empty());
}

#[test]
fn events_never_overwrite_the_backlog() {
    let sandbox = Sandbox::new();
    let path = sandbox.six();
    let before = fs::read(&path).unwrap();
    sandbox
        .run(&["prioritize", "backlog.json", "--events", "./backlog.json"])
        .exits(2)
        .says("the backlog itself");
    assert_eq!(fs::read(&path).unwrap(), before);
    assert!(sandbox.calls().is_empty());
}
