//! Sessions that another version of this program made: they are shown and exported as they were stored, and nothing
//! else is done with them.
#![cfg(target_os = "linux")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::foreign::prepare;
use crate::support::Sandbox;

const SENTENCE: &str = "was made by version 0.0.9 and this is";

/// A debate whose budget ran out before the critic, or that was decided, and its result then; its first record names
/// another version, whose settings and input nobody here can read.
fn of_other_version(budget: &str, code: i32) -> (Sandbox, String, String, String) {
    let sandbox = Sandbox::new()
        .scenario("backlog/consensus-in-one")
        .fake("r1_champion.json", r#"{"cost": 0.1}"#);
    sandbox.six();
    let run = ["prioritize", "backlog.json", "--json", "--budget", budget];
    sandbox.run(&run).exits(code);
    let id = sandbox.only_session();
    let document = sandbox.run(&["sessions", "show", &id, "--json"]).exits(0).stdout.clone();
    let report = sandbox.run(&["sessions", "show", &id, "--format", "md"]).exits(0).stdout.clone();
    prepare(&sandbox.sessions()[0], |opened| {
        opened["program_version"] = json!("0.0.9");
        opened["settings"] = json!({"of": "another form"});
        opened["input"] = json!("another form");
    });
    (sandbox, id, document, report)
}

/// The files of a folder with their content.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                files.insert(path.clone(), fs::read(&path).unwrap());
            }
        }
    }
    files
}

#[test]
fn it_is_listed_shown_and_exported_as_it_was_stored() {
    for (budget, code, state) in [("5", 0, "closed"), ("0.16", 4, "suspended")] {
        let (sandbox, id, document, report) = of_other_version(budget, code);
        let asked = sandbox.calls().len();
        let before = files(&sandbox.sessions()[0]);
        let run = |args: &[&str]| sandbox.run(args).exits(0).stdout.clone();
        let listed = sandbox.run(&["sessions", "list", "--json"]).exits(0).json();
        assert_eq!(listed["sessions"][0]["status"], state);
        assert!(run(&["sessions", "list"]).contains(&id[..4]), "{state}");
        let status = sandbox.run(&["sessions", "status", &id, "--json"]).exits(0).json();
        assert_eq!(
            (&status["session"]["status"], &status["next_turns"]),
            (&json!(state), &json!([]))
        );
        assert_eq!(run(&["sessions", "show", &id, "--json"]), document, "{state}");
        assert_eq!(run(&["sessions", "show", &id, "--format", "json"]), document, "{state}");
        assert_eq!(run(&["sessions", "show", &id, "--format", "md"]), report, "{state}");
        let shown = run(&["sessions", "show", &id, "--full"]);
        assert!(shown.contains(SENTENCE) && shown.contains(report.trim_end()), "{shown}");
        let transcript = run(&["sessions", "show", &id, "--format", "transcript"]);
        assert!(transcript.contains("r1/champion"), "{transcript}");
        assert_eq!(files(&sandbox.sessions()[0]), before, "{state}");
        assert_eq!(sandbox.calls().len(), asked, "{state}");
    }
}

#[test]
fn it_is_refused_for_resume_fork_and_decide_before_anything_is_paid() {
    for (budget, code) in [("5", 0), ("0.16", 4)] {
        let (sandbox, id, ..) = of_other_version(budget, code);
        let (asked, before) = (sandbox.calls().len(), files(&sandbox.sessions()[0]));
        for more in [
            &["resume"][..],
            &["resume", "--budget", "5"],
            &["resume", "--accept-drift", "--budget", "5"],
            &["resume", "--from-round", "1", "--budget", "5"],
            &["resume", "--from-round", "1", "--dry-run"],
            &["decide", "--set", "backlog.max_rounds=1"],
        ] {
            let args = [&["sessions", more[0], &id], &more[1..]].concat();
            let run = sandbox.run(&args);
            let said = &run.exits(5).stderr;
            assert_eq!(said.matches(SENTENCE).count(), 1, "{args:?}: {said}");
            let refused = sandbox.run(&[&args[..], &["--json"]].concat()).exits(5).json();
            assert_eq!(refused["error"]["code"], "other_version", "{args:?}");
        }
        assert_eq!(sandbox.calls().len(), asked);
        assert_eq!(sandbox.sessions().len(), 1);
        assert_eq!(files(&sandbox.sessions()[0]), before);
    }
}

#[test]
fn without_a_stored_result_its_transcript_is_left() {
    let (sandbox, id, ..) = of_other_version("5", 0);
    fs::remove_file(sandbox.sessions()[0].join("session.json")).unwrap();
    let run = sandbox.run(&["sessions", "show", &id]);
    run.exits(5).says(SENTENCE).says("no result was stored").says("--format transcript");
    let transcript = sandbox.run(&["sessions", "show", &id, "--format", "transcript"]);
    assert!(transcript.exits(0).stdout.contains("r1/champion"));
}

#[test]
fn what_a_clone_brings_as_its_result_does_not_steer_the_terminal() {
    let (sandbox, id, ..) = of_other_version("5", 0);
    fs::write(sandbox.sessions()[0].join("session.md"), "# A\u{1b}]0;evil\u{7}\u{202e}b\n")
        .unwrap();
    for more in [&[][..], &["--format", "md"]] {
        let args = [&["sessions", "show", &id], more].concat();
        let shown = sandbox.run(&args).exits(0).stdout.clone();
        assert!(!shown.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{shown:?}");
    }
}

#[test]
fn ending_a_session_stores_its_result() {
    let sandbox = Sandbox::new()
        .scenario("backlog/consensus-in-one")
        .fake("r1_champion.json", r#"{"cost": 0.1}"#);
    sandbox.six();
    sandbox.run(&["prioritize", "backlog.json", "--budget", "0.16"]).exits(4);
    let id = sandbox.only_session();
    sandbox.run(&["sessions", "terminate", &id]).exits(0);
    let shown = sandbox.run(&["sessions", "show", &id, "--json"]).exits(0).stdout.clone();
    prepare(&sandbox.sessions()[0], |opened| opened["program_version"] = json!("0.0.9"));
    assert_eq!(sandbox.run(&["sessions", "show", &id, "--json"]).exits(0).stdout, shown);
}
