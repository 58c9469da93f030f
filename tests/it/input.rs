//! Backlog files, good and bad: the run works, or the error names file, item and field; nothing is spent on a bad
//! one.

use serde_json::{Value, json};

use crate::support::replies::ranking;
use crate::support::table::each_of;
use crate::support::{Run, Sandbox};

/// Runs `prioritize` over a file of the project with this content.
fn over(sandbox: &Sandbox, name: &str, content: impl AsRef<[u8]>) -> Run {
    sandbox.write(name, content);
    sandbox.run(&["prioritize", name, "--json", "--max-rounds", "1"])
}

/// Asserts that a file was refused as unusable input, before anything was called or stored.
#[track_caller]
fn refused(what: &str, sandbox: &Sandbox, run: &Run, parts: &[&str]) {
    assert_eq!(run.code, 2, "{what}\n{}{}", run.stdout, run.stderr);
    let error = &serde_json::from_str::<Value>(&run.stdout)
        .unwrap_or_else(|error| panic!("{what}: {error}\n{}", run.stdout))["error"];
    let message = error["message"].as_str().unwrap();
    for part in parts {
        assert!(message.contains(part), "{what}: no `{part}` in `{message}`");
        assert!(run.stderr.contains(part), "{what}: no `{part}` in\n{}", run.stderr);
    }
    assert!(!message.contains('\n') && !message.contains('\u{1b}'), "{what}: {message:?}");
    assert!(!run.stderr.contains("panicked"), "{what}\n{}", run.stderr);
    assert_eq!(sandbox.ledger(), [""; 0], "{what}: somebody was called");
    assert_eq!(sandbox.sessions().len(), 0, "{what}: a session was opened");
}

#[test]
fn a_file_that_is_no_backlog_is_refused_by_file_item_and_field() {
    let cases: Vec<(&str, Vec<u8>, &[&str])> = vec![
        ("cut", b"[\n {\"title\": \"One\"},\n {\"ti".to_vec(), &["not valid JSON", "at line 3"]),
        ("JSON Lines, second bad", b"{\"title\": \"One\"}\n{\"title\": }\n".to_vec(), &["not valid JSON", "at line 2"]),
        ("a title that is missing", b"[\n {\"title\": \"One\"},\n {\"titel\": \"Two\"}\n]".to_vec(), &["item 2", "`title`"]),
        ("a share above 1", b"[{\"title\": \"A\", \"actionability\": {\"clarity\": 2, \"evidence\": 1, \"effort\": \"small\", \"reversibility\": \"full\"}}]".to_vec(), &["`actionability.clarity`"]),
        ("an id twice", b"[{\"title\": \"A\", \"opportunity_id\": \"x\"},\n{\"title\": \"B\", \"opportunity_id\": \"x\"}]".to_vec(), &["items 1 and 2 have the same id `x`"]),
        ("an id with an escape", b"[{\"title\": \"A\", \"opportunity_id\": \"a\\u001b[31m\"}]".to_vec(), &["`opportunity_id`", "\\u{1b}"]),
        ("an id with NUL", b"[{\"title\": \"A\", \"opportunity_id\": \"a\\u0000\"}]".to_vec(), &["`opportunity_id`", "\\u{0}"]),
        ("Latin-1", b"[{\"title\": \"caf\xe9\"}]".to_vec(), &["not UTF-8", "byte 15"]),
        ("brackets 100,000 deep", "[".repeat(100_000).into(), &["not valid JSON"]),
        ("1,001 items", many(1_001).into(), &["1001 opportunities are too many", "1000"]),
    ];
    each_of(&cases, |(what, content, parts)| {
        let sandbox = Sandbox::new();
        let run = over(&sandbox, "my backlog.json", content);
        refused(what, &sandbox, &run, &[&["my backlog.json"], *parts].concat());
    });
}

#[test]
fn a_file_that_cannot_be_read_is_refused_by_name() {
    let sandbox = Sandbox::new();
    let run = sandbox.run(&["prioritize", "nowhere.json", "--json"]);
    refused("missing", &sandbox, &run, &["nowhere.json"]);
    std::fs::create_dir(sandbox.project().join("folder")).unwrap();
    let run = sandbox.run(&["prioritize", "folder", "--json"]);
    refused("a folder", &sandbox, &run, &["folder"]);
    // Standard input is empty in this run.
    let run = sandbox.run(&["prioritize", "-", "--json"]);
    refused("standard input", &sandbox, &run, &["the file is empty"]);
}

/// This many opportunities as JSON, with titles only.
fn many(count: usize) -> String {
    let items: Vec<Value> = (0..count).map(|n| json!({ "title": format!("Item {n}") })).collect();
    json!(items).to_string()
}

#[test]
fn nothing_and_one_have_nothing_to_rank_and_call_nobody() {
    for (count, content) in [
        (0, "[]".to_owned()),
        (0, "{\"opportunities\": []}".to_owned()),
        (1, many(1)),
        (1, "{\"title\": \"One\"}\n".to_owned()),
    ] {
        let sandbox = Sandbox::new();
        let document = over(&sandbox, "few.json", &content).exits(0).json();
        assert_eq!(document["outcome"], "nothing_to_rank", "{content}");
        assert_eq!(document["verdict"], "undecided", "{content}");
        assert_eq!(ranking(&document).len(), count, "{content}");
        assert_eq!(document["cost_usd"], 0.0, "{content}");
        assert_eq!(sandbox.ledger(), [""; 0], "{content}");
    }
}

#[test]
fn a_thousand_items_are_ranked() {
    let sandbox = Sandbox::new();
    let document = over(&sandbox, "many.json", many(1_000)).exits(0).json();
    let ranked = ranking(&document);
    let ids: std::collections::BTreeSet<&String> = ranked.iter().collect();
    assert_eq!((ranked.len(), ids.len()), (1_000, 1_000));
    assert_eq!(document["outcome"], "consensus");
    assert_eq!(sandbox.calls().len(), 3);
}

#[test]
fn ids_with_spaces_and_letters_of_any_script_are_ids() {
    let ids = ["first thing", "Zweite Säule", "第三", "a/b:c d", "e\"f"];
    let items: Vec<Value> =
        ids.iter().map(|id| json!({ "title": "T", "opportunity_id": id })).collect();
    let sandbox = Sandbox::new();
    let document = over(&sandbox, "ids.json", json!(items).to_string()).exits(0).json();
    assert_eq!(ranking(&document), ids);
    assert_eq!(
        document["warnings"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|each| each["code"] != "cost_estimated")
            .count(),
        0
    );
}

#[test]
fn a_description_of_five_mebibytes_just_works_and_is_kept_whole() {
    let text = "All work and no play. ".repeat((5 << 20) / 22 + 1);
    let items = json!([{ "title": "Large", "description": text }, { "title": "Small" }, { "title": "Third" }]);
    let sandbox = Sandbox::new();
    let document = over(&sandbox, "large.json", items.to_string()).exits(0).json();
    assert_eq!(document["ranked_opportunities"][0]["description"], text);
    let codes: Vec<&Value> =
        document["warnings"].as_array().unwrap().iter().map(|each| &each["code"]).collect();
    assert!(codes.contains(&&json!("shortened_for_prompt")), "{codes:?}");
    for call in sandbox.calls() {
        let chars = call.read("stdin").chars().count();
        assert!((800_000..1_048_576).contains(&chars), "{}: {chars}", call.turn);
    }
}

#[test]
fn the_file_itself_is_never_changed() {
    let sandbox = Sandbox::new();
    let path = sandbox.six();
    let before = std::fs::read(&path).unwrap();
    sandbox.run(&["prioritize", "backlog.json", "--json"]).exits(0);
    assert_eq!(std::fs::read(path).unwrap(), before);
}
