//! Tests of the state table in the module's documentation, arrow by arrow.

use super::super::model::{Content, Stance};
use super::super::proof::tests::{reproduction, runs};
use super::super::proof::{TestReport, TestedSide};
use super::super::testing::{
    agreeable, change, code, file, finding, input, judges, nothing, review, role, run, seat, step,
};
use super::super::{Compose, Prove, Reviewed, Role, Status, TestSettings, Verdict};
use super::*;
use crate::kernel::Turn;

/// Returns a review that has been driven to this phase.
fn at(phase: Phase, input: Input) -> Driver<Machine> {
    let mut machine = Machine::open(input).unwrap();
    for _ in 0..8 {
        if machine.protocol().phase == phase {
            return machine;
        }
        step(&mut machine, unsure);
    }
    panic!("{phase:?} is never reached")
}

/// As [`agreeable`], but nothing ever settles.
fn unsure(turn: &Turn) -> Option<Content> {
    match role(turn) {
        Role::CrossReviewer => Some(judges(turn, Stance::Unsure)),
        Role::Reviewer | Role::Composer | Role::Validator | Role::Prover | Role::Sandbox => {
            agreeable(turn)
        }
    }
}

/// As [`unsure`], with a new finding in each round.
fn moving(turn: &Turn) -> Option<Content> {
    let mut said = unsure(turn)?;
    if let Content::Cross(cross) = &mut said {
        let line = 1 + 12 * u32::from(turn.id.as_bytes()[1] - b'2');
        let new = finding(super::super::Severity::P1, "b", line, "Something else");
        cross.missed_issues = vec![new];
    }
    Some(said)
}

/// The replies to a step's turns: [`None`] for a failure.
type Script = fn(&Turn) -> Option<Content>;

fn after(mut machine: Driver<Machine>, say: Script) -> Phase {
    step(&mut machine, say);
    machine.protocol().phase
}

fn with(edit: fn(&mut Input)) -> Input {
    let mut input = input(2);
    edit(&mut input);
    input
}

/// A review that tests its findings, when their authors are asked.
fn proving() -> Driver<Machine> {
    let prove = Prove { test: TestSettings::default(), base: None, change: Reviewed::WorkTree };
    let mut input = input(2);
    input.settings.prove = Some(prove);
    at(Phase::Proving(1), input)
}

/// The same, when its tests are to be run.
fn tested() -> Driver<Machine> {
    let mut machine = proving();
    step(&mut machine, |turn| tests(turn, "fff", "ppp"));
    machine
}

/// Writes a test, and runs it with these results ([`runs`]).
fn tests(turn: &Turn, change: &str, base: &str) -> Option<Content> {
    match role(turn) {
        Role::Prover => Some(Content::Reproduction(reproduction())),
        Role::Sandbox => {
            let runs = [runs(TestedSide::Change, change), runs(TestedSide::Base, base)].concat();
            Some(Content::Test(TestReport { runs, failure: None }))
        }
        _ => agreeable(turn),
    }
}

/// What a test shows is told, and stands above the votes; a second test is written of what the first one showed, and what
/// nobody wrote changes nothing.
#[test]
fn a_test_that_shows_a_refuted_finding_brings_it_back() {
    let refute = |turn: &Turn| match role(turn) {
        Role::CrossReviewer => Some(judges(turn, Stance::Disagree)),
        Role::Prover | Role::Sandbox => tests(turn, "fff", "ppp"),
        _ => agreeable(turn),
    };
    let (steps, outcome) = run(&mut opened(), refute);
    assert!(steps.contains(&"prove/F1".to_owned()), "{steps:?}");
    let found = &outcome.result.findings[0];
    assert_eq!((found.status, &*found.reported.id), (Status::Reproduced, "F1"));
    assert_eq!(outcome.verdict, Verdict::ChangesRequested);
    let (steps, outcome) = run(&mut opened(), |turn| match role(turn) {
        Role::Prover => None,
        _ => refute(turn),
    });
    assert!(!steps.iter().any(|step| step.contains("again")), "{steps:?}");
    assert!(outcome.result.findings.iter().all(|each| each.status != Status::Reproduced));
    assert!(
        outcome.seats.iter().all(|seat| seat.failure.is_none()),
        "a missing test is no missing review"
    );
}

/// What is beyond the limit is said: a finding without a proof must not look as if it had been tested.
#[test]
fn findings_that_are_too_many_to_be_tested_are_counted() {
    let lines: Vec<String> = (1..=99).map(|line| code("c", line)).collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let mut input = opened().protocol().state.input.clone();
    input.change = change(vec![file("src/c.rs", &lines)], false);
    input.settings.max_rounds = 0;
    let mut machine = Machine::open(input).unwrap();
    step(&mut machine, |turn| {
        let found = (1..=12).map(|at| finding(super::super::Severity::P1, "c", at * 8, "Overflow"));
        Some(if seat(turn) == 0 { review(found.collect()) } else { nothing() })
    });
    let warnings: Vec<&str> = machine.run().warnings().iter().map(|one| &*one.message).collect();
    assert!(warnings.contains(&"2 more P0 and P1 are not tested: 10 are at most"), "{warnings:?}");
    let turns = match machine.next() {
        Step::Ask { turns, .. } => turns.len(),
        Step::Done(_) => 0,
    };
    assert_eq!(turns, 10);
}

/// A review that tests its findings, from its beginning.
fn opened() -> Driver<Machine> {
    let prove = proving().protocol().state.input.settings.prove.clone();
    let mut input = input(2);
    input.settings.prove = prove;
    Machine::open(input).unwrap()
}

const CROSSING: Phase = Phase::Crossing(1);

/// The rows of the table: state, input and next state as documented; then a state, the replies, and the phase
/// reached.
#[test]
#[expect(clippy::too_many_lines, reason = "one table")]
fn every_arrow_of_the_table() {
    let one_alone: Script = |turn| (seat(turn) == 0).then(nothing);
    let nobody: Script = |_| None;
    let empty: Script = |_| Some(nothing());
    let refute: Script = |turn| match role(turn) {
        Role::CrossReviewer => Some(judges(turn, Stance::Disagree)),
        Role::Reviewer => {
            Some(review(vec![finding(super::super::Severity::P2, "a", 7, "Overflow")]))
        }
        Role::Composer | Role::Validator | Role::Prover | Role::Sandbox => agreeable(turn),
    };
    let both_alike: Script =
        |_| Some(review(vec![finding(super::super::Severity::P2, "a", 7, "Overflow")]));
    let rows: Vec<(&str, Phase, Phase)> = vec![
        (
            "| reviewing | all answers, no batch has two reviews | closed (degraded) |",
            after(at(Phase::Reviewing, input(2)), one_alone),
            Phase::Closed,
        ),
        (
            "| reviewing | all answers, somebody has another's finding to judge | crossing 1 |",
            after(at(Phase::Reviewing, input(2)), agreeable),
            CROSSING,
        ),
        (
            "| reviewing | the same, and no critique is wanted | as after the last crossing |",
            after(at(Phase::Reviewing, with(|input| input.settings.max_rounds = 0)), agreeable),
            Phase::Composing(0),
        ),
        (
            "| reviewing | all answers, nobody has anything to judge | as after the last crossing |",
            after(at(Phase::Reviewing, input(2)), both_alike),
            Phase::Composing(0),
        ),
        (
            "| crossing n | all answers, confidence below the threshold, something moved, n below the limit, somebody has something unsettled \
             to judge | crossing n + 1 |",
            after(at(CROSSING, input(3)), unsure),
            Phase::Crossing(2),
        ),
        (
            "| crossing n | all answers, anything else, and a composition is called for | composing, by the winner |",
            after(at(CROSSING, input(2)), agreeable),
            Phase::Composing(0),
        ),
        (
            "| crossing n | all answers, anything else, and none is | closed (by rule) |",
            after(at(CROSSING, with(|input| input.settings.compose = Compose::Never)), agreeable),
            Phase::Closed,
        ),
        (
            "| composing | a composition on which somebody may vote | validating |",
            after(at(Phase::Composing(0), input(2)), agreeable),
            Phase::Validating(0),
        ),
        (
            "| composing | a composition on which nobody may | closed (unvalidated) |",
            {
                let mut machine = at(Phase::Reviewing, input(2));
                step(&mut machine, both_alike);
                after(machine, agreeable)
            },
            Phase::Closed,
        ),
        (
            "| composing | a failure, and another seat has a score | composing, by the next best |",
            after(at(Phase::Composing(0), input(2)), nobody),
            Phase::Composing(1),
        ),
        (
            "| composing | a failure of the last one | closed (by rule) |",
            {
                let mut machine = at(Phase::Composing(0), input(2));
                step(&mut machine, nobody);
                after(machine, nobody)
            },
            Phase::Closed,
        ),
        (
            "| validating | all answers, failures included | closed |",
            after(at(Phase::Validating(0), input(2)), nobody),
            Phase::Closed,
        ),
        (
            "| proving n | all answers, a test among them | testing n |",
            after(proving(), |turn| tests(turn, "fff", "ppp")),
            Phase::Testing(1),
        ),
        (
            "| proving n | all answers, and no test | as after the last crossing |",
            after(proving(), nobody),
            Phase::Composing(0),
        ),
        (
            "| testing n | all results, n below [`proof::TRIES`], a test could not be used | proving n + 1 |",
            after(tested(), |turn| tests(turn, "bbb", "")),
            Phase::Proving(2),
        ),
        (
            "| testing n | all results, anything else | as after the last crossing |",
            after(tested(), |turn| tests(turn, "fff", "ppp")),
            Phase::Composing(0),
        ),
    ];
    let documented: Vec<&str> = include_str!("../mod.rs")
        .lines()
        .filter_map(|line| line.strip_prefix("//! "))
        .filter(|line| line.starts_with("| ") && !line.starts_with("| state |"))
        .collect();
    let tested: Vec<&str> = rows.iter().map(|(row, _, _)| *row).collect();
    assert_eq!(tested, documented);
    for (row, reached, wanted) in rows {
        assert_eq!(reached, wanted, "{row}");
    }
    // "Anything else" has several causes; each of them is tested.
    assert_eq!(after(at(Phase::Reviewing, input(2)), empty), Phase::Closed);
    let mut refuted = at(Phase::Reviewing, input(2));
    step(&mut refuted, |turn| if seat(turn) == 0 { refute(turn) } else { Some(nothing()) });
    assert_eq!(after(refuted, refute), Phase::Closed, "nothing is left to decide");
    let last = with(|input| input.settings.max_rounds = 1);
    assert_eq!(after(at(CROSSING, last), moving), Phase::Composing(0), "the limit");
    let content = with(|input| input.settings.confidence = 0);
    assert_eq!(after(at(CROSSING, content), moving), Phase::Composing(0), "the threshold");
    let second = at(Phase::Crossing(2), input(3));
    assert_eq!(after(second.clone(), unsure), Phase::Composing(0), "nothing moved");
    assert_eq!(after(second, moving), Phase::Crossing(3));
    // Of two seats, nobody has heard anything new; and most reviews call for no composition.
    assert_eq!(after(at(CROSSING, input(2)), unsure), Phase::Composing(0), "no news");
    let auto = with(|input| input.settings.compose = Compose::Auto);
    assert_eq!(after(at(CROSSING, auto), agreeable), Phase::Closed, "nothing to vote on");
    let never = with(|input| input.settings.compose = Compose::Never);
    assert_eq!(after(at(CROSSING, never), agreeable), Phase::Closed, "never");
}
