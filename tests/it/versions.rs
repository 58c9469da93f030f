//! Sessions of another version of this program, with different prompts, built-in skills and rules.
#![cfg(target_os = "linux")]

use serde_json::{Value, json};

use crate::foreign::prepare;
use crate::support::Sandbox;

/// A debate whose champion was asked twice, and whose budget ran out before the critic.
fn suspended() -> (Sandbox, String) {
    let sandbox = Sandbox::new()
        .scenario("backlog/consensus-in-one")
        .fake("r1_champion.1.txt", "I would rather not.")
        .fake("r1_champion.json", r#"{"cost": 0.05}"#);
    sandbox.six();
    sandbox.run(&["prioritize", "backlog.json", "--json", "--budget", "0.16"]).exits(4);
    assert_eq!(sandbox.ledger(), ["claude r1/champion", "claude r1/champion"]);
    let id = sandbox.only_session();
    (sandbox, id)
}

/// Turns the session into one with different prompts: different boundaries around their data, and different built-in
/// skills.
fn with_other_prompts(opened: &mut Value) {
    opened["boundary"] = json!("0123456789abcdef0123456789abcdef");
    let skill = "5f".repeat(32);
    for used in opened["skills"].as_array_mut().unwrap() {
        assert_eq!(used["origin"], "built-in");
        used["sha256"] = json!(skill);
    }
    for sha in opened["digests"]["skills"].as_object_mut().unwrap().values_mut() {
        *sha = json!(skill);
    }
}

#[test]
fn what_another_version_was_answered_is_not_asked_again() {
    type Change = fn(&mut Value);
    let changes: [(&str, Change); 2] = [
        ("a version of the program", |opened| opened["program_version"] = json!("0.0.9")),
        ("a version of the rules", |opened| {
            opened["settings"].as_object_mut().unwrap().remove("rules").unwrap();
        }),
    ];
    for (what, change) in changes {
        let (sandbox, id) = suspended();
        prepare(&sandbox.sessions()[0], |opened| {
            with_other_prompts(opened);
            change(opened);
        });
        let run = sandbox.run(&["sessions", "resume", &id, "--budget", "5", "--json"]);
        let document = run.exits(0).json();
        assert_eq!(document["verdict"], "decided", "{what}");
        let asked = &sandbox.ledger()[2..];
        assert_eq!(asked, ["codex r1/critic", "claude r1/moderator"], "{what}");
        // Only turns that were never asked got the present prompts.
        assert!(sandbox.prompts("r1/critic")[0].contains("0123456789abcdef"), "{what}");
    }
}

#[test]
fn prompts_of_this_version_that_changed_are_drift() {
    let (sandbox, id) = suspended();
    prepare(&sandbox.sessions()[0], with_other_prompts);
    let run = sandbox.run(&["sessions", "resume", &id, "--budget", "5"]);
    assert!(run.exits(3).stderr.contains("skill backlog-champion"), "{}", run.stderr);
    assert_eq!(sandbox.calls().len(), 2);
}

#[test]
fn a_skill_of_the_user_that_changed_is_drift_in_every_version() {
    let sandbox = Sandbox::new().scenario("backlog/consensus-in-one");
    sandbox.six();
    let own = sandbox.home().join("critic.md");
    let config = json!({"roles": {"backlog-critic": {"skill": own}}});
    let sandbox = sandbox.config(&config.to_string());
    let write = |text: &str| {
        let text = format!("---\nname: backlog-critic\ndescription: x\n---\n\n{text}\n");
        std::fs::write(&own, text).unwrap();
    };
    write("Doubt it.");
    let sandbox = sandbox.fake("r1_champion.json", r#"{"cost": 0.1}"#);
    sandbox.run(&["prioritize", "backlog.json", "--json", "--budget", "0.16"]).exits(4);
    prepare(&sandbox.sessions()[0], |opened| opened["program_version"] = json!("0.0.9"));
    write("Doubt it twice.");
    let id = sandbox.only_session();
    let run = sandbox.run(&["sessions", "resume", &id, "--budget", "5"]);
    assert!(run.exits(3).stderr.contains("skill backlog-critic"), "{}", run.stderr);
}
