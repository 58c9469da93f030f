//! The log of decisions, through the binary.

use std::fs;

use serde_json::Value;

use crate::support::Sandbox;

const ADD: [&str; 8] = [
    "decisions",
    "add",
    "--manual",
    "--title",
    "Transport",
    "--decision",
    "gRPC between services.",
    "--json",
];

fn listed(sandbox: &Sandbox, args: &[&str]) -> Vec<String> {
    let args = [&["decisions", "list", "--json"], args].concat();
    let log = sandbox.run(&args).exits(0).json();
    let decisions = log["decisions"].as_array().unwrap();
    let ids = decisions.iter().map(|entry| entry["id"].as_str().unwrap());
    ids.map(str::to_owned).collect()
}

#[test]
fn a_manual_decision_is_logged_listed_and_written_for_people() {
    let sandbox = Sandbox::new();
    let shows = |args: &[&str], text: &str| {
        let run = sandbox.run(args);
        assert!(run.exits(0).stdout.contains(text), "{}", run.stdout);
    };
    shows(&["decisions", "list"], "No decisions are logged here.");
    assert!(!sandbox.project().join(".debate").exists(), "a list writes nothing");
    let more = [
        "--reason",
        "Latency.",
        "--alternatives",
        "REST,GraphQL",
        "--priority",
        "high",
        "--tags",
        "api,transport",
    ];
    let run = sandbox.run(&[&ADD[..], &more[..]].concat());
    let added = run.exits(0).json();
    let entry = &added["decision"];
    assert_eq!((&entry["id"], &entry["source"]), (&"D1".into(), &"manual".into()));
    assert!(entry["consensus"].is_null(), "nothing was measured: {entry}");
    assert_eq!(entry["priority"], "high");
    assert_eq!(entry["tags"], serde_json::json!(["api", "transport"]));
    assert_eq!(entry["alternatives"], serde_json::json!(["REST", "GraphQL"]));
    sandbox.run(&ADD).exits(0);
    assert_eq!(listed(&sandbox, &[]), ["D1", "D2"]);
    assert_eq!(listed(&sandbox, &["--tag", "API"]), ["D1"]);
    let none = ["decisions", "list", "--tag", "ap"];
    shows(&none, "No decision has this tag.");
    shows(&["decisions", "list"], "Transport: gRPC between services.");
    let folder = sandbox.project().join(".debate");
    let file: Value =
        serde_json::from_slice(&fs::read(folder.join("decisions.json")).unwrap()).unwrap();
    assert_eq!(&file["decisions"][0], entry);
    let page = fs::read_to_string(folder.join("decisions.md")).unwrap();
    let (first, second) = (page.find("## D1 Transport"), page.find("## D2 Transport"));
    assert!(first.is_some() && first < second, "newest last: {page}");
    assert!(page.contains("- Consensus: not measured"), "{page}");
}

#[test]
fn what_cannot_be_logged_is_refused_with_the_reason_and_nothing_is_written() {
    let sandbox = Sandbox::new();
    let file = sandbox.project().join(".debate/decisions.json");
    let add = |args: &[&str]| sandbox.run(&[&["decisions", "add"], args].concat());
    add(&[]).exits(2).says("decisions add --manual --title TITLE");
    add(&["--manual"]).exits(2).says("--title");
    add(&["--manual", "--title", "x"]).exits(2).says("--decision");
    add(&["--title", "x", "--decision", "y"]).exits(2);
    add(&["0199", "--manual", "--title", "x", "--decision", "y"])
        .exits(2)
        .says("cannot be used with");
    add(&["0199", "--reason", "x"]).exits(2);
    add(&["--manual", "--title", " ", "--decision", "y"]).exits(2).says("`--title` is empty");
    add(&["--manual", "--title", "x", "--decision", "y", "--priority", "urgent"])
        .exits(2)
        .says("low, medium, high");
    add(&["0199"]).exits(2).says("0199");
    // A session of another protocol decides something else.
    sandbox.run(&["plan", "Add paging", "--rehearse"]).exits(0);
    let id = sandbox.run(&["sessions", "list", "--json"]).json()["sessions"][0]["session_id"]
        .as_str()
        .unwrap()
        .to_owned();
    add(&[&id]).exits(2).says("is not a topic debate");
    assert!(!file.exists());
    fs::write(&file, "{\"schema_version\": 9}").unwrap();
    for args in [&ADD[..], &["decisions", "list"]] {
        sandbox.run(args).exits(5).says("its version is 9");
    }
    assert_eq!(fs::read_to_string(&file).unwrap(), "{\"schema_version\": 9}");
}

#[test]
fn hostile_words_reach_neither_screen_nor_page() {
    let sandbox = Sandbox::new();
    let evil = "x\u{1b}]0;owned\u{7} <img src=x> ![a](b) | # h";
    let add = ["decisions", "add", "--manual", "--title", evil, "--decision", evil, "--tags", evil];
    for run in [sandbox.run(&add), sandbox.run(&["decisions", "list"])] {
        assert!(!run.exits(0).stdout.contains(['\u{1b}', '\u{7}']), "{}", run.stdout);
    }
    let page = fs::read_to_string(sandbox.project().join(".debate/decisions.md")).unwrap();
    assert!(!page.contains('\u{1b}') && !page.contains(" <img"), "{page}");
    assert!(!page.contains(" ![a](b)"), "{page}");
}
