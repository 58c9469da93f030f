//! Tests of annotations, read back as a workflow's runner reads them.

use proptest::prelude::*;

use super::*;
use crate::report::example::{evil_text, is_inert};
use crate::report::review::example;

/// A line as a command of `actions/runner`: name, properties, message, unescaped.
#[derive(Debug, PartialEq)]
struct Command {
    name: String,
    properties: Vec<(String, String)>,
    message: String,
}

fn unescaped(text: &str, property: bool) -> String {
    let mut text = text.replace("%0D", "\r").replace("%0A", "\n");
    if property {
        text = text.replace("%3A", ":").replace("%2C", ",");
    }
    text.replace("%25", "%")
}

fn command(line: &str) -> Option<Command> {
    let rest = line.trim_start().strip_prefix("::")?;
    let (head, message) = rest.split_once("::")?;
    let (name, properties) = head.split_once(' ').unwrap_or((head, ""));
    let properties = properties.split(',').filter_map(|pair| {
        let (key, value) = pair.split_once('=')?;
        Some((key.to_owned(), unescaped(value, true)))
    });
    Some(Command {
        name: name.to_owned(),
        properties: properties.collect(),
        message: unescaped(message, false),
    })
}

fn commands(document: &ReviewDocument) -> Vec<Command> {
    let text = annotations(document);
    let all = text.lines().map(|line| command(line).unwrap());
    all.collect()
}

#[test]
fn the_last_line_says_what_came_of_it() {
    for (name, level, words) in [
        ("clean", "notice", "CLEAN in "),
        ("comments", "notice", "COMMENTS: "),
        ("changes_requested", "notice", "CHANGES REQUESTED: "),
        ("undecided", "error", "UNDECIDED: "),
        ("degraded", "error", "UNDECIDED: "),
        ("disputed", "notice", "COMMENTS: "),
        ("budget", "error", "UNDECIDED: the budget"),
    ] {
        let all = example::all();
        let (_, document) = all.iter().find(|(other, _)| *other == name).unwrap();
        let last = commands(document).pop().unwrap();
        assert_eq!(last.name, level, "{name}");
        assert!(last.message.starts_with(words), "{name}: {}", last.message);
    }
}

#[test]
fn a_rehearsal_and_a_missing_agent_are_warnings_at_least() {
    let mut document = example::clean();
    document.header.rehearsal = true;
    let last = commands(&document).pop().unwrap();
    assert_eq!(last.name, "warning");
    assert!(last.message.starts_with(REHEARSAL), "{}", last.message);
    let mut document = example::changes_requested();
    document.header.seats[1].status = crate::kernel::SeatStatus::Failed;
    assert_eq!(commands(&document).pop().unwrap().name, "warning");
}

#[test]
fn properties_and_messages_are_escaped_and_come_back_whole() {
    let mut document = example::changes_requested();
    let reported = &mut document.result.findings[0].reported;
    reported.finding.file = "a,b:c%3A.rs".into();
    reported.finding.title = "100%: x, y::z".into();
    reported.finding.detail = "one%0A\n::error::two".into();
    let text = annotations(&document);
    let line = text.lines().next().unwrap();
    assert!(
        line.starts_with("::error file=a%2Cb%3Ac%253A.rs,line=42,endLine=43,title=P0 F1 (confirmed)%3A 100%25%3A x%2C y%3A%3Az::one%250A%0A::error::two%0AFails when: Refund"),
        "{line}"
    );
    let first = command(line).unwrap();
    let property = |name: &str| {
        let found = first.properties.iter().find(|(key, _)| key == name);
        found.unwrap().1.clone()
    };
    assert_eq!(property("file"), "a,b:c%3A.rs");
    assert_eq!(property("title"), "P0 F1 (confirmed): 100%: x, y::z");
    assert!(
        first.message.starts_with("one%0A\n::error::two\nFails when: Refund"),
        "{}",
        first.message
    );
}

#[test]
fn as_many_as_github_shows_the_worst_first_and_the_rest_is_counted() {
    let mut document = example::changes_requested();
    let (p0, p2) = (document.result.findings[0].clone(), document.result.findings[2].clone());
    document.result.findings = vec![p2; 11];
    document.result.findings.extend(vec![p0; 12]);
    for (index, finding) in document.result.findings.iter_mut().enumerate() {
        finding.reported.finding.file = format!("src/{:02}.rs", 40 - index);
    }
    let all = commands(&document);
    let named = |name: &str| all.iter().filter(|command| command.name == name).count();
    // Ten of twelve errors; nine of eleven notices, and the last line.
    assert_eq!((named("error"), named("warning"), named("notice")), (10, 0, 10));
    let last = all.last().unwrap();
    assert!(
        last.message.contains("not annotated, because GitHub shows only 10 per level: 4."),
        "{}",
        last.message
    );
    let files: Vec<&str> = (all.iter())
        .filter(|command| command.name == "error")
        .map(|command| command.properties[0].1.as_str())
        .collect();
    assert!(files.is_sorted(), "{files:?}");
    assert!(all.iter().take(10).all(|command| command.name == "error"));
}

#[test]
fn no_line_is_marked_that_the_new_file_does_not_have() {
    let document = example::comments();
    let first = commands(&document).remove(0);
    let keys: Vec<&str> = first.properties.iter().map(|(key, _)| key.as_str()).collect();
    assert_eq!(keys, ["file", "title"]);
}

proptest! {
    #[test]
    fn no_text_begins_a_command_or_a_line(evil in evil_text()) {
        let evil = format!("{evil}\n::set-output name=a::b\r\n::error::{evil}");
        let document = example::poisoned(&evil);
        let text = annotations(&document);
        prop_assert!(is_inert(&text), "{:?}", text);
        // Three findings and the last line, whatever the text.
        prop_assert_eq!(text.lines().count(), 4);
        for line in text.split('\n').filter(|line| !line.is_empty()) {
            let command = command(line).unwrap();
            prop_assert!(["error", "warning", "notice"].contains(&command.name.as_str()));
            for (key, _) in &command.properties {
                prop_assert!(["file", "line", "endLine", "title"].contains(&key.as_str()), "{}", key);
            }
        }
    }
}
