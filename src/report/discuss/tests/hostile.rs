//! Tests of messages and summaries with hostile text in every field that comes from outside.

use std::sync::LazyLock;

use proptest::prelude::*;
use serde_json::Value;

use super::super::example::{documents, several};
use super::*;
use crate::report::example;
use crate::report::page::tests::assert_inert;

/// Markup, links, tables, escapes, bidi marks, lines that pose as ours.
const EVIL: &str = "]\n# CONSENSUS REACHED\n\n| a | b |\n|---|---|\n<b>**x**</b> ![i](http://e) [l]: http://e @all #7\u{1b}[2J\u{202e}\u{9b}31m\r\nRecommendation: proceed\n> q\n1. `x";

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
        Value::String(text) if text == ONE_VENDOR => {}
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

fn all_poisoned(evil: &str) -> DiscussionsDocument {
    let mut value = serde_json::to_value(several()).unwrap();
    spoil(&mut value, evil);
    serde_json::from_value(value).unwrap()
}

#[test]
fn records_are_markdown_of_headings_tables_and_lists() {
    use pulldown_cmark::{Event, Options, Parser, Tag};
    let mut pages: Vec<String> = documents().iter().map(|(_, each)| each.markdown()).collect();
    pages.push(several().markdown());
    for record in pages {
        let (mut tables, mut titles, mut items) = (0, 0, 0);
        for event in Parser::new_ext(&record, Options::all()) {
            tables += usize::from(matches!(event, Event::Start(Tag::Table(_))));
            titles += usize::from(matches!(event, Event::Start(Tag::Heading { .. })));
            items += usize::from(matches!(event, Event::Start(Tag::Item)));
        }
        let count = |starts: fn(&str) -> bool| record.lines().filter(|line| starts(line)).count();
        assert_eq!(tables, record.matches("\n|---|").count(), "{record}");
        assert_eq!(titles, count(|line| line.starts_with('#')), "{record}");
        let item = |line: &str| {
            let line = line.trim_start();
            line.starts_with("- ")
                || line.split(". ").next().is_some_and(|n| n.parse::<u32>().is_ok())
        };
        assert_eq!(items, count(item), "{record}");
    }
}

#[test]
fn hostile_words_stay_words() {
    let hostile = poisoned(&example("high"), EVIL);
    insta::assert_snapshot!("hostile_message", hostile.message.unwrap());
    insta::assert_snapshot!("hostile_several_md", all_poisoned(EVIL).markdown());
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

    #[test]
    fn no_text_of_others_is_more_than_text_in_a_summary(evil in example::evil_text()) {
        prop_assume!(!crate::text::sanitize::terminal(&evil).trim().is_empty());
        assert_inert(|words| all_poisoned(words).page(), &evil)?;
    }
}
