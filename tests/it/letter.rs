//! What the source documents give as input works letter by letter (`fixtures/source`).

use std::fs;

use serde_json::Value;

use crate::support::{Sandbox, fixture};

const PARTNERS: [&str; 3] = ["backlog-champion", "backlog-critic", "backlog-moderator"];

/// Copies a skill of a source document to `folder/ROLE/SKILL.md` of the project.
fn skill(sandbox: &Sandbox, folder: &str, role: &str) -> String {
    let text = fs::read_to_string(fixture(&format!("source/skills/{role}/SKILL.md"))).unwrap();
    sandbox.write(&format!("{folder}/{role}/SKILL.md"), &text);
    text
}

fn notes(document: &Value) -> Vec<String> {
    let warnings = document["warnings"].as_array().unwrap().iter();
    warnings
        .filter(|warning| warning["code"] == "skill_note")
        .map(|warning| warning["message"].as_str().unwrap().to_owned())
        .collect()
}

/// Whether a call was told this skill, as a file, an argument or in its prompt.
fn was_told(sandbox: &Sandbox, turn: &str, skill: &str) -> bool {
    let calls = sandbox.calls();
    let call = calls.iter().find(|call| call.turn == turn).unwrap();
    let line = skill.lines().nth(2).unwrap();
    ["argv", "stdin", "instructions", "system"]
        .iter()
        .any(|file| call.read(file).contains(line))
        || fs::read_dir(&call.dir).unwrap().any(|file| {
            fs::read_to_string(file.unwrap().path()).is_ok_and(|text| text.contains(line))
        })
}

#[test]
fn the_partners_skills_are_used_without_front_matter_once_they_are_trusted() {
    let by_path = r#"{"roles": {
        "backlog-champion": {"skill": "mine/backlog-champion/SKILL.md"},
        "backlog-critic": {"skill": "mine/backlog-critic/SKILL.md"},
        "backlog-moderator": {"skill": "mine/backlog-moderator/SKILL.md"}
    }}"#;
    let claude = r#"{"paths": {"skills": ".claude/skills"}}"#;
    for (folder, config) in [
        ("skills", "{}"),
        (".claude/skills", claude),
        ("mine", by_path),
    ] {
        let sandbox = Sandbox::new().scenario("backlog/consensus");
        sandbox.six();
        sandbox.write("debate-agent.config.json", config);
        let texts = PARTNERS.map(|role| skill(&sandbox, folder, role));
        let refused = sandbox.run(&["prioritize", "backlog.json", "--json"]);
        assert_eq!(
            refused.exits(3).json()["error"]["code"],
            "untrusted",
            "{folder}"
        );
        assert!(sandbox.calls().is_empty(), "{folder}");
        sandbox.run(&["trust"]).exits(0);
        let run = sandbox.run(&["prioritize", "backlog.json", "--json"]);
        let document = run.exits(0).json();
        for (used, role) in document["skills"].as_array().unwrap().iter().zip(PARTNERS) {
            assert_eq!(used["name"], role, "{folder}");
        }
        for ((seat, text), note) in ["champion", "critic", "moderator"]
            .iter()
            .zip(&texts)
            .zip(notes(&document))
        {
            assert!(
                was_told(&sandbox, &format!("r1/{seat}"), text),
                "{folder}: {seat}"
            );
            assert!(note.contains("has no front matter"), "{note}");
        }
        // The note is kept with the session.
        let id = document["session_id"].as_str().unwrap();
        let shown = sandbox.run(&["sessions", "show", id, "--json"]).json();
        assert_eq!(notes(&shown), notes(&document));
        assert_eq!(notes(&shown).len(), 3, "{folder}");
    }
}

#[test]
fn the_critique_agents_file_is_a_skill_of_a_perspective() {
    let sandbox = Sandbox::discussing().rates(&[("product", 4), ("quality", 4)]);
    let text = skill(&sandbox, "skills", "discuss-quality");
    sandbox.run(&["trust"]).exits(0);
    let document = sandbox.discussed(&["--perspectives", "product,quality"], 0);
    assert!(was_told(&sandbox, "r1/quality", &text));
    let [note] = &notes(&document)[..] else {
        panic!("{document}");
    };
    assert!(note.contains("discuss-quality/SKILL.md has no front matter"));
}

#[test]
fn a_skill_that_lies_where_claude_code_looks_is_told_to_be_unread() {
    let sandbox = Sandbox::new().scenario("backlog/consensus");
    sandbox.six();
    skill(&sandbox, ".claude/skills", "backlog-critic");
    let document = sandbox
        .run(&["prioritize", "backlog.json", "--json"])
        .exits(0)
        .json();
    let [note] = &notes(&document)[..] else {
        panic!("{document}");
    };
    assert!(
        note.starts_with(".claude/skills/backlog-critic/SKILL.md is not read"),
        "{note}"
    );
    assert!(note.contains("`paths.skills`"), "{note}");
    let listed = sandbox.run(&["skills", "list"]).exits(0).stdout.clone();
    assert!(listed.contains(note.as_str()), "{listed}");
}
