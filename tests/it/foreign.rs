//! What somebody else may have written and the user would answer for: sessions that a repository brings, a configuration
//! that others can write.
#![cfg(target_os = "linux")]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use serde_json::{Value, json};

use crate::hostile_state::{line, records, suspended};
use crate::support::Sandbox;

/// Changes the first record of a session, checksum and all.
fn prepare(dir: &std::path::Path, change: impl FnOnce(&mut Value)) {
    let mut journal = records(dir);
    change(&mut journal[0]["body"]);
    let bytes: Vec<u8> = journal.into_iter().flat_map(line).collect();
    fs::write(dir.join("journal.jsonl"), bytes).unwrap();
}

#[test]
fn m3_a_session_lifts_no_limit_of_the_user() {
    for budget in [json!(1_000_000), Value::Null] {
        let (sandbox, dir, id) = suspended();
        prepare(&dir, |opened| {
            opened["budget"] = budget.clone();
            opened["settings"]["retries"]["crashed"] = json!(4_000_000_000_u32);
            opened["settings"]["retries"]["overloaded"] = json!(4_000_000_000_u32);
        });
        let before = sandbox.calls().len();
        let run = sandbox.run(&["sessions", "resume", &id, "--json"]);
        let document = run.exits(4).json();
        let budget_now = || {
            let status = sandbox.run(&["sessions", "status", &id, "--json"]);
            status.exits(0).json()["budget_usd"].as_f64().unwrap()
        };
        assert!((budget_now() - 2.5).abs() < 1e-9, "{budget}");
        let warnings = document["warnings"].to_string();
        assert!(warnings.contains("budget_lowered"), "{budget}: {warnings}");
        // The project's configuration allows no retry, and no other agent plays the critic.
        assert_eq!(sandbox.calls().len(), before + 1, "{budget}");
        // What is typed is the user's word.
        let run = sandbox.run(&["sessions", "resume", &id, "--budget", "7", "--json"]);
        run.exits(4);
        assert!((budget_now() - 7.0).abs() < 1e-9, "{budget}");
    }
}

#[test]
fn m3_a_session_that_git_tracks_is_not_gone_on_with() {
    let (sandbox, _, id) = suspended();
    sandbox.git(&["init", "--quiet"]);
    sandbox.git(&["add", "--force", ".debate"]);
    let before = sandbox.calls().len();
    for args in [
        &["sessions", "resume", &id, "--json"][..],
        &["sessions", "resume", &id, "--from-round", "1", "--json"],
    ] {
        let run = sandbox.run(args);
        assert_eq!(run.exits(3).json()["error"]["code"], "foreign_session");
        assert!(run.stdout.contains("git rm"), "{}", run.stdout);
    }
    assert_eq!(sandbox.calls().len(), before);
    // It can be read all the same, and gone on with once git has let go of it.
    sandbox.run(&["sessions", "show", &id]).exits(0);
    sandbox.git(&["rm", "-r", "--quiet", "--cached", ".debate"]);
    sandbox.run(&["sessions", "resume", &id]).exits(4);
    assert!(sandbox.calls().len() > before);
}

#[test]
fn l8_a_configuration_that_others_can_write_is_not_the_users_word() {
    let sandbox = Sandbox::new();
    sandbox.six();
    let file = sandbox.home().join(".config/debate-agent/config.json");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(&file, r#"{"limits": {"allow_dangerous": true}}"#).unwrap();
    for mode in [0o666, 0o620, 0o602] {
        fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
        let run = sandbox.run(&["prioritize", "backlog.json", "--rehearse"]);
        run.exits(2).says("can be written by others").says("chmod");
    }
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    sandbox
        .run(&["prioritize", "backlog.json", "--rehearse"])
        .exits(0);
}
