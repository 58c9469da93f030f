//! `discover` and failing tests: the test command is run safely, and only if it is trusted; a run that shows nothing
//! is a failure of the agent, never "no failures".

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use serde_json::{Value, json};

use crate::discover::junit;
use crate::support::{Run, Sandbox, fixture};

const CONFIG: &str = "debate-agent.config.json";

/// A project whose test command is a script of its own, with these lines.
fn tested_by(script: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    let program = sandbox.write("run-tests", format!("#!/bin/sh\n{script}\n"));
    fs::set_permissions(program, fs::Permissions::from_mode(0o755)).unwrap();
    configure(&sandbox, &json!({"test_command": ["./run-tests"]}));
    sandbox
}

fn configure(sandbox: &Sandbox, discovery: &Value) {
    sandbox.write(CONFIG, json!({"discovery": discovery}).to_string());
}

/// Looks for failing tests only; naming the configuration trusts it.
fn discover(sandbox: &Sandbox) -> Run {
    sandbox.run(&["discover", "--no-debate", "--json", "--config", CONFIG])
}

fn agent(run: &Run) -> Value {
    run.json()["agents"][0].clone()
}

fn symbols(run: &Run) -> Vec<String> {
    let document = run.json();
    let items = document["opportunities"].as_array().unwrap();
    let mut titles: Vec<String> =
        items.iter().map(|item| item["title"].as_str().unwrap().to_owned()).collect();
    titles.sort();
    titles
}

#[test]
fn a_test_command_of_the_project_waits_for_trust_and_stops_nothing_else() {
    let sandbox = tested_by("touch ran; exit 0");
    let run = sandbox.run(&["discover", "--no-debate"]);
    run.exits(3).says("discovery.test_command");
    let rehearsal = sandbox.run(&["discover", "--rehearse"]);
    rehearsal.exits(3);
    assert!(!sandbox.project().join("ran").exists());
    // There is no `.swarm`: it was looked for, without a question of trust.
    let stalled = sandbox.run(&["discover", "--type", "stalled", "--no-debate"]);
    assert_ne!(stalled.code, 3, "{}", stalled.stderr);
    sandbox.six();
    sandbox.run(&["prioritize", "backlog.json"]).exits(0);
    assert!(!sandbox.project().join("ran").exists());
    sandbox.run(&["trust"]).exits(0);
    sandbox.run(&["discover", "--no-debate"]).exits(0);
    assert!(sandbox.project().join("ran").exists());
}

#[test]
fn what_could_not_be_looked_at_again_is_said_to_be_open_still() {
    let sandbox = Sandbox::new();
    sandbox.write("junit-a.xml", junit(&["one"]));
    sandbox.write("junit-b.xml", junit(&["two"]));
    let first = sandbox.run(&["discover", "--no-debate", "--json"]);
    assert_eq!(symbols(first.exits(0)).len(), 2);
    assert_eq!(first.json()["unconfirmed"], json!([]));
    // One report now shows its test as passing, the other is gone.
    fs::remove_file(sandbox.project().join("junit-a.xml")).unwrap();
    sandbox.write("junit-b.xml", junit(&[]));
    let second = sandbox.run(&["discover", "--no-debate", "--json"]);
    let document = second.exits(0).json();
    assert_eq!(document["resolved"].as_array().unwrap().len(), 1);
    assert_eq!(document["unconfirmed"].as_array().unwrap().len(), 1);
    assert_ne!(document["resolved"], document["unconfirmed"]);
    let told = sandbox.run(&["discover", "--no-debate"]);
    let told = told.exits(0).stdout.replace('\n', " ");
    assert!(told.contains("1 in the backlog not checked again"), "{told}");
}

#[test]
fn the_command_runs_at_the_root_without_the_keys_of_the_agents() {
    let sandbox = tested_by("pwd > where; env > vars; cat > stdin")
        .env("ANTHROPIC_API_KEY", "sk-ant-1")
        .env("OPENAI_API_KEY", "sk-2")
        .env("CLAUDE_CODE_OAUTH_TOKEN", "t-3")
        .env("GEMINI_API_KEY", "g-4")
        .env("GH_TOKEN", "gh-5")
        .env("DATABASE_URL", "postgres://kept");
    discover(&sandbox).exits(0);
    let read = |name: &str| fs::read_to_string(sandbox.project().join(name)).unwrap();
    let root = sandbox.project().canonicalize().unwrap();
    assert_eq!(read("where").trim(), root.to_str().unwrap());
    let vars = read("vars");
    for name in [
        "ANTHROPIC_API_KEY",
        "OPENAI_API_KEY",
        "CLAUDE_CODE_OAUTH_TOKEN",
        "GEMINI_API_KEY",
        "GH_TOKEN",
    ] {
        assert!(!vars.contains(name), "{name}");
    }
    assert!(vars.contains("DATABASE_URL=postgres://kept") && vars.contains("HOME="));
    assert_eq!(read("stdin"), "");
}

#[test]
fn what_cargo_test_prints_on_both_outputs_becomes_items() {
    let sandbox = tested_by("cat cargo.out; cat cargo.err >&2; exit 101");
    for (name, from) in [("cargo.out", "cargo/stdout.txt"), ("cargo.err", "cargo/stderr.txt")] {
        sandbox.write(name, fs::read(fixture("reports").join(from)).unwrap());
    }
    for file in [
        "Cargo.toml",
        "calc/Cargo.toml",
        "calc/src/lib.rs",
        "calc/tests/it.rs",
        "calc/src/bin/tool.rs",
        "other-kit/Cargo.toml",
        "other-kit/src/lib.rs",
        "other-kit/tests/it.rs",
    ] {
        sandbox.write(file, fs::read(fixture("reports/projects/cargo").join(file)).unwrap());
    }
    let run = discover(&sandbox);
    run.exits(0);
    assert_eq!(
        symbols(&run),
        [
            "Failing test: add (line 5) in calc/src/lib.rs",
            "Failing test: tests::adds_wrong in calc/src/lib.rs",
            "Failing test: tests::returns_an_error in calc/src/lib.rs",
            "Failing test: tests::should_panic_and_does_not in calc/src/lib.rs",
            "Failing test: tool_fails in calc/src/bin/tool.rs",
            "Failing test: works in calc/tests/it.rs",
            "Failing test: works in other-kit/tests/it.rs",
        ]
    );
    let again = discover(&sandbox);
    let ids = |run: &Run| -> Vec<Value> {
        let items = run.json()["opportunities"].as_array().unwrap().clone();
        items.iter().map(|item| item["opportunity_id"].clone()).collect()
    };
    assert_eq!(ids(&again), ids(&run), "the same items, the next time");
}

#[test]
fn a_report_written_in_the_run_explains_its_exit_code() {
    let sandbox = tested_by(
        "echo '<testsuite><testcase classname=\"c\" name=\"a\"><failure message=\"no\"/></testcase></testsuite>' > junit.xml; exit 3",
    );
    let run = discover(&sandbox);
    run.exits(0);
    assert_eq!(agent(&run)["status"], "completed");
    assert_eq!(symbols(&run), ["Failing test: c::a"]);
}

/// Each way in which a run shows nothing is a failed agent with its reason.
#[test]
fn a_command_that_shows_nothing_is_a_failed_agent() {
    for (script, more, why) in [
        ("echo broken build; exit 2", json!({}), "exit code 2"),
        ("kill -9 $$", json!({}), "signal 9"),
        ("sleep 60", json!({"test_timeout_seconds": 1}), "within 1 s"),
        ("yes", json!({}), "limits.stdout_bytes"),
        ("exec no-such-program-at-all", json!({}), "exit code 127"),
        ("", json!({"test_command": ["no-such-program-at-all"]}), "on PATH"),
        ("", json!({"test_command": ["./not-there"]}), "is not there"),
    ] {
        let sandbox = tested_by(script);
        let mut discovery = json!({"test_command": ["./run-tests"]});
        for (key, value) in more.as_object().unwrap() {
            discovery[key] = value.clone();
        }
        let config = json!({"discovery": discovery, "limits": {"stdout_bytes": 65536}});
        sandbox.write(CONFIG, config.to_string());
        let run = discover(&sandbox);
        let agent = agent(&run);
        assert_eq!(agent["status"], "failed", "{script}: {agent}");
        let error = agent["error"].as_str().unwrap();
        assert!(error.contains(why), "{script}: {error}");
        assert_ne!(run.code, 0, "{script}");
    }
}

#[test]
fn secrets_in_what_a_test_says_are_not_kept() {
    let sandbox = tested_by(
        r#"printf '<testsuite><testcase classname="t" name="a"><failure message="KeyError: %s"/></testcase></testsuite>' "$MY_TOKEN" >junit.xml; exit 1"#,
    )
    .env("MY_TOKEN", "hunter2-hunter2");
    let run = discover(&sandbox);
    assert_eq!(symbols(&run).len(), 1);
    assert!(!run.stdout.contains("hunter2"));
    let stored =
        fs::read_to_string(sandbox.project().join(".swarm/backlog/candidates.json")).unwrap();
    assert!(!stored.contains("hunter2"));
}
