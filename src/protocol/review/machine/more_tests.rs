//! Tests of parts, known findings, evidence, faulty answers, stops, and seats taken over by another agent.

use super::super::Role;
use super::super::model::{
    CrossReviewBlock, EliminatedStatus, Location, Severity, Stance, Status, SuppressionReason,
    Verdict,
};
use super::super::testing::{
    agreeable, asked, change, code, eliminates, files, finding, input, judged, judgement, judges,
    machine, nothing, raw, review, role, run, seat, step, two_findings,
};
use super::*;
use crate::kernel::{Ended, Halt, Respondent, SeatStatus, Turn};

const P0: Severity = Severity::P0;
const P2: Severity = Severity::P2;

fn two_batches(seats: usize) -> Driver<Machine> {
    let mut input = input(seats);
    input.change = change(files(), true);
    Machine::open(input).unwrap()
}

#[test]
fn a_part_below_quorum_counts_as_not_reviewed_and_its_findings_are_shown() {
    let say = |turn: &Turn| match (role(turn), turn.id.as_str()) {
        (Role::Reviewer, "r1/review/s2/b2") => None,
        (Role::Reviewer, id) => Some(review(match id {
            "r1/review/s1/b1" => vec![finding(P2, "a", 7, "Overflow of the counter")],
            "r1/review/s1/b2" => vec![finding(P2, "b", 30, "Rounding towards zero")],
            _ => Vec::new(),
        })),
        (Role::CrossReviewer, _) => Some(judges(turn, Stance::Unsure)),
        (Role::Composer, _) => Some(eliminates(&["F1", "F2"])),
        _ => agreeable(turn),
    };
    let mut input = input(2);
    input.change = change(files(), true);
    let (steps, outcome) = run(&mut Machine::open(input).unwrap(), say);
    assert_eq!(
        steps,
        [
            "r1/review/s1/b1 r1/review/s2/b1 r1/review/s1/b2 r1/review/s2/b2",
            "r2/cross/s2/b1",
            "compose/s1",
            "validate/s2"
        ]
    );
    // F1 was eliminated with s2's approval. F2 was never offered: only one seat saw its code.
    let left: Vec<_> = outcome
        .result
        .findings
        .iter()
        .map(|each| (each.reported.id.as_str(), each.status))
        .collect();
    assert_eq!(left, [("F2", Status::Unverified)]);
    assert_eq!(outcome.result.not_reviewed.len(), 1);
    assert_eq!(outcome.result.not_reviewed[0].path, "src/b.rs");
    assert_eq!(
        outcome.result.not_reviewed[0].detail,
        "1 of 2 agents answered for it, but 2 are needed"
    );
    assert_eq!(outcome.verdict, Verdict::Comments);
    assert!(!outcome.result.degraded && !outcome.result.scores.contains_key("codex"));
}

#[test]
fn a_missed_issue_is_judged_in_the_next_round_where_its_code_is_shown() {
    let say = |turn: &Turn| match (role(turn), turn.id.as_str()) {
        (Role::Reviewer, "r1/review/s1/b1") => {
            Some(review(vec![finding(P2, "a", 7, "Overflow of the counter")]))
        }
        (Role::Reviewer, _) => Some(nothing()),
        (Role::CrossReviewer, "r2/cross/s2/b1") => {
            let mut said = judges(turn, Stance::Agree);
            if let Content::Cross(said) = &mut said {
                said.missed_issues = vec![finding(P0, "b", 30, "Rounding towards zero")];
            }
            Some(said)
        }
        _ => agreeable(turn),
    };
    let (steps, outcome) = run(&mut two_batches(2), say);
    assert_eq!(steps[1], "r2/cross/s2/b1");
    assert_eq!(steps[2], "r3/cross/s1/b2", "b.rs is shown in the second batch");
    assert_eq!(outcome.result.findings[0].status, Status::Confirmed);
    assert_eq!(outcome.result.findings[0].reported.found_by, ["codex"]);
    assert_eq!(outcome.verdict, Verdict::ChangesRequested);
}

#[test]
fn what_is_known_is_nobody_s_business_again_and_hides_nothing_graver_at_its_place() {
    let (_, first) = run(&mut machine(2), agreeable);
    let grave = &first.result.findings[0].reported;
    assert!(grave.finding.severity < Severity::P2, "the rig's first is grave");
    let again = |severity| {
        let known = SuppressionReason { why: "It cannot overflow.".to_owned(), severity };
        let mut again = input(2);
        again.known.insert(grave.fingerprint.clone(), known.clone());
        (known, run(&mut Machine::open(again).unwrap(), agreeable))
    };
    let (_, (_, outcome)) = again(Severity::P2);
    assert_eq!(outcome.result.findings, first.result.findings);
    assert!(outcome.result.suppressed.is_empty());
    let (known, (steps, outcome)) = again(grave.finding.severity);
    // Only s2's finding is left. s1 judges it, and s2 composes, being the only seat with points beyond clarity.
    assert_eq!(steps[1], "r2/cross/s1");
    assert_eq!(outcome.verdict, Verdict::Comments);
    assert_eq!(outcome.result.findings.len(), 1);
    assert_eq!(outcome.result.suppressed.len(), 1);
    assert_eq!(outcome.result.suppressed[0].known, known);
    assert_eq!(outcome.result.suppressed[0].found_by, ["claude"]);
    assert_eq!(outcome.result.scores["claude"].p1_findings, 0);
    assert_eq!(outcome.result.rounds[0].groups, 1);
}

#[test]
fn a_file_that_does_not_exist_is_out_and_nobody_is_asked() {
    let say = |turn: &Turn| match (role(turn), seat(turn)) {
        (Role::Reviewer, 0) => {
            let mut ghost = finding(P0, "a", 7, "Overflow of the counter");
            ghost.file = "lib/a.rs".to_owned();
            Some(review(vec![ghost]))
        }
        (Role::Reviewer, _) => Some(nothing()),
        _ => agreeable(turn),
    };
    let (steps, outcome) = run(&mut machine(2), say);
    assert_eq!(steps.len(), 1);
    assert_eq!(outcome.verdict, Verdict::Clean);
    assert_eq!(outcome.result.eliminated[0].status, EliminatedStatus::Outside);
    assert_eq!(outcome.result.eliminated[0].reported.location, Location::Outside);
    assert_eq!(outcome.result.scores["claude"].false_positives, -10);
}

#[test]
fn a_disagreement_without_evidence_that_is_found_counts_as_unsure() {
    let say = |evidence: Option<String>| {
        move |turn: &Turn| match (role(turn), seat(turn)) {
            (Role::Reviewer, 0) => Some(review(vec![finding(P2, "a", 7, "Overflow")])),
            (Role::Reviewer, _) => Some(nothing()),
            (Role::CrossReviewer, _) => Some(Content::Cross(CrossReviewBlock {
                judgements: vec![judgement("F1", Stance::Disagree, evidence.clone())],
                missed_issues: Vec::new(),
            })),
            _ => agreeable(turn),
        }
    };
    let invented = "if counter.is_safe() { return; }".to_owned();
    for evidence in [None, Some(invented)] {
        let (_, outcome) = run(&mut machine(2), say(evidence));
        assert_eq!(outcome.result.findings[0].status, Status::Unverified);
        let judgement = &outcome.result.findings[0].reported.judgements[0];
        assert!(judgement.without_evidence && judgement.evidence.is_none());
    }
    let (_, outcome) = run(&mut machine(2), say(Some(code("a", 8))));
    assert_eq!(outcome.result.eliminated[0].status, EliminatedStatus::Refuted);
}

#[test]
fn a_review_that_lost_a_finding_is_no_ground_for_clean() {
    let mut machine = machine(2);
    let turns = asked(&machine);
    let good = finding(P2, "a", 7, "Overflow");
    let text = review(vec![good.clone(), finding(P0, "b", 9, "Data is lost")])
        .render()
        .replace("\"P0\"", "\"P7\"");
    let first = machine.read(&turns[0], &raw(&text), Chance::First);
    assert_eq!(first.unwrap_err().problems[0].code, "unknown_word");
    let lossy = judged(&machine, &turns[0], &text);
    assert_eq!(lossy.result.as_ref().unwrap().content.left_out, 1);
    let other = judged(&machine, &turns[1], &nothing().render());
    machine.apply(vec![lossy, other]);
    let (_, outcome) = run(&mut machine, |turn| match role(turn) {
        Role::CrossReviewer => Some(judges(turn, Stance::Disagree)),
        Role::Reviewer | Role::Composer | Role::Validator | Role::Prover | Role::Sandbox => {
            agreeable(turn)
        }
    });
    // The P2 that was left is refuted; the P0 was never read. Nothing remains, but the review is not clean.
    assert!(outcome.result.findings.is_empty());
    assert_eq!(outcome.verdict, Verdict::Undecided);
}

#[test]
fn a_stop_shows_what_was_paid_for_and_decides_nothing() {
    let mut machine = machine(2);
    let turns = asked(&machine);
    let first = judged(&machine, &turns[0], &two_findings(&turns[0]).render());
    machine.part([Some(first), None]);
    let outcome = machine.stop(Stop::Budget);
    assert_eq!(outcome.outcome, Ended::Stopped(Halt::Budget));
    assert_eq!(outcome.verdict, Verdict::Undecided);
    assert_eq!(outcome.result.findings.len(), 1);
    assert!(outcome.result.rounds.is_empty());
    // The other seat's turn was not completed, which is not a failure.
    assert_eq!(outcome.seats[1].status, SeatStatus::Skipped);

    let mut whole = crate::protocol::review::testing::machine(2);
    step(&mut whole, |turn| Some(two_findings(turn)));
    let outcome = whole.stop(Stop::Cancelled(2));
    assert_eq!(outcome.outcome, Ended::Stopped(Halt::Interrupted));
    assert_eq!((outcome.result.findings.len(), outcome.result.rounds.len()), (2, 1));
    let (_, decided) = run(&mut whole, agreeable);
    assert_eq!(whole.stop(Stop::Deadline), decided, "what is over stays what it is");
}

#[test]
fn a_stop_during_validation_throws_nothing_out() {
    let mut machine = machine(2);
    for _ in 0..3 {
        step(&mut machine, |turn| match role(turn) {
            Role::Composer => Some(eliminates(&["F1", "F2"])),
            Role::Reviewer
            | Role::CrossReviewer
            | Role::Validator
            | Role::Prover
            | Role::Sandbox => agreeable(turn),
        });
    }
    assert_eq!(asked(&machine)[0].plays, "validator");
    let outcome = machine.stop(Stop::Budget);
    assert_eq!((outcome.result.findings.len(), outcome.result.eliminated.len()), (2, 0));
    assert_eq!(outcome.result.composed_by, None);
}

#[test]
fn who_steps_in_is_named_and_its_vendor_counts() {
    let mut machine = machine(2);
    let turns = asked(&machine);
    let mut answers: Vec<_> =
        turns.iter().map(|turn| judged(&machine, turn, &two_findings(turn).render())).collect();
    answers[1].respondent = Respondent {
        agent: "spare".into(),
        vendor: "anthropic".into(),
        fell_back_from: Some("codex".into()),
    };
    machine.apply(answers);
    let turns = asked(&machine);
    let mut answers: Vec<_> = turns
        .iter()
        .map(|turn| judged(&machine, turn, &judges(turn, Stance::Agree).render()))
        .collect();
    answers[1].respondent = Respondent {
        agent: "spare".into(),
        vendor: "anthropic".into(),
        fell_back_from: Some("codex".into()),
    };
    machine.apply(answers);
    let outcome = machine.stop(Stop::Budget);
    // Both seats are of one vendor now, so their agreement confirms nothing.
    assert!(outcome.result.findings.iter().all(|each| each.status == Status::OneVendor));
    assert_eq!(outcome.result.findings[1].reported.found_by, ["spare"]);
    assert_eq!(outcome.seats[1].fell_back_to.as_deref(), Some("spare"));
    assert_eq!(outcome.quorum.vendors, 1);
}

#[test]
fn an_input_without_a_review_in_it_is_refused() {
    let refused = |edit: fn(&mut Input)| {
        let mut input = input(2);
        edit(&mut input);
        Machine::open(input).map(drop).unwrap_err().to_string()
    };
    let messages = [
        refused(|input| input.seats.truncate(1)),
        refused(|input| input.seats[1].agent = "claude".into()),
        refused(|input| input.settings.max_rounds = 6),
        refused(|input| input.settings.confidence = 101),
        refused(|input| input.change.batches.clear()),
    ];
    insta::assert_snapshot!(messages.join("\n"), @r"
    a review needs two agents or more, not 1: name them with --agents
    the agent `claude` has two seats: name each agent once
    6 rounds are not possible: choose 0 to 5
    a confidence of 101 is not possible: choose 0 to 100
    nothing in this change can be shown to reviewers: nothing differs, or everything that does is left out
    ");
}
