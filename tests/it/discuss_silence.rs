//! `discuss` where a failure could pass for success: something is not read, not written, or written in another place.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::{Value, json};

use crate::support::Sandbox;
use crate::support::discusses::{CONTEXT, seat};
use crate::support::replies::warned;

/// A preset's context may be missing; one that exists but cannot be read is an error, and never silently leaves
/// `coverage` out.
#[test]
fn a_context_that_a_preset_finds_is_read_or_an_error() {
    let sandbox = Sandbox::discussing();
    sandbox.artifact("spec/product-brief.md", "# Brief\n");
    let context = sandbox.project().join(CONTEXT);
    let outside = sandbox.tmp().join("outside.json");
    fs::write(&outside, "{\"private\": true}").unwrap();
    // Nobody typed its name: no link is followed.
    for target in ["nowhere.json", outside.to_str().unwrap()] {
        fs::remove_file(&context).unwrap();
        symlink(target, &context).unwrap();
        let run = sandbox.run(&["discuss", "--preset", "DISCUSS-002", "--json"]);
        assert_eq!(run.exits(2).json()["error"]["code"], "context_outside");
    }
    assert!(sandbox.calls().is_empty());
}

#[test]
fn a_rehearsal_does_not_take_the_name_of_what_it_rehearses() {
    let sandbox = Sandbox::discussing();
    let rehearsed = sandbox.discuss(&["--round-id", "R-7", "--rehearse"]).json();
    assert_eq!(rehearsed["rehearsal"], true);
    let record = rehearsed["record_path"].as_str().unwrap();
    assert!(record.ends_with("/R-7-rehearsal-discussion.md"), "{record}");
}

#[test]
fn what_went_back_is_known_without_a_policy_too() {
    let sandbox = Sandbox::discussing().rates(&[("product", 1), ("technical", 1)]);
    assert_eq!(sandbox.discussed(&[], 1)["recommendation"], "revise");
    let first = sandbox.discussed(&["--apply-policy"], 1);
    assert_eq!(first["recommendation"], "revise");
    let second = sandbox.discussed(&[], 1);
    assert_eq!(second["recommendation"], "escalate");
    assert!(second.get("follow_up").is_none(), "{second}");
}

#[test]
fn a_record_that_could_not_be_written_is_not_said_to_be_there() {
    let sandbox = Sandbox::discussing();
    sandbox.artifact(".debate/discuss/discussions", "in the way");
    let document = sandbox.discussed(&[], 0);
    assert_eq!(document["record_path"], Value::Null);
    assert!(warned(&document, "").contains(&"report_not_written".to_owned()));
}

/// A project may put a link into another project's folder in the place of its own folder for reports.
#[test]
fn follow_ups_are_written_behind_no_link_of_the_project() {
    let sandbox = Sandbox::discussing().rates(&[("product", 1), ("technical", 1)]);
    let elsewhere = sandbox.tmp().join("elsewhere");
    fs::create_dir_all(elsewhere.join("discuss")).unwrap();
    symlink(&elsewhere, sandbox.project().join("reports")).unwrap();
    let config = json!({"paths": {"debate": "reports"}}).to_string();
    sandbox.write("debate-agent.config.json", config);
    sandbox.run(&["trust"]).exits(0);
    let run = sandbox.discuss(&["--apply-policy"]);
    run.exits(5).says("reports is a symbolic link");
    assert!(sandbox.calls().is_empty());
    assert_eq!(fs::read_dir(elsewhere.join("discuss")).unwrap().count(), 0);
}

/// A session's journal is data: a path in it is not written to.
#[test]
fn a_resume_writes_into_no_folder_that_a_session_names() {
    let sandbox = Sandbox::discussing()
        .rates(&[("product", 1), ("technical", 1)])
        .babbles("quality", "It is fine.")
        .babbles("risk", "It is fine.");
    let args = ["--apply-policy", "--folder", "work", "--round-id", "R-8"];
    let first = sandbox.discussed(&args, 4);
    assert_eq!(first["follow_up"]["action"], "nothing");
    let files = || {
        let entries = fs::read_dir(sandbox.project().join("work/discussions")).unwrap();
        entries.count() + usize::from(sandbox.project().join("work/policy.jsonl").exists())
    };
    assert_eq!(files(), 2);
    sandbox.heal();
    let id = first["session_id"].as_str().unwrap();
    let resume = ["sessions", "resume", id, "--json"];
    for _ in 0..2 {
        let resumed = sandbox.run(&resume).exits(1).json();
        assert_eq!(resumed["recommendation"], "revise");
        assert!(resumed.get("follow_up").is_none(), "{resumed}");
        assert!(warned(&resumed, "").contains(&"policy_not_applied".to_owned()));
        assert_eq!(files(), 2);
    }
    assert!(sandbox.policy(".debate/discuss").is_empty());
    let record = ".debate/discuss/discussions/R-8-discussion.md";
    assert!(sandbox.project().join(record).exists());
}

/// `another` comes before `codex` by its name, and is Claude all the same.
#[test]
fn the_same_vendor_under_another_name_steps_in_last() {
    let twin = r#"{"agents": {"another": {"path": "claude", "profile": "claude"}}}"#;
    let sandbox = Sandbox::discussing().config(twin).breaks("claude", "not_logged_in");
    let document = sandbox.discussed(&["--perspectives", "quality"], 0);
    assert_eq!(seat(&document, "quality")["fell_back_to"], "codex");
    assert_eq!(
        sandbox.ledger(),
        ["claude r1/quality", "codex r1/quality"],
        "who fails is not asked under another name first"
    );
}

#[test]
fn a_gate_holds_without_a_policy_too() {
    let sandbox = Sandbox::discussing().rates(&[("product", 1), ("risk", 2)]);
    sandbox.artifact("spec/readiness-report.md", "# Ready\n");
    let run = sandbox.run(&["discuss", "--preset", "DISCUSS-006", "--json"]);
    let document = run.exits(1).json();
    assert_eq!(document["recommendation"], "escalate");
    assert_eq!(document["sign_off"], true);
}
