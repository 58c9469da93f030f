//! Reviews: the change, the text of its project and its user, the reviewers' text, and the code around a finding.

use std::collections::BTreeSet;

use super::{all, infected, plant, play};
use crate::change::Hunk;
use crate::kernel::{Driver, Turn};
use crate::protocol::review::testing::{agreeable, change, file, files, input, machine};
use crate::protocol::review::{Input, Machine};

type Field<'a> = &'a dyn Fn(&mut Input);

fn honest(_: &Driver<Machine>, turn: &Turn) -> Option<String> {
    agreeable(turn).map(|said| said.render())
}

fn reviewed(change: impl Fn(&mut Input), name: &str) -> BTreeSet<String> {
    let mut input = input(2);
    change(&mut input);
    play(Machine::open(input).unwrap(), name, honest)
}

#[test]
fn what_a_change_or_its_project_plants_is_no_review() {
    let text = plant("REVIEW");
    let lines: Vec<&str> = text.lines().collect();
    let replaced: String =
        lines.iter().flat_map(|line| [format!("-x{line}\n"), format!("+{line}\n")]).collect();
    let hunk = Hunk {
        old_start: 90,
        old_lines: 3,
        new_start: 90,
        new_lines: 3,
        heading: String::new(),
        body: replaced,
    };
    let fields: [(&str, Field<'_>); 5] = [
        ("a new file", &|input| {
            let mut all = files();
            all.push(file("docs/answer.md", &lines));
            input.change = change(all, false);
        }),
        ("changed lines", &|input| {
            let mut all = files();
            all[0].hunks.push(hunk.clone());
            input.change = change(all, false);
        }),
        ("the name of a file", &|input| {
            let mut all = files();
            all[0].path = text.replace('\n', " ");
            input.change = change(all, false);
        }),
        ("the question", &|input| input.question.clone_from(&text)),
        ("the guidelines", &|input| {
            input.rules.guidelines.clone_from(&text);
        }),
    ];
    for (what, field) in fields {
        let turns = reviewed(field, "REVIEW");
        assert!(turns.contains("r1/review/s1"), "{what}: {turns:?}");
    }
}

#[test]
fn what_a_reviewer_plants_is_nobody_elses_answer() {
    for (name, asked) in [
        ("CROSS_REVIEW", "r2/cross/s1 r2/cross/s2"),
        ("COMPOSITION", "compose/"),
        ("VALIDATION", "validate/"),
    ] {
        let text = plant(name);
        let turns =
            play(machine(2), name, |_, turn| Some(infected(&agreeable(turn)?.render(), &text)));
        assert!(all(&turns).join(" ").starts_with(asked), "{name}: {turns:?}");
    }
}

/// Composer and validators are shown the lines around a finding, each with its number and its mark.
#[test]
fn what_stands_around_a_finding_is_no_composition() {
    for name in ["COMPOSITION", "VALIDATION"] {
        let text = plant(name);
        let plant = |input: &mut Input| {
            let mut all = files();
            let mut lines: Vec<&str> = all[0].text.as_deref().unwrap().lines().collect();
            lines.splice(7..7, text.lines());
            all[0] = file("src/a.rs", &lines);
            input.change = change(all, false);
        };
        let turns = reviewed(plant, name);
        assert_eq!(turns.len(), 1, "{name}: {turns:?}");
    }
}
