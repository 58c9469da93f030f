//! The toy's own rules, and that only its rows name it.

use std::fs;
use std::path::{Path, PathBuf};

use super::*;
use crate::kernel::Attendance;
use crate::protocol::testing::{asked, done, judged, said};

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

/// A stop receives the answers that arrived and nothing else, and the seats that gave them are known.
#[test]
fn a_stop_is_shown_the_part_that_came() {
    for (came, heard) in
        [([false, false], &[][..]), ([true, false], &["s1"][..]), ([false, true], &["s2"][..])]
    {
        let mut driver = Toy::open();
        let turns = asked(&driver);
        let part = turns
            .iter()
            .zip(came)
            .map(|(turn, came)| came.then(|| judged(&driver, turn, &Toy::reply(&driver, turn))));
        let part: Vec<_> = part.collect();
        driver.part(part);
        let outcome = driver.stop(Stop::Budget);
        assert_eq!((outcome.ended, outcome.number), (ToyEnd::Stopped, None));
        assert_eq!(outcome.heard, heard);
        let turns: Vec<usize> = driver.run().seats().iter().map(Attendance::asked).collect();
        assert_eq!(turns, [usize::from(came[0]), usize::from(came[1]), 0]);
    }
}

/// The rules receive every answer of the step, including the last, and every seat's turn is counted.
#[test]
fn a_step_is_applied_whole() {
    for fails in 0..2 {
        let mut driver = Toy::open();
        let mut answers = Vec::new();
        for (at, turn) in asked(&driver).iter().enumerate() {
            let text = (at != fails).then(|| Toy::reply(&driver, turn));
            answers.push(said(&driver, turn, text.as_deref()));
        }
        driver.apply(answers);
        assert_eq!(done(&driver).ended, ToyEnd::Failed, "turn {fails} failed");
        let turns: Vec<usize> = driver.run().seats().iter().map(Attendance::asked).collect();
        assert_eq!(turns, [1, 1, 0]);
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
