//! The names that readers and users of the source documents rely on: the critique's message and record, commands, MCP
//! fields.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::support::Sandbox;
use crate::support::discusses::BRIEF;

/// Blocked with severity medium: one rating of 2.
fn blocked() -> Sandbox {
    Sandbox::discussing().rates(&[("product", 2), ("technical", 4)])
}

const TWO: [&str; 2] = ["--perspectives", "product,technical"];
const FOR: [&str; 4] = ["--role", "writer", "--task-id", "T-1"];

/// The only record of a folder, as Markdown and as JSON.
fn record(folder: &Path) -> (String, Value) {
    let records = fs::read_dir(folder.join("discussions")).unwrap();
    let files: Vec<PathBuf> = records.map(|entry| entry.unwrap().path()).collect();
    let of = |kind: &str| {
        let mut found = files.iter().filter(|file| file.extension().unwrap() == kind);
        let text = fs::read_to_string(found.next().unwrap()).unwrap();
        assert!(found.next().is_none(), "{files:?}");
        text
    };
    (of("md"), serde_json::from_str(&of("json")).unwrap())
}

#[test]
fn the_coordinators_six_lines_are_the_same_on_a_pipe_in_markdown_and_over_mcp() {
    for format in ["text", "markdown"] {
        let sandbox = blocked().env("COLUMNS", "40");
        let args = [&["discuss", BRIEF, "--format", format][..], &TWO, &FOR].concat();
        let printed = sandbox.run(&args).exits(1).stdout.clone();
        let (_, document) = record(&sandbox.project().join(".debate/discuss"));
        let message = document["message"].as_str().unwrap();
        assert_eq!(message.lines().count(), 6);
        assert!(message.starts_with("[writer] T-1 complete. Discuss "), "{message}");
        assert!(printed.contains(&format!("\n{message}\n")), "{format}: {printed}");
    }
    let sandbox = blocked().repository();
    let mut mcp = sandbox.mcp();
    let arguments = json!({
        "artifact": BRIEF, "perspectives": ["product", "technical"], "role": "writer", "task_id": "T-1",
        "round_id": "DISCUSS-009", "session": "work", "apply_policy": true,
    });
    let result = mcp.result("discuss_artifact", arguments);
    let (markdown, document) = record(&sandbox.project().join("work"));
    assert_eq!(result["message"], document["message"]);
    assert_eq!(result["recommendation"], document["recommendation"]);
    assert_eq!(result["recommendation"], "proceed-with-caution");
    assert_eq!(result["severity"], "medium");
    assert!(markdown.starts_with("# Discussion Record: DISCUSS-009\n"));
    let issues = fs::read_to_string(sandbox.project().join("work/wisdom/issues.md")).unwrap();
    assert!(issues.contains("DISCUSS-009"), "{issues}");
}

#[test]
fn a_producing_role_needs_no_artifact_with_a_preset_and_paths_stay_where_clients_may_be() {
    let sandbox = Sandbox::discussing().repository();
    sandbox.artifact("work/spec/architecture/_index.md", "# Architecture\n\nOne process.\n");
    let outside = sandbox.tmp().display().to_string();
    let mut mcp = sandbox.mcp();
    let result =
        mcp.result("discuss_artifact", json!({"preset": "DISCUSS-004", "session": "work"}));
    assert_eq!(result["verdict"], "consensus_reached");
    assert!(result.get("message").is_none(), "{result}");
    let (_, document) = record(&sandbox.project().join("work"));
    assert_eq!(document["artifact"], "work/spec/architecture/_index.md");
    assert_eq!(document["role"], "writer");
    let asked = sandbox.calls().len();
    for (field, arguments) in [
        ("artifact", json!({"role": "writer"})),
        ("session", json!({"preset": "DISCUSS-004", "session": outside})),
        ("session", json!({"preset": "DISCUSS-004", "session": "../elsewhere"})),
        ("session", json!({"preset": "DISCUSS-004", "session": BRIEF})),
        ("session", json!({"preset": "DISCUSS-004", "session": ".git/hooks"})),
        ("round_id", json!({"artifact": BRIEF, "round_id": "../x"})),
        ("role", json!({"artifact": BRIEF, "role": "a\nb"})),
        ("task_id", json!({"artifact": BRIEF, "task_id": "a\tb"})),
    ] {
        let why = mcp.refusal("discuss_artifact", arguments.clone());
        assert!(why.contains(&format!("`{field}`")), "{arguments}: {why}");
    }
    assert_eq!(sandbox.calls().len(), asked, "nobody was asked");
    assert!(!sandbox.project().join("../elsewhere").exists());
}

/// The findings of a reader made for the source document's record.
fn read_as_the_source(record: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in record.lines() {
        for label in ["Artifact", "Perspectives", "Consensus", "Average Rating"] {
            if let Some(value) = line.strip_prefix(&format!("**{label}**: ")) {
                found.push(format!("{label}={value}"));
            }
        }
        if let Some(heading) = line.strip_prefix("## ") {
            found.push(format!("[{heading}]"));
        }
        if let Some(topic) = line.strip_prefix("- **") {
            let (topic, rest) = topic.split_once("** (").unwrap();
            let (severity, _) = rest.split_once("): ").unwrap();
            found.push(format!("{topic}/{severity}"));
        }
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        if let ["", name, rating, ..] = cells[..]
            && rating.ends_with("/5")
        {
            found.push(format!("{name}={rating}"));
        }
    }
    found
}

#[test]
fn the_record_has_the_lines_of_the_source_documents_record() {
    let sandbox = blocked();
    let document = sandbox.discussed(&TWO, 1);
    let record = fs::read_to_string(document["record_path"].as_str().unwrap()).unwrap();
    assert_eq!(
        read_as_the_source(&record)[..11],
        [
            "Artifact=docs/brief.md",
            "Perspectives=product, technical",
            "Consensus=blocked",
            "Average Rating=3.00/5",
            "[Convergent Themes]",
            "[Divergent Views]",
            "low rating/medium",
            "[Coverage Gaps]",
            "[Action Items]",
            "[Ratings]",
            "product=2/5",
        ]
    );
    let reached = Sandbox::discussing();
    let document = reached.discussed(&TWO, 0);
    let record = fs::read_to_string(document["record_path"].as_str().unwrap()).unwrap();
    assert_eq!(read_as_the_source(&record)[2], "Consensus=reached");
}

#[test]
fn a_topic_over_mcp_takes_a_file_a_tone_and_an_expert() {
    let sandbox = Sandbox::disputing().repository();
    sandbox.write("notes/load.md", "The cache answers in 3 ms under load.\n");
    let mut mcp = sandbox.mcp();
    let arguments = json!({
        "topic": "Should the cache move to Redis?", "context": "notes/load.md", "mode": "consensus", "expert": "none",
        "max_rounds": 2,
    });
    let result = mcp.result("debate_topic", arguments);
    let id = result["session_id"].as_str().unwrap();
    let shown = sandbox.run(&["sessions", "show", id, "--json"]).json();
    assert_eq!(shown["mode"], "consensus");
    assert_eq!(shown["context"].as_array().unwrap().len(), 1);
    let prompt = &sandbox.prompts("r1/propose")[0];
    assert!(prompt.contains("3 ms under load"), "{prompt}");
    assert!(sandbox.calls().iter().all(|call| !call.turn.ends_with("expert")));
    let outside = sandbox.tmp().join("x.md");
    fs::write(&outside, "x").unwrap();
    let why = mcp
        .refusal("debate_topic", json!({"topic": "x", "context": outside.display().to_string()}));
    assert!(why.contains("`context`"), "{why}");
}

#[test]
fn names_of_the_debate_managers_command_line_are_told_what_they_are_here() {
    let sandbox = Sandbox::new();
    for (args, meant) in [
        (&["start", "--topic", "x"][..], "debate-agent debate 'TOPIC'"),
        (&["status", "--debate-id", "abc123"], "debate-agent sessions status ID"),
        (&["resume", "--debate-id", "abc123"], "debate-agent sessions resume ID"),
        (&["debate", "--topic", "x"], "debate-agent debate 'TOPIC'"),
        (&["sessions", "resume", "--debate-id", "abc123"], "debate-agent sessions resume ID"),
    ] {
        let run = sandbox.run(args);
        run.exits(2).says("tip: ").says(meant);
        assert!(!run.stderr.contains("'trust'"), "{}", run.stderr);
        let as_json = sandbox.run(&[args, &["--json"]].concat()).exits(2).json();
        let hint = as_json["error"]["hint"].as_str().unwrap();
        assert!(hint.contains(meant), "{hint}");
    }
    // A name unknown to both programs gets no such tip.
    let run = sandbox.run(&["debat", "x"]);
    run.exits(2).says("'debate'");
}

#[test]
fn a_configuration_in_yaml_is_told_that_it_is_json() {
    let sandbox = Sandbox::new();
    sandbox.write("config/debate_config.yaml", "debate:\n  max_rounds: 4\n");
    let args = ["--config", "config/debate_config.yaml", "debate", "x", "--rehearse"];
    let run = sandbox.run(&args);
    run.exits(2).says("a configuration is JSON").says("\"expert_threshold\": 0.7");
}
