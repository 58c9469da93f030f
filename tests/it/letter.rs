//! The input in the source documents works to the letter (`fixtures/source`).

use std::fs;

use serde_json::{Value, json};

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

/// Whether a call got this skill, as a file, an argument or in its prompt.
fn was_told(sandbox: &Sandbox, turn: &str, skill: &str) -> bool {
    let calls = sandbox.calls();
    let call = calls.iter().find(|call| call.turn == turn).unwrap();
    let line = skill.lines().nth(2).unwrap();
    ["argv", "stdin", "instructions", "system"].iter().any(|file| call.read(file).contains(line))
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
    for (folder, config) in [("skills", "{}"), (".claude/skills", claude), ("mine", by_path)] {
        let sandbox = Sandbox::new().scenario("backlog/consensus");
        sandbox.six();
        sandbox.write("debate-agent.config.json", config);
        let texts = PARTNERS.map(|role| skill(&sandbox, folder, role));
        let refused = sandbox.run(&["prioritize", "backlog.json", "--json"]);
        assert_eq!(refused.exits(3).json()["error"]["code"], "untrusted", "{folder}");
        assert!(sandbox.calls().is_empty(), "{folder}");
        sandbox.run(&["trust"]).exits(0);
        let run = sandbox.run(&["prioritize", "backlog.json", "--json"]);
        let document = run.exits(0).json();
        for (used, role) in document["skills"].as_array().unwrap().iter().zip(PARTNERS) {
            assert_eq!(used["name"], role, "{folder}");
        }
        for ((seat, text), note) in
            ["champion", "critic", "moderator"].iter().zip(&texts).zip(notes(&document))
        {
            assert!(was_told(&sandbox, &format!("r1/{seat}"), text), "{folder}: {seat}");
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
    let document = sandbox.run(&["prioritize", "backlog.json", "--json"]).exits(0).json();
    let [note] = &notes(&document)[..] else {
        panic!("{document}");
    };
    assert!(note.starts_with(".claude/skills/backlog-critic/SKILL.md is not read"), "{note}");
    assert!(note.contains("`paths.skills`"), "{note}");
    let listed = sandbox.run(&["skills", "list"]).exits(0).stdout.clone();
    assert!(listed.contains(note.as_str()), "{listed}");
}

/// Runs one round in which a person takes a side, with these lines, and rehearsal takes the other.
fn argued(sandbox: &Sandbox, side: &str, lines: &[&str], code: i32) -> Value {
    sandbox.write("words.jsonl", lines.join("\n"));
    let args = [
        "debate",
        "Where should the money of the quarter go?",
        "--metadata",
        "department=marketing",
        "--metadata",
        "priority=high",
        "--metadata",
        "target_completion=2024-01-15",
        "--as",
        side,
        "--rehearse",
        "--max-rounds=1",
        "--arguments",
        "words.jsonl",
        "--json",
    ];
    sandbox.run(&args).exits(code).json()
}

fn sample(name: &str) -> String {
    fs::read_to_string(fixture(&format!("source/arguments/{name}.jsonl"))).unwrap()
}

const DEFENSE: &str = r#"{"type": "defense", "content": {"text": "It was measured."}}"#;
const RESOLUTION: &str = r#"{"type": "resolution", "content": {"points": [{"claim": "Begin small.", "importance": 3}]}}"#;

#[test]
fn the_sample_proposal_and_challenge_are_arguments_as_they_stand() {
    let sandbox = Sandbox::new();
    let proposal = sample("proposal");
    let document = argued(&sandbox, "primary", &[proposal.trim(), DEFENSE, RESOLUTION], 1);
    let argument = &document["rounds"][0]["arguments"][0];
    let given: Value = serde_json::from_str(&proposal).unwrap();
    assert_eq!(argument["content"], given["content"]);
    for (at, evidence) in given["evidence"].as_array().unwrap().iter().enumerate() {
        assert_eq!(argument["evidence"][at]["data"], evidence["data"]);
    }
    assert_eq!(
        (&argument["confidence_score"], &argument["confidence"]),
        (&Value::Null, &Value::Null),
        "nobody said how sure they were"
    );
    // The report and the terminal agree with the document.
    let report = fs::read_to_string(document["report_path"].as_str().unwrap()).unwrap();
    assert!(report.contains("Confidence: not stated"), "{report}");
    assert!(report.contains("survey\\_2023"), "{report}");

    let challenge = sample("challenge");
    let counter = r#"{"type": "counter", "content": {"text": "It is not enough."}}"#;
    let stances = r#"{"stances": [{"point": "P1", "stance": "disagree", "reason": "No."}]}"#;
    let document = argued(&sandbox, "adversary", &[challenge.trim(), counter, stances], 1);
    let argument = &document["rounds"][0]["arguments"][1];
    let given: Value = serde_json::from_str(&challenge).unwrap();
    assert_eq!(argument["content"], given["content"]);
    assert_eq!(argument["references"], given["references"]);
    assert_eq!(argument["evidence"][0]["data"]["market_share"], 0.45);
}

/// The fields of the source document's three models.
const DEBATE: [&str; 13] = [
    "debate_id",
    "topic",
    "description",
    "primary_agent_id",
    "adversary_agent_id",
    "status",
    "rounds",
    "current_round",
    "max_rounds",
    "consensus_threshold",
    "created_at",
    "updated_at",
    "metadata",
];
const ROUND: [&str; 8] = [
    "round_id",
    "debate_id",
    "round_number",
    "arguments",
    "consensus_metrics",
    "started_at",
    "ended_at",
    "status",
];
const ARGUMENT: [&str; 10] = [
    "argument_id",
    "debate_id",
    "type",
    "content",
    "agent_id",
    "timestamp",
    "references",
    "evidence",
    "confidence_score",
    "impact_areas",
];

#[test]
fn a_debate_of_typed_arguments_has_every_field_of_the_source_also_when_it_is_shown_again() {
    let sandbox = crate::support::styles::accepted();
    let run = sandbox.debated("argument", &crate::support::styles::CONTEXT, 0);
    let id = run["session_id"].as_str().unwrap();
    let shown = sandbox.run(&["sessions", "show", id, "--json"]).exits(0).json();
    for document in [&run, &shown] {
        let has = |value: &Value, fields: &[&str]| {
            for field in fields {
                assert!(!value[*field].is_null(), "{field}: {value}");
            }
        };
        has(document, &DEBATE);
        has(&document["rounds"][0], &ROUND);
        for argument in document["rounds"][0]["arguments"].as_array().unwrap() {
            has(argument, &ARGUMENT);
        }
        let round = &document["rounds"][0];
        assert_eq!(round["consensus_metrics"], round["metrics"]);
        assert_eq!(round["round_number"], round["round"]);
        assert_eq!(document["debate_id"], document["session_id"]);
        assert_eq!(document["created_at"], document["started_at"]);
        assert_eq!(document["primary_agent_id"], round["arguments"][0]["agent_id"]);
        assert_eq!(document["adversary_agent_id"], round["arguments"][1]["agent_id"]);
        assert_eq!(
            (&document["current_round"], &round["status"]),
            (&1.into(), &"evaluated".into())
        );
        // Times are in the order of events.
        let times: Vec<&str> = std::iter::once(&round["started_at"])
            .chain(round["arguments"].as_array().unwrap().iter().map(|each| &each["timestamp"]))
            .chain([&round["ended_at"], &document["updated_at"]])
            .map(|time| time.as_str().unwrap())
            .collect();
        assert!(times.is_sorted(), "{times:?}");
    }
    for field in
        ["rounds", "primary_agent_id", "current_round", "max_rounds", "created_at", "updated_at"]
    {
        assert_eq!(run[field], shown[field], "{field}");
    }
}

#[test]
fn metadata_is_json_where_it_is_json_and_text_as_it_was_written_else() {
    let sandbox = Sandbox::disputing();
    let given = [
        ("ticket", "ARC-17", json!("ARC-17")),
        ("count", "3", json!(3)),
        ("share", "-0.5", json!(-0.5)),
        ("urgent", "true", json!(true)),
        ("owner", "null", Value::Null),
        ("tags", r#"["a", {"b": 1}]"#, json!(["a", {"b": 1}])),
        ("quoted", r#""3""#, json!("3")),
        ("version", "1.10", json!("1.10")),
        ("big", "12345678901234567890123", json!("12345678901234567890123")),
        ("zip", "007", json!("007")),
        ("twice", r#"{"a": 1, "a": 2}"#, json!(r#"{"a": 1, "a": 2}"#)),
        ("empty", "", json!("")),
        ("why", "a=b", json!("a=b")),
    ];
    let pairs: Vec<String> = given.iter().map(|(key, text, _)| format!("{key}={text}")).collect();
    let mut args = vec!["debate", "REST or gRPC?", "--rehearse", "--json"];
    for pair in &pairs {
        args.extend(["--metadata", pair]);
    }
    let document = sandbox.run(&args).json();
    for (key, _, value) in &given {
        assert_eq!(&document["metadata"][*key], value, "{key}");
    }
    let report = fs::read_to_string(document["report_path"].as_str().unwrap()).unwrap();
    assert!(report.contains("\n  - count = 3\n"), "{report}");
    let id = document["session_id"].as_str().unwrap();
    let shown = sandbox.run(&["sessions", "show", id, "--json"]).json();
    assert_eq!(shown["metadata"], document["metadata"]);
}

#[test]
fn a_session_that_the_sources_system_stored_is_shown() {
    let sandbox = Sandbox::new();
    let file = fs::read_to_string(fixture("source/debates/debate-20251218.json")).unwrap();
    let record = sandbox.write(".swarm/backlog/debates/debate-20251218.json", &file);
    let given: Value = serde_json::from_str(&file).unwrap();
    let shown = sandbox.run(&["sessions", "show", "debate-2025", "--json"]).exits(0).json();
    for (field, value) in given["rounds"][0].as_object().unwrap() {
        assert_eq!(&shown["session"]["rounds"][0][field], value, "{field}");
    }
    for field in
        ["session_id", "opportunity_ids", "final_rankings", "consensus_reached", "total_cost_usd"]
    {
        assert_eq!(shown["session"][field], given[field], "{field}");
    }
    assert_eq!(shown["outcome"], "consensus");
    assert_eq!(shown["verdict"], "decided");
    let warnings = shown["warnings"].to_string();
    assert!(warnings.contains("record_alone") && warnings.contains("not resumed"), "{warnings}");
    // The same in words, and nothing was written.
    let text =
        sandbox.run(&["sessions", "show", "debate-20251218", "--full"]).exits(0).stdout.clone();
    assert!(text.starts_with("CONSENSUS after 1 of 3 rounds"), "{text}");
    assert_eq!(fs::read_to_string(&record).unwrap(), file);
    assert!(sandbox.sessions().is_empty());
    // Optional fields may be missing; an unknown word of an enum is reported with its field.
    let least = json!({"session_id": "least", "started_at": "2025-12-18T09:30:00"});
    sandbox.write(".swarm/backlog/debates/least.json", least.to_string());
    let shown = sandbox.run(&["sessions", "show", "least", "--json"]).exits(0).json();
    assert_eq!(
        (&shown["session"]["max_rounds"], &shown["session"]["budget_usd"]),
        (&json!(3), &json!(2.5))
    );
    assert_eq!(shown["verdict"], "undecided");
    sandbox.write(".swarm/backlog/debates/odd.json", file.replace("\"defer\"", "\"later\""));
    let refused = sandbox.run(&["sessions", "show", "odd", "--json"]).exits(2).json();
    let message = refused["error"]["message"].as_str().unwrap();
    assert!(message.contains("`rounds[0].moderator_dispositions.opp-2`"), "{message}");
    sandbox.run(&["sessions", "show", "debate-none"]).exits(2).says("there is no session");
    sandbox.run(&["sessions", "show", "../debates/odd"]).exits(2);
}

/// The record of a document's debate, if it was written.
fn record(sandbox: &Sandbox, document: &Value) -> Option<Value> {
    let id = document["session_id"].as_str().unwrap();
    let file = sandbox.project().join(format!(".swarm/backlog/debates/{id}.json"));
    let text = fs::read_to_string(file).ok()?;
    Some(serde_json::from_str(&text).unwrap())
}

#[test]
fn every_partner_debate_leaves_its_record_decided_or_not() {
    // Items that are in no store; undecided for want of an agent; undecided for want of money.
    let budget = ["--budget", "0.2"];
    for (scenario, args, outcome, code) in [
        ("backlog/consensus", &[][..], "consensus", 0),
        ("backlog/refusal", &[], "agent_failure", 4),
        ("backlog/consensus", &budget, "budget", 4),
    ] {
        let sandbox = Sandbox::new().scenario(scenario);
        sandbox.six();
        let args = [&["prioritize", "backlog.json", "--json"], args].concat();
        let document = sandbox.run(&args).exits(code).json();
        assert_eq!(document["outcome"], outcome);
        assert_eq!(record(&sandbox, &document).as_ref(), Some(&document["session"]), "{outcome}");
        assert!(!sandbox.project().join(".swarm/backlog/candidates.json").exists());
        // The record alone gives the same account of the debate.
        let id = document["session_id"].as_str().unwrap();
        fs::remove_dir_all(sandbox.project().join(".debate")).unwrap();
        let shown = sandbox.run(&["sessions", "show", id, "--json"]).json();
        assert_eq!(shown["session"], document["session"], "{outcome}");
        assert_eq!(
            (&shown["outcome"], &shown["verdict"]),
            (&document["outcome"], &document["verdict"])
        );
    }
    // A rehearsal is not a debate.
    let sandbox = Sandbox::new();
    sandbox.six();
    let document =
        sandbox.run(&["prioritize", "backlog.json", "--rehearse", "--json"]).exits(0).json();
    assert_eq!(record(&sandbox, &document), None);
    assert!(!sandbox.project().join(".swarm").exists());
}
