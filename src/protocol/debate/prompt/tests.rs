//! The part that all prompts share, as it is sent, and the effect of hostile words in it.

use std::collections::BTreeMap;

use serde_json::json;

use super::*;
use crate::protocol::context::CONTEXT_BYTES;
use crate::protocol::context::ContextFile;
use crate::protocol::testing::BOUNDARY;

fn brief() -> Brief {
    Brief {
        topic: "REST or gRPC?".to_owned(),
        description: "Two teams call each other.\nOne of them writes Go.".to_owned(),
        mode: Mode::Adversarial,
        options: vec!["REST".to_owned(), "gRPC".to_owned()],
        language: Some("German".to_owned()),
        today: None,
        facts: facts::Facts::default(),
        context: vec![ContextFile {
            name: "calls.md".to_owned(),
            text: "400 calls a second\n".to_owned(),
            cut: false,
        }],
        metadata: BTreeMap::from([("owner".to_owned(), "nobody-is-shown-this".into())]),
    }
}

#[test]
fn files_are_bounded_and_a_cut_is_said() {
    let file = |name: &str, bytes: usize, cut: bool| ContextFile {
        name: name.to_owned(),
        text: "é".repeat(bytes / 2),
        cut,
    };
    let many = Brief {
        context: vec![
            file("a", 300_000, false),
            file("b", 300_001, false),
            file("c", 10, false),
            file("d", 0, true),
        ],
        ..brief()
    };
    let stable = stable(&many, "How.", BOUNDARY);
    assert!(stable.text.len() < CONTEXT_BYTES + 10_000);
    let cut: Vec<&str> = stable.notes.iter().map(|note| &*note.code).collect();
    assert_eq!(cut, ["context_cut"; 3]);
    assert_eq!(stable.text.matches("| [cut here]").count(), 3);
}

#[test]
fn too_much_data_is_cut_and_it_is_said() {
    let data = json!({ "points": vec!["wörter ".repeat(10_000); 20] });
    let ask = Ask { turn: "r1/x", task: "Do.", tone: None, data: Some(("it", &data)) };
    let (text, notes) = varying(ask, BOUNDARY);
    assert!(text.chars().count() < DATA_CHARS + 1_000);
    assert_eq!(notes[0].code, "shortened_for_prompt");
}
