//! Tests of messages and summaries with hostile text in every field that comes from outside.

use std::sync::LazyLock;

use proptest::prelude::*;
use serde_json::Value;

use super::super::example::documents;
use super::*;
use crate::report::example;

/// Replaces every text in a value that comes from outside; our own texts are names from a closed set, or times.
pub(crate) fn spoil(value: &mut Value, evil: &str) {
    const OURS: [&str; 13] = [
        "outcome",
        "verdict",
        "status",
        "severity",
        "recommendation",
        "kind",
        "urgency",
        "action",
        "risk_level",
        "basis",
        "started_at",
        "completed_at",
        "asked",
    ];
    match value {
        Value::String(text) if text == "one_vendor" => {}
        Value::String(text) => evil.clone_into(text),
        Value::Array(items) => items.iter_mut().for_each(|item| spoil(item, evil)),
        Value::Object(fields) => {
            for (name, value) in fields {
                if !(OURS.contains(&name.as_str()) && value.is_string()) {
                    spoil(value, evil);
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn poisoned(document: &DiscussDocument, evil: &str) -> DiscussDocument {
    let mut value = serde_json::to_value(document).unwrap();
    spoil(&mut value, evil);
    let mut document: DiscussDocument = serde_json::from_value(value).unwrap();
    // The message is made from the other fields.
    document.message = message::message(&document);
    document
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn no_text_of_others_is_more_than_text_in_a_message(evil in example::evil_text(), which in 0..10_usize) {
        static ALL: LazyLock<Vec<(&str, DiscussDocument)>> = LazyLock::new(documents);
        if let Some(message) = poisoned(&ALL[which].1, &evil).message {
            prop_assert!(example::is_inert(&message), "{:?}", message);
            let lines: Vec<&str> = message.split('\n').collect();
            prop_assert_eq!(lines.len(), 6);
            let labels = ["[", "Divergences: ", "Action items: ", "Recommendation: ", "Artifact: ", "Discussion: "];
            for (line, label) in lines.iter().zip(labels) {
                prop_assert!(line.starts_with(label.trim_end()), "{}", message);
                prop_assert!(line.chars().count() <= 500, "{}", message);
            }
            prop_assert!(lines[0].contains(": consensus_blocked (severity="), "{}", message);
        }
    }
}
