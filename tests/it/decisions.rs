//! The log of decisions, through the binary.

use std::fs;

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
