//! The GitHub Action: its script, run as a runner does (variables, event file, `gh`), and the files that GitHub reads.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use regex::Regex;
use serde_json::{Value, json};

use crate::pull_request::planted_findings;
use crate::support::{BIN, Run, Sandbox};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Whether the script can run here: it reads events with jq, which GitHub's runners have. Without it these tests are left
/// out, as those of a shell that is missing are.
fn has_jq() -> bool {
    which::which("jq").is_ok()
}

/// Runs one step of the action with an event, and inputs over their defaults.
#[expect(clippy::disallowed_methods, reason = "a runner starts the script itself")]
fn step(sandbox: &Sandbox, step: &str, event: (&str, &Value), inputs: &[(&str, &str)]) -> Step {
    let (name, event) = event;
    let place = |name: &str| sandbox.home().join(name).display().to_string();
    for file in ["output", "summary", "path"] {
        fs::write(sandbox.home().join(file), "").unwrap();
    }
    fs::write(sandbox.home().join("event.json"), event.to_string()).unwrap();
    let mut command = std::process::Command::new(root().join("packaging/action/run"));
    command.arg(step).env_clear().envs(sandbox.vars()).current_dir(sandbox.project());
    for (variable, value) in [
        ("GITHUB_EVENT_NAME", name.to_owned()),
        ("GITHUB_EVENT_PATH", place("event.json")),
        ("GITHUB_REPOSITORY", "acme/app".to_owned()),
        ("GITHUB_ACTOR", "alice".to_owned()),
        ("GITHUB_OUTPUT", place("output")),
        ("GITHUB_STEP_SUMMARY", place("summary")),
        ("GITHUB_PATH", place("path")),
        ("RUNNER_TEMP", sandbox.tmp().display().to_string()),
        ("PR", "12".to_owned()),
        ("INPUT_PR", String::new()),
        ("INPUT_FAIL_ON", "P1".to_owned()),
        ("INPUT_BUDGET", String::new()),
        ("INPUT_AGENTS", String::new()),
        ("INPUT_COMMENT", "true".to_owned()),
        ("INPUT_VERSION", String::new()),
    ] {
        command.env(variable, value);
    }
    let run = Sandbox::finish(command.envs(inputs.iter().copied()).output().unwrap());
    let read = |name: &str| fs::read_to_string(sandbox.home().join(name)).unwrap();
    let output = read("output");
    let outputs = output.lines().filter_map(|line| line.split_once('='));
    let outputs = outputs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    Step { run, outputs, summary: read("summary"), path: read("path") }
}

struct Step {
    run: Run,
    outputs: BTreeMap<String, String>,
    summary: String,
    path: String,
}

fn pull_request(head: &str) -> Value {
    json!({"action": "opened", "pull_request": {
        "number": 12, "title": "$(touch pwned) `touch pwned`", "head": {"repo": {"full_name": head}}}})
}

fn comment(login: &str, id: u64, body: &str) -> Value {
    json!({"action": "created", "issue": {"number": 12, "pull_request": {"url": "x"}},
        "comment": {"body": body, "user": {"login": login, "id": id}}})
}

/// A sandbox whose repository has a writer and a reader.
fn repository() -> Sandbox {
    let sandbox = Sandbox::new();
    fs::create_dir_all(sandbox.sinks_dir()).unwrap();
    let may = |id: u64, permission: &str| json!({"permission": permission, "user": {"id": id}});
    sandbox.set_sinks_state(&json!({"repos": {"acme/app": {"default_branch": "main",
        "collaborators": {"alice": may(7, "write"), "root": may(1, "admin"), "rita": may(8, "read")}}}}));
    sandbox
}

fn asked(sandbox: &Sandbox) -> usize {
    fs::read_dir(sandbox.sinks_dir().join("calls")).map_or(0, Iterator::count)
}

#[test]
fn a_pull_request_is_reviewed_and_a_forks_is_left_out_and_says_so() {
    if !has_jq() {
        return;
    }
    let sandbox = repository();
    let own = step(&sandbox, "gate", ("pull_request", &pull_request("acme/app")), &[]);
    own.run.exits(0);
    assert_eq!(own.outputs["pr"], "12");
    let fork = pull_request("mallory/app");
    let gone = json!({"pull_request": {"number": 12, "head": {"repo": null}}});
    for event in [&fork, &gone] {
        let fork = step(&sandbox, "gate", ("pull_request", event), &[]);
        fork.run.exits(0);
        assert!(fork.outputs.is_empty());
        assert!(
            fork.summary.contains("from a fork, whose runs get no secrets"),
            "{}",
            fork.summary
        );
    }
    let own = pull_request("acme/app");
    let bot = [("GITHUB_ACTOR", "dependabot[bot]")];
    assert!(step(&sandbox, "gate", ("pull_request", &own), &bot).outputs.is_empty());
    let target = step(&sandbox, "gate", ("pull_request_target", &own), &[]);
    target.run.exits(2).prints("run this on pull_request");
    assert_eq!(asked(&sandbox), 0);
}

#[test]
fn a_comment_asks_for_a_review_if_its_author_may_write() {
    if !has_jq() {
        return;
    }
    let sandbox = repository();
    for (login, id, body) in
        [("alice", 7, "/debate review"), ("root", 1, "\r\n  /debate review\r\n")]
    {
        let event = comment(login, id, body);
        let gate = step(&sandbox, "gate", ("issue_comment", &event), &[]);
        gate.run.exits(0);
        assert_eq!(gate.outputs["pr"], "12", "{login}");
    }
    for (login, id) in [
        ("rita", 8),
        ("nobody", 9),
        // Somebody else has the name now.
        ("alice", 70),
    ] {
        let event = comment(login, id, "/debate review");
        let gate = step(&sandbox, "gate", ("issue_comment", &event), &[]);
        gate.run.exits(0);
        assert!(gate.outputs.is_empty(), "{login}");
        assert!(gate.summary.contains("needs write access"), "{}", gate.summary);
    }
    // These are not even asked about.
    let before = asked(&sandbox);
    assert_eq!(before, 5);
    let mut of_issue = comment("alice", 7, "/debate review");
    of_issue["issue"].as_object_mut().unwrap().remove("pull_request");
    let mut edited = comment("alice", 7, "/debate review");
    edited["action"] = json!("edited");
    let ignored = [
        of_issue,
        edited,
        comment("alice", 7, "/debate review --agents evil"),
        comment("alice", 7, "/debate review\n$(touch pwned)"),
        comment("alice", 7, "please /debate review"),
        comment("alice/../../../../user", 7, "/debate review"),
        comment("helper[bot]", 7, "/debate review"),
    ];
    for event in &ignored {
        let gate = step(&sandbox, "gate", ("issue_comment", event), &[]);
        gate.run.exits(0);
        assert!(gate.outputs.is_empty(), "{event}");
    }
    assert_eq!(asked(&sandbox), before);
    assert!(!sandbox.project().join("pwned").exists());
}

#[test]
fn inputs_are_numbers_and_words_and_never_options() {
    if !has_jq() {
        return;
    }
    let sandbox = repository();
    let none = json!({});
    let given = step(&sandbox, "gate", ("workflow_dispatch", &none), &[("INPUT_PR", "34")]);
    assert_eq!(given.outputs["pr"], "34");
    for (input, value) in [
        ("INPUT_PR", ""),
        ("INPUT_PR", "-1"),
        ("INPUT_PR", "0"),
        ("INPUT_PR", "12; touch pwned"),
        ("INPUT_FAIL_ON", "P1 --set a=b"),
        ("INPUT_FAIL_ON", ""),
        ("INPUT_VERSION", "0.1.0 evil"),
        ("INPUT_VERSION", "latest"),
    ] {
        let pr = ("INPUT_PR", "34");
        let gate = step(&sandbox, "gate", ("workflow_dispatch", &none), &[pr, (input, value)]);
        gate.run.exits(2).prints("::error title=debate-agent::");
        assert!(gate.outputs.is_empty(), "{input} {value}");
    }
}

/// Puts a `debate-agent` on PATH that notes its arguments, one a line, and goes on as the program.
fn with_program(sandbox: Sandbox) -> Sandbox {
    let program = sandbox.home().join("bin/debate-agent");
    fs::create_dir_all(program.parent().unwrap()).unwrap();
    let text =
        format!("#!/bin/bash\nprintf '%s\\n' \"$@\" >>\"$HOME/arguments\"\nexec {BIN} \"$@\"\n");
    fs::write(&program, text).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let path = sandbox.vars()["PATH"].clone();
    let folder = program.parent().unwrap().display().to_string();
    sandbox.env("PATH", &format!("{folder}:{path}"))
}

fn arguments(sandbox: &Sandbox) -> Vec<String> {
    let text = fs::read_to_string(sandbox.home().join("arguments")).unwrap();
    fs::remove_file(sandbox.home().join("arguments")).unwrap();
    text.lines().map(str::to_owned).collect()
}

#[test]
fn findings_fail_the_job_and_stand_in_its_summary_and_in_sarif() {
    if !has_jq() {
        return;
    }
    let sandbox = with_program(Sandbox::new().pulled().agree_on(&planted_findings()));
    let event = pull_request("acme/app");
    let review = step(&sandbox, "review", ("pull_request", &event), &[]);
    review.run.exits(1);
    assert_eq!(sandbox.summaries().len(), 1);
    assert_eq!(review.outputs["outcome"], "findings");
    let sarif = fs::read_to_string(&review.outputs["sarif"]).unwrap();
    let sarif: Value = serde_json::from_str(&sarif).unwrap();
    assert!(!sarif["runs"][0]["results"].as_array().unwrap().is_empty());
    assert!(review.summary.contains("src/store.py"), "{}", review.summary);
    let given = arguments(&sandbox).join(" ");
    assert!(
        given.contains("review --pr 12 --fail-on P1 --format sarif --progress plain --comment"),
        "{given}"
    );
    // Whatever agents say in between is no command to the runner.
    let lines: Vec<&str> = review.run.stdout.lines().collect();
    let word = lines[0].strip_prefix("::stop-commands::").unwrap();
    assert_eq!(word.len(), 32);
    assert_eq!(lines[1..], [format!("::{word}::")]);

    let inputs = [
        ("INPUT_FAIL_ON", "never"),
        ("INPUT_COMMENT", "false"),
        ("INPUT_BUDGET", "--set=a=b"),
        ("INPUT_AGENTS", "$(touch pwned) --comment"),
    ];
    let review = step(&sandbox, "review", ("pull_request", &event), &inputs);
    let given = arguments(&sandbox);
    assert!(!given.contains(&"--comment".to_owned()), "{given:?}");
    assert!(given.contains(&"--budget=--set=a=b".to_owned()), "{given:?}");
    assert!(given.contains(&"--agents=$(touch pwned) --comment".to_owned()), "{given:?}");
    assert!(!sandbox.project().join("pwned").exists());
    // Refused, and no earlier session is shown for it.
    review.run.exits(2);
    assert_eq!((&*review.outputs["outcome"], &*review.summary), ("failed", ""));

    let never = [("INPUT_FAIL_ON", "never")];
    let review = step(&sandbox, "review", ("pull_request", &event), &never);
    review.run.exits(0);
    assert_eq!(review.outputs["outcome"], "findings");
}

#[test]
fn an_undecided_review_is_never_green() {
    if !has_jq() {
        return;
    }
    let sandbox =
        Sandbox::new().pulled().fake("r1_review_s1.sh", "exit 1").fake("r1_review_s2.sh", "exit 1");
    let sandbox = with_program(sandbox);
    let event = pull_request("acme/app");
    for fail_on in ["P0", "never"] {
        let inputs = [("INPUT_FAIL_ON", fail_on)];
        let review = step(&sandbox, "review", ("pull_request", &event), &inputs);
        review.run.exits(4);
        assert_eq!(review.outputs["outcome"], "undecided");
        assert!(review.summary.contains("UNDECIDED"), "{}", review.summary);
    }
}

#[test]
fn the_program_on_path_is_taken_and_another_version_comes_from_npm() {
    let sandbox = with_program(repository());
    let none = json!({});
    let here = step(&sandbox, "install", ("workflow_dispatch", &none), &[]);
    here.run.exits(0);
    assert_eq!(here.path, "");
    let npm = sandbox.home().join("bin/npm");
    fs::write(&npm, "#!/bin/sh\nprintf '%s\\n' \"$@\" >\"$HOME/arguments\"\n").unwrap();
    fs::set_permissions(&npm, fs::Permissions::from_mode(0o755)).unwrap();
    let version = [("INPUT_VERSION", "9.8.7")];
    let other = step(&sandbox, "install", ("workflow_dispatch", &none), &version);
    other.run.exits(0);
    assert!(other.path.ends_with("debate-agent/bin\n"), "{}", other.path);
    let given = arguments(&sandbox);
    assert_eq!(given.last().unwrap(), "debate-agent@9.8.7");
    assert!(given.contains(&"--ignore-scripts".to_owned()));
    fs::remove_file(sandbox.home().join("bin/debate-agent")).unwrap();
    step(&sandbox, "install", ("workflow_dispatch", &none), &[]).run.exits(0);
    let own = concat!("debate-agent@", env!("CARGO_PKG_VERSION"));
    assert_eq!(arguments(&sandbox).last().unwrap(), own);
}

/// In what GitHub runs, expressions stand in conditions, in variables and in the inputs of actions, never in a script;
/// and every action is named by its commit.
#[test]
fn no_script_holds_an_expression_and_every_action_is_pinned() {
    let workflows = fs::read_dir(root().join(".github/workflows")).unwrap();
    let files: Vec<PathBuf> =
        workflows.map(|entry| entry.unwrap().path()).chain([root().join("action.yml")]).collect();
    assert!(files.len() >= 3);
    let pinned = Regex::new(r"^[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$").unwrap();
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        let mut script = None;
        for line in text.lines() {
            let indent = line.len() - line.trim_start().len();
            if script.is_some_and(|of| indent <= of && !line.trim().is_empty()) {
                script = None;
            }
            let entry = line.trim_start().trim_start_matches("- ");
            if entry.starts_with("run:") {
                script = Some(indent);
            }
            assert!(script.is_none() || !line.contains("${{"), "{}: {line}", file.display());
            if let Some(action) = entry.strip_prefix("uses: ") {
                assert!(action == "./" || pinned.is_match(action), "{}: {line}", file.display());
            }
        }
    }
}
