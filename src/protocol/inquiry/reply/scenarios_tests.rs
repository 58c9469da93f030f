//! The answers of the fakes under `fixtures/scenarios/discovery/`, judged as the program judges them.

use std::fs;
use std::path::Path;

use super::super::testing::*;
use super::tests::ask;
use super::*;
use End::{Fails, Mended, Taken};

/// The expected result of an answer.
enum End {
    /// Accepted on the first chance: titles, notes.
    Taken(&'static str, &'static [&'static str]),
    /// Re-asked with this problem, and accepted on the last chance: titles, notes.
    Mended(&'static str, &'static str, &'static [&'static str]),
    /// Re-asked with the first problem; the turn fails with the second.
    Fails(&'static str, &'static str),
}

const ALL: &str = "Monthly report by mail,Undo the last import,Resume an interrupted import";
const UNDO: &str = "Undo the last import";

/// The file, the number of features asked for (0: a fix), the expected result.
const ROWS: [(&str, u32, End); 20] = [
    ("features/features.txt", 5, Taken(ALL, &[])),
    ("features-none/features.txt", 5, Taken("", &[])),
    (
        "features-claimed-roi/features.txt",
        5,
        Taken("Monthly report by mail,Undo the last import", &[]),
    ),
    ("features-repaired/features.1.txt", 5, Mended("out_of_range", UNDO, &["entry_left_out"])),
    (
        "features-repaired/features.2.txt",
        5,
        Taken("Undo the last import,Resume an interrupted import", &[]),
    ),
    ("features-faulty-twice/features.txt", 5, Mended("out_of_range", UNDO, &["entry_left_out"])),
    ("features-nothing-valid/features.txt", 5, Fails("missing_field", "no_valid_entry")),
    ("features-too-many/features.txt", 1, Mended("too_many", "Feature number 1", &["too_many"])),
    ("features-duplicate/features.txt", 5, Mended("duplicate_title", UNDO, &["duplicate_title"])),
    ("features-no-markers/features.txt", 5, Taken(UNDO, &["no_markers"])),
    ("features-truncated/features.txt", 5, Fails("unclosed", "unclosed")),
    ("features-conflicting/features.txt", 5, Fails("conflicting_blocks", "conflicting_blocks")),
    ("features-no-list/features.txt", 5, Fails("wrong_type", "wrong_type")),
    ("features-refusal/features.txt", 5, Fails("missing_block", "missing_block")),
    ("fix/fix.txt", 0, Taken("Likely cause", &[])),
    ("fix-repaired/fix.1.txt", 0, Fails("missing_block", "missing_block")),
    ("fix-repaired/fix.2.txt", 0, Taken("Change the comparison", &[])),
    ("fix-template/fix.txt", 0, Fails("empty_block", "empty_block")),
    ("fix-too-long/fix.txt", 0, Mended("too_long", "Look again", &["shortened"])),
    ("fix-refusal/fix.txt", 0, Fails("missing_block", "missing_block")),
];

#[test]
fn every_scenario_ends_as_its_name_says() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/scenarios/discovery");
    let files: usize = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| fs::read_dir(entry.unwrap().path()).unwrap().count())
        .sum();
    assert_eq!(files, ROWS.len(), "a scenario is not judged here");
    for (file, limit, end) in ROWS {
        let text = fs::read_to_string(folder.join(file)).unwrap();
        let question = if limit == 0 { fix("a") } else { features(limit) };
        let first = ask(&question, &text, Chance::First);
        let last = ask(&question, &text, Chance::Last);
        match end {
            Taken(said, notes) => {
                assert_eq!(first, last, "{file}");
                holds(file, &first.unwrap(), said, notes);
            }
            Mended(problem, said, notes) => {
                assert_eq!(first.unwrap_err().problems[0].code, problem, "{file}");
                holds(file, &last.unwrap(), said, notes);
            }
            Fails(at_first, at_last) => {
                assert_eq!(first.unwrap_err().problems[0].code, at_first, "{file}");
                assert_eq!(last.unwrap_err().problems[0].code, at_last, "{file}");
            }
        }
    }
}

fn holds(file: &str, reply: &Reply<Content>, said: &str, notes: &[&str]) {
    let codes: Vec<&str> = reply.notes.iter().map(|note| &*note.code).collect();
    assert_eq!(codes, notes, "{file}");
    match &reply.content {
        Content::Features(features) => {
            let titles: Vec<&str> = features.features.iter().map(|each| &*each.title).collect();
            assert_eq!(titles.join(","), said, "{file}");
        }
        Content::Fix(text) => assert!(text.starts_with(said), "{file}: {text}"),
    }
}
