//! The effects of a critique with `--apply-policy`, on disk: once per session, once per artifact, never from nothing.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use serde_json::{Value, json};

use crate::support::Sandbox;
use crate::support::discusses::{BRIEF, critique_with};
use crate::support::replies::warned;

const APPLY: [&str; 3] = ["--apply-policy", "--perspectives", "product,technical"];
const FOLDER: &str = ".debate/discuss";

/// Both perspectives block the artifact.
fn blocked() -> Sandbox {
    Sandbox::discussing().rates(&[("product", 1), ("technical", 2)])
}

/// One of them rates it low.
fn doubted() -> Sandbox {
    let said = json!({"weaknesses": ["No owner is named."], "suggestions": ["Name an owner."]});
    Sandbox::discussing().critic("technical", &critique_with(2, said))
}

fn files(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .map(|entries| {
            entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect()
        })
        .unwrap_or_default();
    names.sort();
    names
}

fn record(document: &Value) -> String {
    fs::read_to_string(document["record_path"].as_str().unwrap()).unwrap()
}

/// However its path is written, an artifact is the same one; another one has its own revision.
#[test]
fn an_artifact_goes_back_once_whatever_it_is_called() {
    let sandbox = blocked();
    sandbox.artifact("docs/other.md", "# Another one\n");
    let run = |artifact: &str, task: &str| {
        let args = [&["discuss", artifact, "--task-id", task, "--json"], &APPLY[..]].concat();
        let document = sandbox.run(&args).exits(1).json();
        sandbox.is_of("discuss", &document);
        let actions = &document["follow_up"];
        assert_eq!(actions["recorded"], true, "{artifact}");
        (
            document["recommendation"].as_str().unwrap().to_owned(),
            actions["action"].as_str().unwrap().to_owned(),
            actions["task"].as_str().map(str::to_owned),
        )
    };
    let went = |recommendation: &str, action: &str, task: Option<&str>| {
        (recommendation.to_owned(), action.to_owned(), task.map(str::to_owned))
    };
    let back = went("revise", "revision_task", Some("DRAFT-1-R1"));
    assert_eq!(run(BRIEF, "DRAFT-1"), back);
    let person = went("escalate", "escalate", None);
    assert_eq!(run("./docs/../docs/brief.md", "DRAFT-2"), person);
    let absolute = sandbox.project().join(BRIEF);
    assert_eq!(run(absolute.to_str().unwrap(), "DRAFT-3"), person);
    symlink("brief.md", sandbox.project().join("docs/alias.md")).unwrap();
    assert_eq!(run("docs/alias.md", "DRAFT-3b"), person);
    let other = went("revise", "revision_task", Some("DRAFT-4-R1"));
    assert_eq!(run("docs/other.md", "DRAFT-4"), other);
    let lines = sandbox.policy(FOLDER);
    let said: Vec<(&str, &str)> = (lines.iter())
        .map(|line| (line["artifact"].as_str().unwrap(), line["action"].as_str().unwrap()))
        .collect();
    assert_eq!(
        said,
        [
            (BRIEF, "revision_task"),
            (BRIEF, "escalate"),
            (BRIEF, "escalate"),
            (BRIEF, "escalate"),
            ("docs/other.md", "revision_task")
        ]
    );
    // A revision task lists the points to revise.
    assert_eq!(lines[0]["severity"], "high");
    assert_eq!(lines[0]["divergences"].as_array().unwrap().len(), 2);
    assert_eq!(lines[0]["action_items"].as_array().unwrap().len(), 2);
}

#[test]
fn nothing_follows_from_what_is_fine_or_undecided_or_rehearsed() {
    let sandbox = Sandbox::discussing();
    let document = sandbox.discussed(&APPLY, 0);
    assert_eq!(document["follow_up"]["action"], "go_on");
    assert_eq!(document["follow_up"]["stops"], false);
    let undecided =
        Sandbox::discussing().rates(&[("product", 1)]).babbles("technical", "It is fine.");
    let document = undecided.discussed(&APPLY, 4);
    assert_eq!(document["follow_up"]["action"], "nothing");
    let rehearsed = blocked();
    rehearsed.discuss(&[&APPLY[..], &["--rehearse"]].concat());
    for sandbox in [&sandbox, &undecided, &rehearsed] {
        let folder = sandbox.project().join(FOLDER);
        assert_eq!(files(&folder), ["discussions"]);
    }
    // Once it is decided, the effects follow.
    undecided.heal();
    let undecided = undecided.rates(&[("technical", 1)]);
    let id = document["session_id"].as_str().unwrap();
    let resumed = undecided.run(&["sessions", "resume", id, "--json"]);
    let resumed = resumed.exits(1).json();
    assert_eq!(resumed["severity"], "high");
    assert_eq!(resumed["follow_up"]["action"], "revision_task");
    assert_eq!(undecided.policy(FOLDER).len(), 1);
}

#[test]
fn standard_input_has_no_name_to_count_by() {
    let sandbox = Sandbox::discussing();
    let run = sandbox.piped(&["discuss", "-", "--apply-policy", "--json"], "# A text\n");
    let document = run.exits(2).json();
    assert_eq!(document["error"]["code"], "artifact");
    assert!(sandbox.calls().is_empty());
    assert!(sandbox.sessions().is_empty());
}

#[test]
fn a_damaged_file_is_told_with_its_line_before_anybody_is_asked() {
    let sandbox = blocked();
    sandbox.discussed(&APPLY, 1);
    let path = sandbox.project().join(FOLDER).join("policy.jsonl");
    let whole = fs::read_to_string(&path).unwrap();
    let calls = sandbox.calls().len();
    let damaged = whole.clone() + "{\"schema_version\": 1, \"action\": \"revi\n" + &whole;
    fs::write(&path, &damaged).unwrap();
    for args in [&APPLY[..], &APPLY[1..]] {
        let run = sandbox.discuss(args);
        run.exits(5).says("policy.jsonl");
        run.says("line 2");
        assert_eq!(sandbox.calls().len(), calls, "{args:?}");
        assert_eq!(fs::read_to_string(&path).unwrap(), damaged, "{args:?}");
    }
    fs::write(&path, whole).unwrap();
    let document = sandbox.discussed(&APPLY, 1);
    assert_eq!(document["follow_up"]["action"], "escalate");
    assert_eq!(sandbox.policy(FOLDER).len(), 2);
}

/// The result is paid for and shown; a failed policy costs the exit code.
#[test]
fn what_cannot_be_written_down_is_told_beside_the_result() {
    let sandbox = doubted();
    // A file in the place of the folder.
    sandbox.write(&format!("{FOLDER}/wisdom"), "");
    let document = sandbox.discussed(&APPLY, 5);
    assert_eq!(document["severity"], "medium");
    assert_eq!(document["verdict"], "consensus_blocked");
    assert!(document.get("follow_up").is_none(), "{document}");
    let warnings = warned(&document, "");
    assert!(warnings.contains(&"policy_not_applied".to_owned()), "{warnings:?}");
    let page = record(&document);
    assert!(page.contains("nothing followed from the result"), "{page}");

    let sandbox = blocked();
    // A folder in the place of the lock.
    fs::create_dir_all(sandbox.project().join(FOLDER).join("policy.lock")).unwrap();
    let run = sandbox.run(&[&["discuss", BRIEF], &APPLY[..]].concat());
    let text = &run.exits(5).stdout;
    assert!(text.starts_with("BLOCKED (high)"), "{text}");
    assert!(text.contains("nothing followed"), "{text}");
    assert!(sandbox.policy(FOLDER).is_empty());
}

/// A session opened before the artifact went back takes that into account when it is decided: its recommendation, the
/// policy's action and the coordinator's message agree.
#[test]
fn what_went_back_meanwhile_goes_to_a_person() {
    let sandbox = blocked()
        .fake("r1_technical.1.txt", "It is fine.")
        .fake("r1_technical.2.txt", "It is fine.");
    let early = sandbox.discussed(&APPLY, 4);
    let between = sandbox.discussed(&APPLY, 1);
    assert_eq!(between["recommendation"], "revise");
    let id = early["session_id"].as_str().unwrap();
    let late = sandbox.run(&["sessions", "resume", id, "--json"]);
    let late = late.exits(1).json();
    assert_eq!(late["follow_up"]["action"], "escalate");
    assert_eq!(late["recommendation"], "escalate");
    let message = late["message"].as_str().unwrap();
    assert!(message.contains("\nRecommendation: escalate\n"), "{message}");
    let page = record(&late);
    assert!(page.contains("Recommendation: escalate"), "{page}");
    assert!(!page.contains("Recommendation: revise"), "{page}");
    // Forked from the first round it is a session of its own, and the third block.
    let again = sandbox.run(&["sessions", "resume", id, "--from-round", "1", "--json"]);
    let again = again.exits(1).json();
    assert_eq!(again["follow_up"]["action"], "escalate");
    assert_eq!(again["recommendation"], "escalate");
    assert_eq!(sandbox.policy(FOLDER).len(), 3);
}

/// A journal that names a folder does not permit writing there.
#[test]
fn a_resume_writes_to_no_folder_that_its_session_names() {
    let sandbox = blocked().babbles("technical", "It is fine.");
    let args = [&APPLY[..], &["--folder", "work"]].concat();
    let document = sandbox.discussed(&args, 4);
    sandbox.heal();
    let sandbox = sandbox.rates(&[("technical", 1)]);
    let before = files(&sandbox.project().join("work"));
    let id = document["session_id"].as_str().unwrap();
    let resumed = sandbox.run(&["sessions", "resume", id, "--json"]);
    let resumed = resumed.exits(1).json();
    assert_eq!(resumed["severity"], "high");
    assert!(resumed.get("follow_up").is_none(), "{resumed}");
    let warnings = warned(&resumed, "");
    assert!(warnings.contains(&"policy_not_applied".to_owned()), "{warnings:?}");
    assert_eq!(files(&sandbox.project().join("work")), before);
    assert!(sandbox.policy("work").is_empty());
    let record = resumed["record_path"].as_str().unwrap();
    assert!(record.contains("/.debate/discuss/discussions/"), "{record}");
}

/// Two at once take each other into account: one sends it back, the other one to a person.
#[test]
fn of_two_at_once_one_sends_it_back() {
    let sandbox = blocked();
    let args = [&["discuss", BRIEF, "--json"], &APPLY[..]].concat();
    let runs = [sandbox.start(&args), sandbox.start(&args)];
    let mut actions: Vec<String> = (runs.into_iter())
        .map(|live| {
            let document = live.finish().exits(1).json();
            let action = document["follow_up"]["action"].as_str().unwrap();
            let advice = document["recommendation"].as_str().unwrap();
            format!("{action}: {advice}")
        })
        .collect();
    actions.sort();
    assert_eq!(actions, ["escalate: escalate", "revision_task: revise"]);
    assert_eq!(sandbox.policy(FOLDER).len(), 2);
}
