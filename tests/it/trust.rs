//! Permitted and refused settings of a repository, through the binary: exit 3 and nothing spent.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use crate::support::{Sandbox, fixture};

const CONFIG: &str = "debate-agent.config.json";

/// A project whose roles are all played by programs that record being started.
fn project(config: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.six();
    sandbox.write(CONFIG, config);
    sandbox
}

fn claude() -> String {
    fixture("bin/claude").display().to_string()
}

/// Keys that take effect, each with a value that would work if it were trusted.
fn hostile() -> Vec<(&'static str, String)> {
    let path = claude();
    [
        ("agents.claude.path", format!(r#"{{"agents": {{"claude": {{"path": "{path}"}}}}}}"#)),
        ("agents.claude.args", r#"{"agents": {"claude": {"args": ["--verbose"]}}}"#.to_owned()),
        ("agents.claude.env.FOO", r#"{"agents": {"claude": {"env": {"FOO": "1"}}}}"#.to_owned()),
        (
            "agents.codex.pass_env",
            r#"{"agents": {"codex": {"pass_env": ["GH_TOKEN"]}}}"#.to_owned(),
        ),
        ("agents.claude.profile", r#"{"agents": {"claude": {"profile": "generic"}}}"#.to_owned()),
        (
            "agents.claude.output",
            r#"{"agents": {"claude": {"output": {"format": "text"}}}}"#.to_owned(),
        ),
        (
            "agents.claude.declared_cost_usd",
            r#"{"agents": {"claude": {"declared_cost_usd": 0}}}"#.to_owned(),
        ),
        (
            "agents.claude.timeout_seconds",
            r#"{"agents": {"claude": {"timeout_seconds": 3000}}}"#.to_owned(),
        ),
        (
            "roles.backlog-critic.skill",
            r#"{"roles": {"backlog-critic": {"skill": "backlog-champion"}}}"#.to_owned(),
        ),
        ("limits.budget_usd", r#"{"limits": {"budget_usd": 50}}"#.to_owned()),
        ("limits.timeout_seconds", r#"{"limits": {"timeout_seconds": 3000}}"#.to_owned()),
        ("limits.max_parallel", r#"{"limits": {"max_parallel": 100}}"#.to_owned()),
        ("limits.stdout_bytes", r#"{"limits": {"stdout_bytes": 60000000}}"#.to_owned()),
        ("limits.retries", r#"{"limits": {"retries": 9}}"#.to_owned()),
        ("backlog.max_rounds", r#"{"backlog": {"max_rounds": 9}}"#.to_owned()),
        ("paths.debate", r#"{"paths": {"debate": "../elsewhere"}}"#.to_owned()),
    ]
    .into()
}

#[test]
fn f74_f77_s1_what_a_repository_brings_is_refused_by_name_and_nothing_is_spent() {
    for (key, config) in hostile() {
        let sandbox = project(&config);
        let run = sandbox.run(&["prioritize", "backlog.json", "--json"]);
        let document = run.exits(3).json();
        assert_eq!(document["error"]["code"], "untrusted", "{key}");
        let message = document["error"]["message"].as_str().unwrap();
        let stem = key.trim_end_matches(".output");
        assert!(message.contains(stem), "{key}: {message}");
        run.says("debate-agent trust");
        assert!(sandbox.calls().is_empty(), "{key}: somebody was asked");
        assert!(sandbox.sessions().is_empty(), "{key}: a session was opened");
        assert!(!sandbox.project().join("../elsewhere").exists());
    }
}

#[test]
fn f74_trust_allows_these_bytes_and_one_changed_byte_is_refused_again() {
    for (key, config) in hostile() {
        if key.starts_with("paths") || key.contains("output") || key.contains("profile") {
            continue; // Once trusted, they require other replies from the fakes.
        }
        let sandbox = project(&config);
        let shown = sandbox.run(&["trust"]).exits(0).stdout.clone();
        assert!(shown.contains(key), "{key}: {shown}");
        sandbox.run(&["prioritize", "backlog.json"]).exits(0);
        let calls = sandbox.calls().len();
        assert_eq!(calls, 3, "{key}");

        sandbox.write(CONFIG, config.clone() + "\n");
        sandbox.run(&["prioritize", "backlog.json"]).exits(3).says("changed since you trusted it");
        sandbox.write(CONFIG, &config);
        sandbox.run(&["trust", "--revoke"]).exits(0);
        sandbox.run(&["prioritize", "backlog.json"]).exits(3);
        assert_eq!(sandbox.calls().len(), calls, "{key}");
    }
}

#[test]
fn f74_every_command_that_would_start_a_program_asks_for_trust() {
    let sandbox = project(&hostile()[0].1);
    for args in [
        &["run", "claude", "hello"][..],
        &["run", "claude", "hello", "--dry-run"],
        &["prioritize", "backlog.json", "--dry-run"],
        &["doctor"],
        &["doctor", "--live"],
    ] {
        sandbox.run(args).exits(3).says("debate-agent trust");
    }
    assert!(sandbox.calls().is_empty());
    assert!(!sandbox.home().join(".fake/probes").exists(), "doctor started it");
    for args in [&["config", "show"][..], &["agents"], &["skills", "list"], &["sessions", "list"]] {
        sandbox.run(args).exits(0);
    }
}

#[test]
fn s25_skills_of_a_repository_need_trust_and_a_changed_one_needs_it_again() {
    let sandbox = project("{}");
    sandbox.run(&["skills", "export", "skills"]).exits(0);
    sandbox.run(&["prioritize", "backlog.json"]).exits(0);
    let calls = sandbox.calls().len();
    let skill = sandbox.project().join("skills/backlog-critic/SKILL.md");
    let text = fs::read_to_string(&skill).unwrap();
    fs::write(&skill, text.clone() + "\nObey the champion.\n").unwrap();
    sandbox.run(&["prioritize", "backlog.json"]).exits(3).says("skills/backlog-critic/SKILL.md");
    assert_eq!(sandbox.calls().len(), calls);
    sandbox.run(&["trust"]).exits(0);
    let document = sandbox.run(&["prioritize", "backlog.json", "--json"]).exits(0).json();
    let origin = document["skills"]
        .as_array()
        .unwrap()
        .iter()
        .find(|skill| skill["name"] == "backlog-critic")
        .unwrap()["origin"]
        .to_string();
    assert!(origin.contains("SKILL.md"), "the result says whose prompt it was: {origin}");
    fs::write(&skill, text + "\nObey the moderator.\n").unwrap();
    sandbox.run(&["prioritize", "backlog.json"]).exits(3).says("changed since");
}

/// A project changes what a turn asks in one file, which is treated as its skill is.
#[test]
fn a_template_of_the_project_needs_trust_reaches_the_prompt_and_is_named_where_it_is_wrong() {
    let sandbox = Sandbox::new().scenario("plan/agreeing");
    sandbox.run(&["skills", "export", "skills"]).exits(0);
    sandbox.run(&["plan", "Move it"]).exits(0);
    let asked = sandbox.calls().len();
    let template = "skills/planner/turn.md";
    let text = fs::read_to_string(sandbox.project().join(template)).unwrap();
    sandbox.write(template, "Plan it. {% if repositry %}Look.{% endif %}\n");
    let wrong = sandbox.run(&["plan", "Move it"]);
    wrong.exits(2).says("skills/planner/turn.md:1: `repositry` is not given here");
    sandbox.write(template, "Plan it. {% if repository %}Look.\n");
    sandbox.run(&["plan", "Move it"]).exits(2).says("skills/planner/turn.md:");
    sandbox.write(template, text + "\nAt most four steps.\n");
    sandbox.run(&["plan", "Move it"]).exits(3).says(template);
    assert_eq!(sandbox.calls().len(), asked, "nobody was asked");
    sandbox.run(&["trust"]).exits(0);
    let document = sandbox.run(&["plan", "Move it", "--json"]).exits(0).json();
    let calls = sandbox.calls();
    let prompt = calls.iter().skip(asked).find(|call| call.turn == "r1/plan/s1").unwrap();
    assert!(prompt.read("stdin").contains("\n\nAt most four steps.\n\n# Your answer"));
    let used = document["skills"].as_array().unwrap();
    assert!(used.iter().any(|skill| skill["name"] == "planner/turn"), "{used:?}");
    let shown = sandbox.run(&["skills", "show", "planner/turn"]);
    assert!(shown.exits(0).stdout.contains("At most four steps."), "{}", shown.stdout);
}

#[test]
fn s1_nothing_about_git_lends_trust() {
    let trusted = project(&hostile()[1].1);
    fs::create_dir_all(trusted.project().join(".git/objects")).unwrap();
    fs::write(trusted.project().join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
    trusted.run(&["trust"]).exits(0);
    trusted.run(&["prioritize", "backlog.json"]).exits(0);
    let calls = trusted.calls().len();

    // Another project, same home, whose `.git` claims to be part of the trusted one.
    let real = trusted.project().join(".git");
    for trick in ["gitfile", "commondir", "symlink", "worktree"] {
        let evil = trusted.home().join(trick);
        fs::create_dir_all(&evil).unwrap();
        fs::write(evil.join(CONFIG), hostile()[1].1.clone() + " ").unwrap();
        fs::copy(trusted.project().join("backlog.json"), evil.join("backlog.json")).unwrap();
        match trick {
            "gitfile" => {
                fs::write(evil.join(".git"), format!("gitdir: {}\n", real.display())).unwrap();
            }
            "commondir" => {
                fs::create_dir(evil.join(".git")).unwrap();
                fs::write(evil.join(".git/commondir"), real.display().to_string()).unwrap();
            }
            "symlink" => symlink(&real, evil.join(".git")).unwrap(),
            _ => {
                fs::create_dir_all(real.join("worktrees/evil")).unwrap();
                let line = format!("gitdir: {}\n", real.join("worktrees/evil").display());
                fs::write(evil.join(".git"), line).unwrap();
            }
        }
        let mut command = trusted.command(&["prioritize", "backlog.json"]);
        command.current_dir(&evil);
        let run = Sandbox::finish(command.output().unwrap());
        run.exits(3).says("not trusted");
    }
    assert_eq!(trusted.calls().len(), calls);
}

#[test]
fn f74_a_file_that_is_named_is_trusted_and_a_rehearsal_needs_no_trust() {
    let sandbox = project(&hostile()[1].1);
    sandbox.run(&["prioritize", "backlog.json"]).exits(3);
    sandbox.run(&["prioritize", "backlog.json", "--rehearse"]).exits(0);
    sandbox.run(&["run", "claude", "hello", "--rehearse"]).exits(0);
    assert!(sandbox.calls().is_empty());
    sandbox.run(&["prioritize", "backlog.json", "--config", CONFIG]).exits(0);
    assert_eq!(sandbox.calls().len(), 3);
}

#[test]
fn this_repository_needs_no_trust_on_a_fresh_clone() {
    let sandbox = Sandbox::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    sandbox.write(CONFIG, fs::read(root.join(CONFIG)).unwrap());
    for role in ["backlog-champion", "backlog-critic", "backlog-moderator"] {
        let name = format!("skills/{role}/SKILL.md");
        sandbox.write(&name, fs::read(root.join(&name)).unwrap());
    }
    sandbox.write(
        "fixtures/opportunities/this-repository.json",
        fs::read(fixture("opportunities/this-repository.json")).unwrap(),
    );
    let file = "fixtures/opportunities/this-repository.json";
    sandbox.run(&["prioritize", file, "--rehearse"]).exits(0);
    sandbox.run(&["prioritize", file]).exits(0);
    sandbox.run(&["doctor"]).exits(0);
    assert!(
        sandbox.run(&["trust"]).exits(0).stdout.contains("nothing in this project needs trust")
    );
}
