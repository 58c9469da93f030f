//! Refusals whatever their source: dangerous flags in every spelling, an invalid configuration.

use std::fs;

use crate::support::Sandbox;

const CONFIG: &str = "debate-agent.config.json";

/// Agents, their arguments or variables, and the words by which the refusal names them.
const DANGEROUS: &[(&str, &str, &str)] = &[
    ("claude", r#""args": ["--dangerously-skip-permissions"]"#, "--dangerously-skip-permissions"),
    (
        "claude",
        r#""args": ["--dangerouslySkipPermissions=true"]"#,
        "--dangerouslySkipPermissions=true",
    ),
    (
        "claude",
        r#""args": ["--permission-mode", "bypassPermissions"]"#,
        "--permission-mode bypassPermissions",
    ),
    ("claude", r#""args": ["--permission-mode=acceptEdits"]"#, "--permission-mode=acceptEdits"),
    ("claude", r#""args": ["--allowedTools", "Bash(*)"]"#, "--allowedTools Bash(*)"),
    (
        "claude",
        r#""args": ["--settings", "{\"permissions\":{\"defaultMode\":\"bypassPermissions\"}}"]"#,
        "--settings",
    ),
    ("codex", r#""args": ["--full-auto"]"#, "--full-auto"),
    ("codex", r#""args": ["-s", "danger-full-access"]"#, "-s danger-full-access"),
    ("codex", r#""args": ["-sdanger-full-access"]"#, "-sdanger-full-access"),
    ("codex", r#""args": ["--sandbox=danger-full-access"]"#, "--sandbox=danger-full-access"),
    ("codex", r#""args": ["-c", "sandbox_mode=\"danger-full-access\""]"#, "sandbox_mode"),
    ("codex", r#""args": ["-a", "never"]"#, "-a never"),
    ("codex", r#""args": ["--YOLO"]"#, "--YOLO"),
    ("gemini", r#""args": ["--yolo"]"#, "--yolo"),
    ("gemini", r#""args": ["-y"]"#, "-y"),
    ("gemini", r#""args": ["--approval-mode=yolo"]"#, "--approval-mode=yolo"),
    ("gemini", r#""args": ["--approval_mode", "auto_edit"]"#, "--approval_mode auto_edit"),
    ("gemini", r#""env": {"GEMINI_SANDBOX": "false"}"#, "GEMINI_SANDBOX=false"),
    ("claude", r#""env": {"IS_SANDBOX": "1"}"#, "IS_SANDBOX=1"),
];

#[test]
fn s3_dangerous_flags_in_any_spelling_are_refused_by_name_whoever_brings_them() {
    for (agent, part, named) in DANGEROUS {
        let config = format!(r#"{{"agents": {{"{agent}": {{"path": "{agent}", {part}}}}}}}"#);
        let sandbox = Sandbox::new();
        sandbox.six();
        let file = sandbox.write("mine.json", &config);
        let file = file.to_str().unwrap();
        for args in [
            &["run", agent, "hello", "--config", file][..],
            &["prioritize", "backlog.json", "--config", file, "--seat", &format!("critic={agent}")],
            &["config", "validate", file],
        ] {
            sandbox.run(args).exits(2).says(named);
        }
        // The user's own file, without the permission.
        fs::create_dir_all(sandbox.home().join(".config/debate-agent")).unwrap();
        fs::write(sandbox.home().join(".config/debate-agent/config.json"), &config).unwrap();
        sandbox.run(&["run", agent, "hello"]).exits(2).says(named);
        assert!(sandbox.calls().is_empty(), "{named}");
    }
}

#[test]
fn s3_only_the_users_own_file_permits_them_and_then_every_result_says_so() {
    // The fake refuses the flag, as codex does by now; asking it again would only take time.
    let allowed = r#"{"limits": {"allow_dangerous": true, "retries": 0}, "agents": {"codex": {"args": ["--full-auto"]}}}"#;
    let sandbox = Sandbox::new();
    sandbox.six();
    let named = sandbox.write("mine.json", allowed);
    sandbox.run(&["run", "codex", "hello", "--config", named.to_str().unwrap()]).exits(2);
    sandbox.write(CONFIG, allowed);
    sandbox.run(&["run", "codex", "hello"]).exits(2).says("allow_dangerous");
    fs::remove_file(sandbox.project().join(CONFIG)).unwrap();
    let variable = Sandbox::new().env("DEBATE_AGENT_LIMITS__ALLOW_DANGEROUS", "true");
    assert_ne!(variable.run(&["run", "codex", "hello"]).code, 0);
    assert!(sandbox.calls().is_empty());

    fs::create_dir_all(sandbox.home().join(".config/debate-agent")).unwrap();
    fs::write(sandbox.home().join(".config/debate-agent/config.json"), allowed).unwrap();
    let document = sandbox.run(&["prioritize", "backlog.json", "--json"]).json();
    let says = |document: &serde_json::Value| {
        document["warnings"].as_array().unwrap().iter().any(|warning| {
            warning["code"] == "dangerous_flags"
                && warning["message"].as_str().unwrap().contains("codex --full-auto")
        })
    };
    assert!(says(&document), "{document:#}");
    let id = document["session_id"].as_str().unwrap();
    assert!(says(&sandbox.run(&["sessions", "show", id, "--json"]).exits(0).json()));
    let text = sandbox.run(&["sessions", "show", id]).exits(0).stdout.clone();
    assert!(text.replace('\n', " ").contains("codex --full-auto"), "{text}");
    let report = sandbox.run(&["sessions", "show", id, "--format", "md"]).exits(0).stdout.clone();
    assert!(report.contains("dangerous"), "{report}");
    assert!(says(&sandbox.run(&["run", "codex", "hello", "--json"]).json()));
}

#[test]
fn f72_f73_f75_f76_a_wrong_configuration_is_refused_with_file_line_and_key() {
    for (config, words) in [
        ("{\n  \"limits\": {\n", &["debate-agent.config.json:", "3"][..]),
        (
            "{\"limits\": {\"budget_usd\": 1, \"budget_usd\": 2}}",
            &["debate-agent.config.json:1:", "budget_usd"],
        ),
        ("{\n  \"limit\": {}\n}", &["debate-agent.config.json:2:", "limit", "limits"]),
        (
            "{\"agents\": {\"claude\": {\"timeout_second\": 5}}}",
            &["timeout_second", "timeout_seconds"],
        ),
        ("{\"limits\": {\"timeout_seconds\": 0}}", &["limits.timeout_seconds"]),
        ("{\"limits\": {\"timeout_seconds\": -1}}", &["limits.timeout_seconds"]),
        ("{\"limits\": {\"timeout_seconds\": 18446744073709551616}}", &["limits.timeout_seconds"]),
        ("{\"limits\": {\"budget_usd\": \"much\"}}", &["limits.budget_usd"]),
        ("[]", &["debate-agent.config.json"]),
    ] {
        let sandbox = Sandbox::new();
        sandbox.six();
        sandbox.write(CONFIG, config);
        let run = sandbox.run(&["prioritize", "backlog.json"]);
        run.exits(2);
        for word in words {
            run.says(word);
        }
        assert!(sandbox.calls().is_empty());
    }
    for (name, value) in [
        ("DEBATE_AGENT_BUDGET", "junk"),
        ("DEBATE_AGENT_TIMEOUT", "-3"),
        ("DEBATE_AGENT_NONSENSE", "1"),
    ] {
        let sandbox = Sandbox::new().env(name, value);
        sandbox.six();
        sandbox.run(&["prioritize", "backlog.json"]).exits(2).says(name);
        assert!(sandbox.calls().is_empty());
    }
}
