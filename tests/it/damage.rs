//! Journals and answers that were cut, changed or written by another version: dropped or refused by name, never
//! repaired by guessing.

use std::fs;

use debate_agent::journal::key::sha;
use serde_json::Value;

use crate::resume::{finished, forget, session};
use crate::support::crash::{decided, warnings};

#[test]
fn f38_a_torn_last_record_is_dropped_with_a_warning() {
    let (sandbox, golden) = finished();
    let path = sandbox.journal_path();
    let bytes = fs::read(&path).unwrap();
    fs::write(&path, &bytes[..bytes.len() - 9]).unwrap();
    forget(&sandbox);
    for command in ["show", "resume"] {
        let document = session(&sandbox, command, &["--json"]).exits(0).json();
        assert_eq!(decided(&document), decided(&golden));
        let codes = warnings(&document);
        assert!(codes.contains(&"torn_record_dropped".to_owned()), "{command}: {codes:?}");
    }
    assert_eq!(sandbox.calls().len(), 0);
    let whole = sandbox.journal();
    assert_eq!(whole.last().unwrap()["type"], "session.closed");
}

/// Changes one record's bytes and expects a refusal that leaves the file alone.
fn refused_after(change: impl Fn(&mut Vec<String>), says: &[&str]) {
    let (sandbox, _) = finished();
    let path = sandbox.journal_path();
    let text = fs::read_to_string(&path).unwrap();
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    change(&mut lines);
    let changed = lines.join("\n") + "\n";
    fs::write(&path, &changed).unwrap();
    let calls = sandbox.calls().len();
    for command in ["resume", "show", "status"] {
        let run = session(&sandbox, command, &[]);
        run.exits(5);
        for text in says {
            run.says(text);
        }
    }
    session(&sandbox, "decide", &["--set", "backlog.max_rounds=1"]).exits(5);
    let listed = sandbox.run(&["sessions", "list", "--json"]).exits(0).json();
    assert_eq!(listed["sessions"][0]["status"], "unreadable");
    let gc = sandbox.run(&["sessions", "gc", "--older-than", "0", "--json"]);
    assert_eq!(gc.exits(0).json()["kept"].as_array().unwrap().len(), 1);
    assert_eq!(fs::read_to_string(&path).unwrap(), changed, "its bytes are as they were");
    assert_eq!(sandbox.calls().len(), calls);
}

#[test]
fn f37_a_flipped_bit_in_the_middle_is_refused_by_record_number() {
    refused_after(
        |lines| lines[4] = lines[4].replacen("r1", "r2", 1),
        &["record 5", "is damaged", "nothing was changed"],
    );
}

/// Writes changed lines as the program would: each with its checksum and the hash of the one before.
pub(crate) fn sealed<L: AsRef<str>>(lines: impl IntoIterator<Item = L>) -> String {
    let mut prev = "0".repeat(64);
    let mut journal = String::new();
    for line in lines {
        let (record, _) = line.as_ref().rsplit_once(",\"prev\":").unwrap();
        let whole = format!("{record},\"prev\":\"{prev}\"}}");
        let crc = crc32fast::hash(whole.as_bytes());
        let line = format!("{},\"crc\":\"{crc:08x}\"}}\n", &whole[..whole.len() - 1]);
        prev = sha(line.as_bytes());
        journal += &line;
    }
    journal
}

#[test]
fn f39_a_record_of_a_later_version_is_refused_and_nothing_is_changed() {
    refused_after(
        |lines| {
            let last = lines.len() - 1;
            lines[last] = lines[last].replacen("\"v\":2", "\"v\":3", 1);
            *lines = sealed(&*lines).lines().map(str::to_owned).collect();
        },
        &["version 3", "update debate-agent"],
    );
}

#[test]
fn f40_a_member_that_this_version_does_not_know_is_kept() {
    let (sandbox, golden) = finished();
    let path = sandbox.journal_path();
    let text = fs::read_to_string(&path).unwrap();
    let lines = text.lines().map(|line| line.replacen("\"body\":{", "\"body\":{\"later\":[1],", 1));
    let changed = sealed(lines);
    fs::write(&path, &changed).unwrap();
    let mut document = sandbox.resume(&[]).exits(0).json();
    assert_ne!(document["journal_head"], golden["journal_head"]);
    document["journal_head"] = golden["journal_head"].clone();
    assert_eq!(document, golden);
    assert_eq!(fs::read_to_string(&path).unwrap(), changed);
}

#[test]
fn f51_p18_order_is_by_number_whatever_the_clock_said() {
    let (sandbox, golden) = finished();
    let path = sandbox.journal_path();
    let text = fs::read_to_string(&path).unwrap();
    let mut moments = ["2027-11-21T00:00:00Z", "2026-11-20T00:00:00Z"].iter().cycle();
    let changed = sealed(text.lines().map(|line| {
        let (head, tail) = line.split_once("\"at\":\"").unwrap();
        let (_, tail) = tail.split_once('"').unwrap();
        format!("{head}\"at\":\"{}\"{tail}", moments.next().unwrap())
    }));
    fs::write(&path, changed).unwrap();
    let document = sandbox.resume(&[]).exits(0).json();
    assert_eq!(decided(&document), decided(&golden));
    for duration in numbers(&document, "duration") {
        assert!(duration >= 0.0, "{duration}");
    }
    session(&sandbox, "status", &[]).exits(0);
    session(&sandbox, "show", &["--format", "md"]).exits(0);
    sandbox.run(&["sessions", "list"]).exits(0);
}

/// Collects the numbers whose names contain a word.
fn numbers(value: &Value, word: &str) -> Vec<f64> {
    match value {
        Value::Object(fields) => fields
            .iter()
            .flat_map(|(name, value)| match value.as_f64() {
                Some(number) if name.contains(word) => vec![number],
                _ => numbers(value, word),
            })
            .collect(),
        Value::Array(items) => items.iter().flat_map(|item| numbers(item, word)).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
    }
}

#[test]
fn an_answer_that_is_not_what_its_name_says_is_refused_and_not_paid_again() {
    let (sandbox, _) = finished();
    let answers = sandbox.sessions()[0].join("answers");
    let first = fs::read_dir(&answers).unwrap().next().unwrap().unwrap().path();
    fs::write(&first, "forged").unwrap();
    let calls = sandbox.calls().len();
    for command in ["show", "resume"] {
        let run = session(&sandbox, command, &[]);
        run.exits(5).says("does not contain what its name promises");
    }
    assert_eq!(sandbox.calls().len(), calls);
}
