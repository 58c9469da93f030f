//! Files that others may have written and the user would answer for: sessions that a repository brings, a
//! configuration that others can write.
#![cfg(target_os = "linux")]

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown};

use serde_json::{Value, json};

use crate::hostile_state::{lines, records, suspended};
use crate::support::Sandbox;
use crate::support::debates::TOPIC;

/// Changes the first record of a session, checksum and all.
pub(crate) fn prepare(dir: &std::path::Path, change: impl FnOnce(&mut Value)) {
    let mut journal = records(dir);
    change(&mut journal[0]["body"]);
    fs::write(dir.join("journal.jsonl"), lines(&journal)).unwrap();
}

#[test]
fn m3_a_session_lifts_no_limit_of_the_user() {
    // The smaller number first: if it counted, that would soon show.
    for (budget, retries) in [(Value::Null, 2_u32), (json!(1_000_000), 4_000_000_000)] {
        let (sandbox, dir, id) = suspended();
        prepare(&dir, |opened| {
            opened["budget"] = budget.clone();
            opened["settings"]["retries"] = json!(retries);
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
        // The command line is the user's own.
        let run = sandbox.run(&["sessions", "resume", &id, "--budget", "7", "--json"]);
        run.exits(4);
        assert!((budget_now() - 7.0).abs() < 1e-9, "{budget}");
    }
}

#[test]
fn m3_a_session_asks_for_no_repair_that_the_user_forbids() {
    let sandbox = Sandbox::new().fake("r1_critic.txt", "I would rather not.");
    sandbox.six();
    sandbox.write("debate-agent.config.json", r#"{"limits": {"repair": false}}"#);
    sandbox.run(&["prioritize", "backlog.json"]).exits(4);
    prepare(&sandbox.sessions()[0], |opened| {
        assert_eq!(opened["settings"]["repair"], false);
        opened["settings"]["repair"] = json!(true);
    });
    let before = sandbox.calls().len();
    let id = sandbox.only_session();
    sandbox.run(&["sessions", "resume", &id]).exits(4);
    assert_eq!(sandbox.calls().len(), before + 1);
}

#[test]
fn m3_a_session_that_is_begun_from_it_lifts_none_either() {
    let sandbox = Sandbox::disputing();
    sandbox.run(&["debate", TOPIC]).exits(0);
    let dir = sandbox.sessions().remove(0);
    prepare(&dir, |opened| opened["budget"] = json!(1_000_000));
    let id = dir.file_name().unwrap().to_str().unwrap().to_owned();
    for (more, budget) in [(&[][..], 2.5), (&["--budget", "7"], 7.0)] {
        let args = ["sessions", "resume", &id, "--from-round", "1", "--json"];
        let document = sandbox.run(&[&args, more].concat()).exits(0).json();
        let begun = document["session_id"].as_str().unwrap();
        assert_ne!(begun, id);
        let status = sandbox.run(&["sessions", "status", begun, "--json"]);
        let of_it = status.exits(0).json()["budget_usd"].as_f64().unwrap();
        assert!((of_it - budget).abs() < 1e-9, "{of_it}");
        let warnings = document["warnings"].to_string();
        assert_eq!(warnings.contains("budget_lowered"), more.is_empty());
    }
}

#[test]
fn m3_a_session_of_another_user_is_not_gone_on_with() {
    let (sandbox, dir, id) = suspended();
    let before = sandbox.calls().len();
    for path in [dir.clone(), dir.join("journal.jsonl")] {
        // Only root can give files away; no other user can test this.
        if chown(&path, Some(65534), None).is_err() {
            return;
        }
        let run = sandbox.run(&["sessions", "resume", &id, "--json"]);
        assert_eq!(run.exits(3).json()["error"]["code"], "foreign_session");
        assert_eq!(sandbox.calls().len(), before);
        let ours = fs::metadata(sandbox.project()).unwrap().uid();
        chown(&path, Some(ours), None).unwrap();
    }
    sandbox.run(&["sessions", "resume", &id]).exits(4);
    assert!(sandbox.calls().len() > before);
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
        assert!(run.stdout.contains(" rm -r --cached "), "{}", run.stdout);
    }
    assert_eq!(sandbox.calls().len(), before);
    // It can be read all the same, and resumed once git no longer tracks it.
    sandbox.run(&["sessions", "show", &id]).exits(0);
    sandbox.git(&["rm", "-r", "--quiet", "--cached", ".debate"]);
    sandbox.run(&["sessions", "resume", &id]).exits(4);
    assert!(sandbox.calls().len() > before);
}

/// A submodule, or a repository that was copied along: the outer one does not know its content.
#[test]
fn m3_a_session_in_a_repository_of_its_own_is_not_gone_on_with() {
    for (embedded, is_submodule) in
        [(".debate", true), (".debate", false), (".debate/sessions", false)]
    {
        let (sandbox, dir, id) = suspended();
        let refused = |why: &str| {
            let before = sandbox.calls().len();
            let run = sandbox.run(&["sessions", "resume", &id, "--json"]);
            assert_eq!(run.exits(3).json()["error"]["code"], "foreign_session");
            assert!(run.stdout.contains(why), "{}", run.stdout);
            assert_eq!(sandbox.calls().len(), before, "{embedded}");
        };
        sandbox.git(&["init", "--quiet"]);
        sandbox.git(&["-C", embedded, "init", "--quiet"]);
        sandbox.git(&["-C", embedded, "add", "--force", "."]);
        sandbox.git(&["-C", embedded, "commit", "--quiet", "-m", "Bring a session"]);
        if is_submodule {
            sandbox.git(&["add", "--force", embedded]);
            assert!(sandbox.git(&["ls-files", "--stage"]).starts_with("160000 "));
        }
        refused("git tracks session");
        // A repository that cannot be asked has to be assumed to track it.
        let inner = sandbox.project().join(embedded).join(".git");
        fs::rename(&inner, dir.join("kept")).unwrap();
        fs::write(&inner, "gitdir: nowhere\n").unwrap();
        refused("whether git tracks session");
        fs::remove_file(&inner).unwrap();
        sandbox.run(&["sessions", "resume", &id]).exits(4);
    }
}

#[test]
fn m3_where_git_cannot_be_asked_a_session_is_not_gone_on_with() {
    let (sandbox, _, id) = suspended();
    let git = sandbox.project().join(".git");
    fs::write(&git, "gitdir: nowhere\n").unwrap();
    let before = sandbox.calls().len();
    let run = sandbox.run(&["sessions", "resume", &id, "--json"]);
    assert_eq!(run.exits(3).json()["error"]["code"], "foreign_session");
    assert_eq!(sandbox.calls().len(), before);
    fs::remove_file(&git).unwrap();
    sandbox.run(&["sessions", "resume", &id]).exits(4);
}

#[test]
fn m3_a_session_that_another_user_owns_is_not_gone_on_with() {
    let (sandbox, dir, id) = suspended();
    // Only root can give files away; no other user can test this.
    if chown(&dir, Some(65534), None).is_err() {
        return;
    }
    let before = sandbox.calls().len();
    let refused = |what: &str| {
        for more in [&[][..], &["--budget", "7"], &["--from-round", "1"]] {
            let args = [&["sessions", "resume", &id, "--json"], more].concat();
            let error = sandbox.run(&args).exits(3).json();
            assert_eq!(error["error"]["code"], "foreign_session", "{what} {more:?}");
            let message = error["error"]["message"].as_str().unwrap();
            assert!(message.contains("belongs to another user"), "{message}");
        }
    };
    refused("the folder");
    // The user's own folder with another user's journal is not resumed, either.
    chown(&dir, Some(0), None).unwrap();
    chown(dir.join("journal.jsonl"), Some(65534), None).unwrap();
    refused("the journal");
    assert_eq!(sandbox.calls().len(), before);
    assert_eq!(sandbox.sessions().len(), 1);
    // It can be read all the same.
    sandbox.run(&["sessions", "show", &id]).exits(0);
}

/// The number of rounds is the session's own, since recorded rounds are replayed; but no more than any configuration
/// may set.
#[test]
fn m3_a_session_names_no_more_rounds_than_a_user_may() {
    for rounds in [json!(21), json!(4_000_000_000_u32), json!(0)] {
        let (sandbox, dir, id) = suspended();
        prepare(&dir, |opened| {
            opened["settings"]["protocol"]["max_rounds"] = rounds.clone();
        });
        let before = sandbox.calls().len();
        let run = sandbox.run(&["sessions", "resume", &id, "--json"]);
        let error = run.exits(2).json();
        let message = error["error"]["message"].as_str().unwrap();
        assert!(message.contains("choose 1 to 20"), "{rounds}: {message}");
        assert_eq!(sandbox.calls().len(), before, "{rounds}");
    }
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
    sandbox.run(&["prioritize", "backlog.json", "--rehearse"]).exits(0);
}
