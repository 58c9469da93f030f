//! The toy's own rules, and that only its rows name it.

use std::fs;
use std::path::{Path, PathBuf};

use super::*;
use crate::protocol::testing::judged;

#[test]
fn the_referee_is_asked_only_where_the_numbers_differ() {
    for (second, turns, ended) in [("4", 3, ToyEnd::Decided), ("7", 2, ToyEnd::Agreed)] {
        let mut driver = Toy::open();
        let mut asked = 0;
        let outcome = loop {
            match driver.next() {
                Step::Done(outcome) => break outcome,
                Step::Ask { turns, .. } => {
                    asked += turns.len();
                    let answers = turns.iter().map(|turn| {
                        let text = Toy::reply(&driver, turn).replace('4', second);
                        judged(&driver, turn, &text)
                    });
                    let answers = answers.collect();
                    driver.apply(answers);
                }
            }
        };
        assert_eq!((asked, outcome.ended, outcome.number), (turns, ended, Some(7)));
    }
}

fn rust_files(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            rust_files(&path, into);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            into.push(path);
        }
    }
}

#[test]
fn a_protocol_is_its_folder_and_one_row_and_a_kind_is_two_more() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let own = root.join("src/protocol/toy");
    let mut files = Vec::new();
    for folder in ["src", "crates", "tests", "benches", "examples"] {
        rust_files(&root.join(folder), &mut files);
    }
    let word = regex::Regex::new(r"\b([Tt]oy|ToyKind)\b").unwrap();
    let names = |file: &PathBuf| word.is_match(&fs::read_to_string(file).unwrap());
    let mut outside: Vec<_> = (files.iter().filter(|file| !file.starts_with(&own) && names(file)))
        .map(|file| file.strip_prefix(root).unwrap())
        .collect();
    outside.sort_unstable();
    let rows =
        ["src/app/kinds/hostile_tests.rs", "src/app/kinds.rs", "src/protocol/conformance.rs"];
    assert_eq!(outside, rows.map(Path::new));
}
