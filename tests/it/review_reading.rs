//! `review --read-repo` end to end: the permission to read, the start of the readers, and that a repository that
//! changed under its readers never leads to a decision, not even by a resume.
#![cfg(target_os = "linux")]

use std::fs;

use serde_json::Value;

use crate::support::Sandbox;
use crate::support::reviews::agreeing;

/// Two reviewers of a repository that they may read.
fn trusted() -> Sandbox {
    let sandbox = agreeing();
    let run = sandbox.run(&["trust", "--read-repo"]);
    run.exits(0);
    sandbox
}

/// The script of claude, which is started in the repository, for its review.
fn writing(script: &str) -> Sandbox {
    trusted().fake("r1_review_s2.sh", script)
}

const WRITES: &str = "printf 'print(1)\\n' >src/evil.py; ";

/// Asserts that a document decides nothing and names the changed file.
#[track_caller]
fn spoilt(document: &Value) {
    assert_eq!(document["verdict"], "undecided");
    assert_eq!(document["outcome"], "undecided");
    let warned = document["warnings"].as_array().unwrap();
    let changed: Vec<&Value> =
        (warned.iter()).filter(|warning| warning["code"] == "tree_changed").collect();
    assert_eq!(changed.len(), 1, "{warned:#?}");
    assert!(changed[0]["message"].as_str().unwrap().contains("src/evil.py"), "{changed:?}");
    let text = document["recommendation"].as_str().unwrap();
    assert!(text.contains("the working tree changed"), "{text}");
}

#[test]
fn a_repository_that_is_not_trusted_is_not_read() {
    let sandbox = agreeing();
    let run = sandbox.run(&["review", "--set", "review.read_repo=true"]);
    run.exits(3).says("debate-agent trust --read-repo");
    assert!(sandbox.calls().is_empty());
    assert!(sandbox.sessions().is_empty());
    // Trust in its configuration is not trust in all of it.
    sandbox.run(&["trust"]).exits(0);
    sandbox.run(&["review", "--set", "review.read_repo=true"]).exits(3);
    assert!(sandbox.calls().is_empty());
    // In a rehearsal no agent reads.
    let run = sandbox.run(&["review", "--set", "review.read_repo=true", "--rehearse", "--json"]);
    assert!(matches!(run.code, 0 | 1), "{}\n{}", run.code, run.stderr);
    assert!(sandbox.calls().is_empty());
}

#[test]
fn readers_get_tools_that_only_read_and_the_repository() {
    let sandbox = trusted();
    let document =
        sandbox.run(&["review", "--set", "review.read_repo=true", "--json"]).exits(1).json();
    assert_eq!(document["verdict"], "changes_requested");
    let top = sandbox.project().canonicalize().unwrap();
    let calls = sandbox.calls();
    assert_eq!(calls.len(), 5);
    for call in calls {
        let (argv, cwd) = (call.read("argv"), call.read("cwd"));
        match call.cli.as_str() {
            "claude" => {
                assert_eq!(cwd.trim_end(), top.display().to_string(), "{}", call.turn);
                assert!(argv.contains("\nRead,Grep,Glob\n"), "{argv}");
            }
            cli => {
                assert_eq!(cli, "codex");
                assert!(!cwd.starts_with(&top.display().to_string()), "{cwd}");
                assert!(argv.contains("\nread-only\n"), "{argv}");
            }
        }
    }
    // Without the flag no agent is started in it.
    let sandbox = trusted();
    sandbox.run(&["review"]).exits(1);
    for call in sandbox.calls() {
        assert!(!call.read("argv").contains("Grep"), "{}", call.turn);
        let cwd = call.read("cwd");
        assert_ne!(cwd.trim_end(), top.display().to_string());
    }
}

#[test]
fn a_reader_that_writes_leaves_it_undecided_for_good() {
    let sandbox = writing(WRITES);
    let run = sandbox.run(&["review", "--set", "review.read_repo=true", "--json"]);
    run.exits(4);
    let document = run.json();
    spoilt(&document);
    // The findings are kept, and so is the changed file.
    assert_eq!(document["findings"].as_array().unwrap().len(), 2);
    let evil = sandbox.project().join("src/evil.py");
    assert_eq!(fs::read_to_string(&evil).unwrap(), "print(1)\n");
    let report = fs::read_to_string(document["report_path"].as_str().unwrap()).unwrap();
    assert!(report.contains("src/evil.py"), "{report}");

    let id = document["session_id"].as_str().unwrap();
    let shown = sandbox.run(&["sessions", "show", id]).stdout;
    assert!(shown.starts_with("UNDECIDED") && shown.contains("src/evil.py"), "{shown}");
    spoilt(&sandbox.run(&["sessions", "show", id, "--json"]).json());
    // Not even after the file is gone, and however often it is resumed.
    fs::remove_file(&evil).unwrap();
    sandbox.heal();
    let calls = sandbox.calls().len();
    for _ in 0..2 {
        spoilt(&sandbox.resume(&[]).exits(4).json());
    }
    assert_eq!(sandbox.calls().len(), calls, "it was all answered");
    spoilt(&sandbox.run(&["sessions", "show", id, "--json"]).json());
    writing(WRITES).run(&["review", "--set", "review.read_repo=true"]).exits(4);
}

#[test]
fn a_write_in_the_vote_counts_as_much_as_one_in_the_review() {
    let sandbox = trusted().fake("validate_s2.sh", WRITES);
    let run = sandbox.run(&["review", "--set", "review.read_repo=true", "--json"]);
    spoilt(&run.exits(4).json());
}

#[test]
fn a_write_before_the_review_was_killed_is_not_forgotten_by_the_resume() {
    let script = format!("{WRITES}: >\"$fake/here\"; exec sleep 100");
    let sandbox = trusted().fake("r1_review_s2.1.sh", &script);
    let mut child = sandbox.spawn(&["review", "--set", "review.read_repo=true"]);
    sandbox.until_here();
    child.kill().unwrap();
    child.wait().unwrap();
    spoilt(&sandbox.resume(&[]).exits(4).json());
    spoilt(&sandbox.resume(&[]).exits(4).json());
    sandbox.nobody_is_left();
}

#[test]
fn a_write_is_not_forgotten_where_the_resume_is_killed_too() {
    let script = format!("{WRITES}: >\"$fake/here\"; exec sleep 100");
    let sandbox = trusted()
        .fake("r1_review_s2.1.sh", &script)
        .fake("r1_review_s2.2.sh", ": >\"$fake/there\"; exec sleep 100");
    let mut child = sandbox.spawn(&["review", "--set", "review.read_repo=true"]);
    sandbox.until_here();
    child.kill().unwrap();
    child.wait().unwrap();
    let id = sandbox.only_session();
    let mut child = sandbox.spawn(&["sessions", "resume", &id]);
    sandbox.until("$fake/there", |sandbox| sandbox.home().join(".fake/there").exists());
    child.kill().unwrap();
    child.wait().unwrap();
    spoilt(&sandbox.resume(&[]).exits(4).json());
    sandbox.nobody_is_left();
}

#[test]
fn a_killed_review_of_a_repository_that_nobody_changed_goes_on() {
    let sandbox = trusted().fake("compose_s1.1.sh", ": >\"$fake/here\"; exec sleep 100");
    let mut child = sandbox.spawn(&["review", "--set", "review.read_repo=true"]);
    sandbox.until_here();
    child.kill().unwrap();
    child.wait().unwrap();
    let document = sandbox.resume(&[]).exits(1).json();
    assert_eq!(document["verdict"], "changes_requested");
    // Between an orderly end of a run and its resume, people may work.
    let sandbox = trusted();
    let run = sandbox.run(&["review", "--set", "review.read_repo=true", "--budget", "0.30"]);
    run.exits(4);
    sandbox.write("notes.txt", "Written by the user meanwhile.\n");
    let document = sandbox.resume(&["--budget", "2.50"]).exits(1).json();
    assert_eq!(document["verdict"], "changes_requested");
}

#[test]
fn an_agent_of_which_nobody_knows_how_it_reads_is_refused() {
    let config = r#"{"agents": {"plain": {"profile": "generic", "path": "/bin/cat", "declared_cost_usd": 0}}}"#;
    let sandbox = trusted().config(config);
    sandbox
        .run(&["review", "--set", "review.read_repo=true", "--agents", "plain,claude"])
        .exits(2)
        .says("plain")
        .says("read");
    assert!(sandbox.calls().is_empty());
    assert!(sandbox.sessions().is_empty());
}
