//! `discuss` where a failure could read as success: what was left out, what was not reached, what could not be written down.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::{Value, json};

use crate::support::Sandbox;
use crate::support::discusses::BRIEF;
use crate::support::replies::warned;

/// A file that is larger than any artifact may be.
fn huge() -> String {
    "All of this is text.\n".repeat((900 << 10) / 21 + 1)
}

/// Discusses all that `args` name as one run, and returns its document.
#[track_caller]
fn several(sandbox: &Sandbox, args: &[&str], code: i32) -> Value {
    let run = sandbox.run(&[&["discuss", "--json"], args].concat());
    let document = run.exits(code).json();
    sandbox.is_of("discussions", &document);
    document
}

/// Codes by artifact of what was not discussed.
fn not_discussed(document: &Value) -> Vec<(&str, &str)> {
    let left = document["not_discussed"].as_array().unwrap().iter();
    left.map(|left| {
        (
            left["artifact"].as_str().unwrap(),
            left["code"].as_str().unwrap(),
        )
    })
    .collect()
}

/// Also where nothing but one file of the folder can be read: the run is accounted for, not that file alone.
#[test]
fn what_is_too_large_in_a_folder_stands_against_the_result() {
    let sandbox = Sandbox::discussing();
    sandbox.artifact("notes/a.md", "# A\n");
    let alone = several(&sandbox, &["notes"], 0);
    assert_eq!(alone["summary"]["artifacts"], 1);
    assert_eq!(alone["summary"]["reached"], 1);
    sandbox.artifact("notes/b.md", huge());
    let document = several(&sandbox, &["notes"], 4);
    assert_eq!(document["discussions"].as_array().unwrap().len(), 1);
    assert_eq!(not_discussed(&document), [("notes/b.md", "too_large")]);
    let page = fs::read_to_string(document["record_path"].as_str().unwrap()).unwrap();
    assert!(page.contains("NOT DISCUSSED: 1 of 2 artifacts"), "{page}");
    let plan = sandbox.run(&["discuss", "notes", "--dry-run", "--json"]);
    let plan = plan.exits(0).json();
    assert_eq!(warned(&plan, ""), ["perspective_skipped", "not_discussed"]);
    // What is no document by its nature is told, and stands against nothing.
    sandbox.artifact("pictures/a.md", "# A\n");
    sandbox.artifact("pictures/logo.png", b"\x89PNG\r\n\x1a\n\0");
    let document = several(&sandbox, &["pictures"], 0);
    assert_eq!(not_discussed(&document), []);
    let told = document["warnings"].as_array().unwrap().iter();
    let told: Vec<&Value> = told.filter(|each| each["code"] == "left_out").collect();
    assert_eq!(told.len(), 1, "{document}");
}

/// The first one costs 0.20 of 0.30; what is left does not pay for a second one.
#[test]
fn one_budget_is_for_all_and_what_it_does_not_reach_is_named() {
    let sandbox = Sandbox::discussing().fake("r1_quality.json", "{\"cost\": 0.2}");
    sandbox.artifact("docs/b.md", "# B\n");
    sandbox.artifact("docs/c.md", "# C\n");
    let args = [BRIEF, "docs/b.md", "docs/c.md"];
    let more = ["--perspectives", "quality", "--budget", "0.30"];
    let document = several(&sandbox, &[&args[..], &more].concat(), 4);
    assert_eq!(
        not_discussed(&document),
        [("docs/b.md", "budget"), ("docs/c.md", "budget")]
    );
    assert_eq!(
        document["cost"],
        json!({"total_usd": 0.2, "budget_usd": 0.3, "basis": "reported"})
    );
    assert_eq!(sandbox.ledger(), ["claude r1/quality"]);
}

/// A preset is data, and may come with a project.
#[test]
fn a_preset_reads_nothing_outside_of_its_folder() {
    let sandbox = Sandbox::discussing();
    let outside = sandbox.tmp().join("outside.json");
    fs::write(&outside, "{\"private\": true}").unwrap();
    let refused = |link: &str, code: &str| {
        let path = sandbox.project().join(link);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::remove_file(&path).ok();
        symlink(&outside, &path).unwrap();
        let run = sandbox.run(&["discuss", "--preset", "DISCUSS-002", "--json"]);
        assert_eq!(run.exits(2).json()["error"]["code"], code, "{link}");
        fs::remove_file(&path).unwrap();
    };
    refused("spec/product-brief.md", "artifact_outside");
    sandbox.artifact("spec/product-brief.md", "# Brief\n");
    refused("spec/discovery-context.json", "context_outside");
    // One that leads nowhere is there all the same: `coverage` is not left out because of it.
    symlink(
        "nowhere.json",
        sandbox.project().join("spec/discovery-context.json"),
    )
    .unwrap();
    let run = sandbox.run(&["discuss", "--preset", "DISCUSS-002", "--json"]);
    assert_eq!(run.exits(2).json()["error"]["code"], "context_missing");
    assert!(sandbox.calls().is_empty());
}

#[test]
fn a_record_is_never_written_over() {
    let sandbox = Sandbox::discussing();
    let run = |code| sandbox.discussed(&["--round-id", "R-7"], code);
    let path = |document: &Value| document["record_path"].as_str().unwrap().to_owned();
    let first = path(&run(0));
    let page = fs::read(&first).unwrap();
    let second = path(&run(0));
    let rehearsed = sandbox.discuss(&["--round-id", "R-7", "--rehearse"]).json();
    assert_eq!(rehearsed["rehearsal"], true);
    let third = path(&rehearsed);
    assert!(third.ends_with("/R-7-rehearsal-discussion.md"), "{third}");
    assert!(first.ends_with("/R-7-discussion.md"), "{first}");
    assert!(second.ends_with("/R-7-discussion-2.md"), "{second}");
    assert_eq!(fs::read(&first).unwrap(), page);
}

#[test]
fn a_record_that_could_not_be_written_is_not_said_to_be_there() {
    let sandbox = Sandbox::discussing();
    sandbox.artifact(".debate/discuss/discussions", "in the way");
    let document = sandbox.discussed(&[], 0);
    assert_eq!(document["record_path"], Value::Null);
    assert!(warned(&document, "").contains(&"report_not_written".to_owned()));
}

/// What a policy could not write down costs the exit code, and says so; the result stays.
#[test]
fn a_follow_up_that_could_not_be_written_down_is_no_go() {
    let sandbox = Sandbox::discussing().rates(&[("risk", 2)]);
    sandbox.artifact("work/wisdom", "in the way");
    let args = ["--apply-policy", "--session", "work", "--fail-on", "high"];
    let document = sandbox.discussed(&args, 5);
    assert_eq!(document["severity"], "medium");
    assert!(document.get("follow_up").is_none(), "{document}");
    assert!(warned(&document, "").contains(&"policy_not_applied".to_owned()));
}

/// A project may bring a link in the place of the folder for reports, into another project's.
#[test]
fn follow_ups_are_written_behind_no_link_of_the_project() {
    let sandbox = Sandbox::discussing().rates(&[("product", 1), ("technical", 1)]);
    let elsewhere = sandbox.tmp().join("elsewhere");
    fs::create_dir_all(elsewhere.join("discuss")).unwrap();
    symlink(&elsewhere, sandbox.project().join("reports")).unwrap();
    let config = json!({"paths": {"debate": "reports"}}).to_string();
    sandbox.write("debate-agent.config.json", config);
    let run = sandbox.discuss(&["--apply-policy"]);
    run.exits(5).says("reports is a symbolic link");
    assert!(sandbox.calls().is_empty());
    assert_eq!(fs::read_dir(elsewhere.join("discuss")).unwrap().count(), 0);
}

/// A session's journal is data: what it names is no path to write to.
#[test]
fn a_resume_writes_into_no_folder_that_a_session_names() {
    let sandbox = Sandbox::discussing()
        .rates(&[("product", 1), ("technical", 1)])
        .babbles("quality", "It is fine.")
        .babbles("risk", "It is fine.");
    let args = ["--apply-policy", "--session", "work", "--round-id", "R-8"];
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

/// Two critiques of one artifact: the one that is resumed was opened before the other one sent it back.
#[test]
fn of_two_critiques_at_once_only_one_asks_for_a_revision() {
    let low = [("product", 1), ("technical", 1)];
    let sandbox = Sandbox::discussing()
        .rates(&low)
        .babbles("quality", "It is fine.")
        .babbles("risk", "It is fine.");
    let first = sandbox.discussed(&["--apply-policy"], 4);
    sandbox.heal();
    let sandbox = sandbox.rates(&low);
    let second = sandbox.discussed(&["--apply-policy"], 1);
    assert_eq!(second["follow_up"]["action"], "revision_task");
    let id = first["session_id"].as_str().unwrap();
    let resumed = sandbox
        .run(&["sessions", "resume", id, "--json"])
        .exits(1)
        .json();
    assert_eq!(resumed["follow_up"]["action"], "escalate");
    assert_eq!(resumed["recommendation"], "escalate");
    let page = fs::read_to_string(resumed["record_path"].as_str().unwrap()).unwrap();
    assert!(
        page.contains("escalate") && !page.contains("revise:"),
        "{page}"
    );
    let actions: Vec<Value> = (sandbox.policy(".debate/discuss").into_iter())
        .map(|line| line["action"].clone())
        .collect();
    assert_eq!(actions, ["revision_task", "escalate"]);
}
