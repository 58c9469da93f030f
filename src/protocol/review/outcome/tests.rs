//! Names, numbers and places of the result.

use super::super::model::{CompositionSaid, Keep, ReviewSaid, Said};
use super::super::testing::{
    agreeable, change, code, file, finding, input, nothing, role, run, seat, two_findings, votes,
};
use super::super::{Machine, Role};
use super::*;
use crate::change::{Batch, Hunk, Part};
use crate::kernel::{Protocol, Stop, Turn};

fn risky(turn: &Turn) -> Option<Said> {
    let lines = |all: &[&str]| all.iter().map(|line| (*line).to_owned()).collect();
    Some(match role(turn) {
        Role::Reviewer => Said::Review(ReviewSaid {
            findings: match two_findings(turn) {
                Said::Review(said) => said.findings,
                Said::Cross(_) | Said::Composition(_) | Said::Validation(_) => Vec::new(),
            },
            residual_risks: lines(&["No load test.", "The clock may jump"]),
            open_questions: lines(&[["Who calls it?"], ["who calls it"]][seat(turn)]),
        }),
        Role::Composer => Said::Composition(CompositionSaid {
            keep: vec![Keep {
                id: "F1".into(),
                title: Some("The counter overflows".into()),
                detail: Some("After 2^32 calls.".into()),
                fix: None,
            }],
            residual_risks: lines(&["no load test", "Composed risk"]),
            ..CompositionSaid::default()
        }),
        Role::CrossReviewer | Role::Validator => return agreeable(turn),
    })
}

#[test]
fn risks_and_questions_stand_once_the_composer_s_first() {
    let (_, outcome) = run(&mut Machine::new(input(2)).unwrap(), risky);
    assert_eq!(outcome.residual_risks, ["no load test", "Composed risk", "The clock may jump"]);
    assert_eq!(outcome.open_questions, ["Who calls it?"]);
}

#[test]
fn the_composer_s_words_count_where_its_decision_stands() {
    let (_, outcome) = run(&mut Machine::new(input(2)).unwrap(), risky);
    let reported = &outcome.findings[0].reported;
    assert_eq!(
        (reported.title.as_str(), reported.detail.as_str()),
        ("The counter overflows", "After 2^32 calls.")
    );
    assert!(reported.fix.starts_with("Use `compute_a"));
    let (_, outcome) = run(&mut Machine::new(input(2)).unwrap(), |turn| match role(turn) {
        Role::Validator => Some(votes(turn, false)),
        Role::Reviewer | Role::CrossReviewer | Role::Composer => risky(turn),
    });
    assert_eq!(outcome.findings[0].reported.title, "Overflow of the counter breaks");
    assert_eq!(outcome.validation[0].reasons, [("codex".to_owned(), "So I see it.".to_owned())]);
}

#[test]
fn each_author_s_severity_is_kept_and_the_highest_shown() {
    let say = |turn: &Turn| match (role(turn), seat(turn)) {
        (Role::Reviewer, 0) => Some(super::super::testing::review(vec![finding(
            Severity::P2,
            "a",
            7,
            "Overflow of the counter",
        )])),
        (Role::Reviewer, _) => Some(super::super::testing::review(vec![finding(
            Severity::P1,
            "a",
            7,
            "Overflow of the counter",
        )])),
        _ => agreeable(turn),
    };
    let (steps, outcome) = run(&mut Machine::new(input(2)).unwrap(), say);
    // Both wrote it, so there is nothing to cross-examine, and nobody who could vote.
    assert_eq!(steps[1..], ["compose/s2"]);
    let [finding] = &outcome.findings[..] else { panic!("one finding") };
    assert_eq!((finding.status, finding.reported.severity), (Status::Confirmed, Severity::P1));
    assert_eq!(finding.reported.found_by, ["claude", "codex"]);
    let severities: Vec<_> = finding.reported.severities.iter().collect();
    assert_eq!(
        severities,
        [(&"claude".to_owned(), &Severity::P2), (&"codex".to_owned(), &Severity::P1)]
    );
    assert_eq!(outcome.agreement[0].shared, 1);
}

#[test]
fn findings_are_sorted_by_severity_place_and_number() {
    let lines: Vec<String> = (1..=99).map(|line| code("c", line)).collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let say = |turn: &Turn| match (role(turn), seat(turn)) {
        (Role::Reviewer, 0) => {
            // Far enough apart to be eleven.
            let minor = (1..12).map(|at| finding(Severity::P2, "c", at * 8, "Overflow"));
            let grave = finding(Severity::P0, "c", 99, "Corruption");
            Some(super::super::testing::review(minor.chain([grave]).collect()))
        }
        _ => (role(turn) == Role::Reviewer).then(nothing),
    };
    let mut input = input(2);
    input.settings.critique = false;
    input.change = change(vec![file("src/c.rs", &lines)], false);
    let (_, outcome) = run(&mut Machine::new(input).unwrap(), say);
    let lines: Vec<_> = outcome.findings.iter().map(|each| each.reported.line.unwrap()).collect();
    assert_eq!(lines, [99, 8, 16, 24, 32, 40, 48, 56, 64, 72, 80, 88]);
}

#[test]
fn a_file_of_which_one_part_found_no_quorum_is_named_with_its_lines() {
    let mut split = file("src/a.rs", &["one", "two"]);
    split.hunks.push(Hunk { new_start: 100, new_lines: 5, ..split.hunks[0].clone() });
    let mut input = input(2);
    input.change = change(vec![split], false);
    input.change.batches =
        (0..2).map(|at| Batch { parts: vec![Part { file: 0, first: at, end: at + 1 }] }).collect();
    let (_, outcome) =
        run(&mut Machine::new(input).unwrap(), |turn| (turn.id != "r1/review/s1/b2").then(nothing));
    assert_eq!(outcome.not_reviewed.len(), 1);
    assert_eq!(outcome.not_reviewed[0].path, "src/a.rs (lines 100-104)");
    assert_eq!(outcome.verdict, Verdict::Undecided);
    assert!(!outcome.degraded, "the first part was reviewed by both");
}

#[test]
fn a_seat_that_left_no_trace_is_skipped_and_a_stopped_review_says_so() {
    let machine = Machine::new(input(2)).unwrap();
    let outcome = machine.stop(Stop::Cancelled(15));
    assert_eq!(
        outcome.recommendation,
        "Undecided: the review is not finished, it was stopped. Nothing was found until then, which says nothing of the change. Resume it \
         to go on."
    );
    assert!(outcome.seats.iter().all(|seat| seat.failure.is_none()));
    assert_eq!(outcome.vendors, 0);
}

#[test]
fn agents_of_one_vendor_confirm_nothing_and_are_told_so() {
    let mut alike = input(2);
    alike.seats[1].vendor = "anthropic".to_owned();
    let machine = Machine::new(alike).unwrap();
    assert_eq!(machine.stop(Stop::Budget).warnings[0].code, "same_vendor");
}
