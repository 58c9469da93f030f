//! What is found, and what is not.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::super::testing::brief;
use super::*;
use crate::protocol::debate::ContextFile;

fn shelf() -> Shelf {
    let mut brief = brief();
    brief.context = vec![ContextFile {
        name: "./notes/load.md".to_owned(),
        text: "# Load\n\nThe cache answers in\n   3 ms under load.\n".to_owned(),
        cut: true,
    }];
    let lines = [("src/store.rs", 120), ("notes/load.md", 40)];
    let lines = lines.map(|(path, lines)| (path.to_owned(), lines)).into();
    Shelf::new(&brief, &Sources { lines })
}

fn found(kind: &str, data: impl Into<Value>) -> Option<bool> {
    shelf().check(&Evidence { kind: kind.to_owned(), data: data.into(), checked: None })
}

#[test]
fn an_object_is_looked_up_by_its_keys_and_other_json_is_not() {
    for (data, expected) in [
        (json!({"file": "src/store.rs", "line": 12}), Some(true)),
        (json!({"file": "src/store.rs", "line": "7-9"}), Some(true)),
        (json!({"file": "src/store.rs", "line": 121}), Some(false)),
        (json!({"file": "src/store.rs"}), None),
        (json!({"file": "src/gone.rs"}), Some(false)),
        (json!({"quote": "The cache answers in 3 ms"}), Some(true)),
        (json!({"file": "src/gone.rs", "quote": "The cache answers in 3 ms"}), Some(true)),
        (json!({"quote": "The database answers in 3 ms"}), Some(false)),
        (json!({"source": "industry_report_2023"}), None),
        (json!({"file": 7, "line": "12"}), None),
        (json!([{"file": "src/store.rs", "line": 12}]), None),
        (json!(0.45), None),
        (json!(true), None),
        (json!({}), None),
    ] {
        assert_eq!(found("market_research", data.clone()), expected, "{data}");
    }
    // A type that promises something to look up is held to it.
    assert_eq!(found("file", json!({"period": "Q1-Q3_2023"})), Some(false));
}

#[test]
fn places_and_passages_are_looked_up() {
    for (kind, data, expected) in [
        ("file", "src/store.rs:1", Some(true)),
        ("file", "src/store.rs:120", Some(true)),
        ("file", "src/store.rs:121", Some(false)),
        ("file", "src/store.rs:0", Some(false)),
        ("file", "./src/store.rs:7-9 takes the lock", Some(true)),
        ("file", "src/store.rs:9-7", Some(false)),
        ("file", "src/store.rs:7-", Some(false)),
        ("file", "src/store.rs:119-121", Some(false)),
        ("file", "`src/store.rs:12`", Some(true)),
        ("file", "src/gone.rs:1", Some(false)),
        ("file", "../src/store.rs:1", Some(false)),
        // There is such a file, and no place in it is named.
        ("file", "src/store.rs", None),
        ("file", "src/gone.rs", Some(false)),
        ("file", "", Some(false)),
        // The project knows more lines of it than are shown.
        ("file", "notes/load.md:40", Some(true)),
        ("file", "notes/load.md:41", Some(false)),
        // What can be found counts whatever it is called.
        ("measurement", "src/store.rs:12", Some(true)),
        ("QUOTE", "\"The cache answers in 3 ms\"", Some(true)),
        ("quote", "the cache answers in 3 ms", Some(false)),
        ("quote", "in 3 ms under", Some(false)),
        ("quote", "answers in 3 ms under load", Some(true)),
        ("quote", "The database answers in 3 ms", Some(false)),
        ("source", "the load test of May", None),
        ("assertion", "It is fast.", None),
        ("source", "src/store.rs:121", None),
    ] {
        assert_eq!(found(kind, data), expected, "{kind} {data}");
    }
}

#[test]
fn nothing_is_found_where_nothing_was_recorded() {
    let shelf = Shelf::new(&brief(), &Sources::default());
    for (kind, data) in [("file", "src/store.rs:1"), ("quote", "The cache answers in 3 ms")] {
        let evidence = Evidence { kind: kind.to_owned(), data: data.into(), checked: Some(true) };
        assert_eq!(shelf.check(&evidence), Some(false));
    }
}

proptest! {
    #[test]
    fn any_text_can_be_looked_up(kind in ".{0,12}", data in ".{0,80}") {
        found(&kind, data);
    }
}
