//! The presets: their artifacts, perspectives and names, and that they lead nowhere else.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::json;

use crate::support::Sandbox;
use crate::support::discusses::{CONTEXT, critique_with};

/// Preset, artifact, perspectives, calling role: the table of `docs/discuss.md`.
const PRESETS: [(&str, &str, &[&str], &str); 6] = [
    ("DISCUSS-001", "spec/discovery-context.json", &["product", "risk", "coverage"], "analyst"),
    (
        "DISCUSS-002",
        "spec/product-brief.md",
        &["product", "technical", "quality", "coverage"],
        "writer",
    ),
    ("DISCUSS-003", "spec/requirements/_index.md", &["quality", "product", "coverage"], "writer"),
    ("DISCUSS-004", "spec/architecture/_index.md", &["technical", "risk"], "writer"),
    (
        "DISCUSS-005",
        "spec/epics/_index.md",
        &["product", "technical", "quality", "coverage"],
        "writer",
    ),
    (
        "DISCUSS-006",
        "spec/readiness-report.md",
        &["product", "technical", "quality", "risk", "coverage"],
        "reviewer",
    ),
];

/// A project with every file that a preset reads.
fn specified() -> Sandbox {
    let sandbox = Sandbox::discussing();
    for (preset, artifact, ..) in &PRESETS[1..] {
        sandbox.artifact(artifact, format!("# Of {preset}\n\nIt is written.\n"));
    }
    sandbox
}

fn preset(sandbox: &Sandbox, name: &str, more: &[&str], code: i32) -> serde_json::Value {
    let args = [&["discuss", "--preset", name, "--json"], more].concat();
    let run = sandbox.run(&args);
    if !more.contains(&"--rehearse") {
        run.exits(code);
    }
    let document = run.json();
    sandbox.is_of("discuss", &document);
    document
}

#[test]
fn each_preset_reads_its_file_and_asks_its_perspectives() {
    let sandbox = specified();
    for (name, artifact, perspectives, role) in PRESETS {
        let before = sandbox.calls().len();
        let document = preset(&sandbox, name, &[], 0);
        assert_eq!(document["preset"], name);
        assert_eq!(document["round_id"], name);
        assert_eq!(document["artifact"], artifact, "{name}");
        assert_eq!(document["asked"], json!(perspectives), "{name}");
        assert_eq!(document["role"], role, "{name}");
        assert_eq!(document["sign_off"], name == "DISCUSS-006", "{name}");
        let checks = perspectives.contains(&"coverage");
        assert_eq!(document["context"], CONTEXT, "{name}");
        let mut asked: Vec<String> = (sandbox.calls()[before..].iter())
            .map(|call| call.turn.trim_start_matches("r1/").to_owned())
            .collect();
        asked.sort();
        let mut wanted: Vec<&str> = perspectives.to_vec();
        wanted.sort_unstable();
        assert_eq!(asked, wanted, "{name}");
        let prompts = sandbox.calls();
        let prompt = prompts.last().unwrap().read("stdin");
        let text = format!("# Of {name}");
        assert_eq!(prompt.contains(&text), name != "DISCUSS-001", "{name}");
        if checks {
            assert!(prompt.contains("Two processes share it."), "{name}");
        }
        let record = document["record_path"].as_str().unwrap();
        let file = format!("/.debate/discuss/discussions/{name}-discussion.md");
        assert!(record.ends_with(&file), "{record}");
        assert!(fs::metadata(record.replace(".md", ".json")).is_ok(), "{record}");
    }
}

#[test]
fn a_second_run_keeps_the_first_one_s_record() {
    let sandbox = specified();
    let first = preset(&sandbox, "DISCUSS-004", &[], 0);
    let page = fs::read(first["record_path"].as_str().unwrap()).unwrap();
    let second = preset(&sandbox, "DISCUSS-004", &[], 0);
    let record = second["record_path"].as_str().unwrap();
    assert!(record.ends_with("/DISCUSS-004-discussion-2.md"), "{record}");
    assert!(fs::metadata(record.replace(".md", ".json")).is_ok());
    let kept = fs::read(first["record_path"].as_str().unwrap()).unwrap();
    assert_eq!(kept, page);
    // A rehearsal does not use the names of real records.
    let third = preset(&sandbox, "DISCUSS-004", &["--rehearse"], 0);
    let record = third["record_path"].as_str().unwrap();
    assert!(record.ends_with("/DISCUSS-004-rehearsal-discussion.md"), "{record}");
}

#[test]
fn a_session_folder_with_its_own_files_goes_first() {
    let sandbox = specified();
    sandbox.artifact("work/spec/product-brief.md", "# The brief of this work\n");
    let missing =
        json!({"missing_requirements": ["Two processes share it.", "Of this work alone."]});
    let sandbox = sandbox.critic("coverage", &critique_with(4, missing));
    let args = ["--folder", "work", "--apply-policy"];
    let document = preset(&sandbox, "DISCUSS-002", &args, 1);
    assert_eq!(document["artifact"], "work/spec/product-brief.md");
    // Its own context is missing, so it uses the project's.
    assert_eq!(document["context"], CONTEXT);
    assert!(sandbox.prompts("r1/quality")[0].contains("The brief of this work"));
    let record = document["record_path"].as_str().unwrap();
    assert!(record.ends_with("/work/discussions/DISCUSS-002-discussion.md"), "{record}");
    assert_eq!(sandbox.policy("work")[0]["action"], "revision_task");
    assert!(sandbox.policy(".debate/discuss").is_empty());

    let context = json!({"constraints": ["Of this work alone."]});
    sandbox.write("work/spec/discovery-context.json", context.to_string());
    let document = preset(&sandbox, "DISCUSS-002", &args, 1);
    assert_eq!(document["context"], "work/spec/discovery-context.json");
    assert_eq!(document["recommendation"], "escalate", "the second time");
    let prompts = sandbox.prompts("r1/coverage");
    assert!(prompts.last().unwrap().contains("Of this work alone."));
}

#[test]
fn what_is_no_preset_or_leads_out_is_refused_before_anybody_is_asked() {
    let sandbox = specified();
    let refused = |args: &[&str], error: &str, says: &str| {
        let run = sandbox.run(&[args, &["--json"]].concat());
        let document = run.exits(2).json();
        assert_eq!(document["error"]["code"], error, "{args:?}");
        run.says(says);
        assert!(sandbox.calls().is_empty(), "{args:?}");
        assert!(sandbox.sessions().is_empty(), "{args:?}");
    };
    refused(&["discuss", "--preset", "DISCUSS-02"], "preset", "did you mean `DISCUSS-002`?");
    // A link of the project to a file outside.
    let outside = sandbox.tmp().join("outside.md");
    fs::write(&outside, "# Nobody named this file\n").unwrap();
    let brief = sandbox.project().join("spec/product-brief.md");
    fs::remove_file(&brief).unwrap();
    symlink(&outside, &brief).unwrap();
    refused(&["discuss", "--preset", "DISCUSS-002"], "artifact_outside", "leads out of");
    // The same as a context.
    let context = sandbox.project().join(CONTEXT);
    fs::write(&outside, "{\"a\": 1}").unwrap();
    fs::remove_file(&context).unwrap();
    symlink(&outside, &context).unwrap();
    refused(&["discuss", "--preset", "DISCUSS-005"], "context_outside", "leads out of");
    fs::remove_file(&context).unwrap();
    // The session's folder leads out through a link within it.
    fs::create_dir_all(sandbox.project().join("work")).unwrap();
    symlink(sandbox.tmp(), sandbox.project().join("work/spec")).unwrap();
    fs::write(sandbox.tmp().join("product-brief.md"), "# Outside\n").unwrap();
    refused(
        &["discuss", "--preset", "DISCUSS-002", "--folder", "work"],
        "artifact_outside",
        "leads out of",
    );
    // By its own path it is a fault of the configuration.
    for path in ["../secret.md", "/etc/hostname", "spec/../../secret.md"] {
        let config =
            json!({"discuss": {"presets": {"OUT": {"artifact": path, "perspectives": ["risk"]}}}});
        let other = Sandbox::discussing().config(&config.to_string());
        let run = other.run(&["discuss", "--preset", "OUT", "--json"]);
        run.exits(2).says("within the project");
        assert!(other.calls().is_empty());
    }
    // No perspective is left: the one that checks against a context has none.
    let config = json!({"discuss": {"presets": {"COVER": {"artifact": "docs/brief.md", "perspectives": ["coverage"]}}}});
    let other = Sandbox::discussing().config(&config.to_string());
    fs::remove_file(other.project().join(CONTEXT)).unwrap();
    let run = other.run(&["discuss", "--preset", "COVER", "--json"]);
    run.exits(2).says("no perspective is left to ask");
    assert!(other.calls().is_empty());
    // Its file is missing.
    let empty = Sandbox::discussing();
    let run = empty.run(&["discuss", "--preset", "DISCUSS-003", "--json"]);
    let document = run.exits(2).json();
    assert_eq!(document["error"]["code"], "artifact_missing");
    assert!(empty.calls().is_empty());
}
