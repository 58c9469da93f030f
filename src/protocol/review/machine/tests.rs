//! Complete reviews with scripted seats, step by step; expected values are calculated by hand.

use super::super::Role;
use super::super::model::{
    CompositionBlock, EliminatedStatus, Merge, Severity, Stance, Status, ValidationResult, Verdict,
};
use super::super::testing::{
    agreeable, eliminates, failure, judges, machine, nothing, role, run, seat, two_findings, votes,
};
use super::*;
use crate::change::Omission;
use crate::kernel::{SeatStatus, Turn};

const P1: Severity = Severity::P1;
const P2: Severity = Severity::P2;

#[test]
fn two_that_agree_confirm_and_one_composes() {
    let mut machine = machine(2);
    let (steps, outcome) = run(&mut machine, agreeable);
    assert_eq!(
        steps,
        ["r1/review/s1 r1/review/s2", "r2/cross/s1 r2/cross/s2", "compose/s1", "validate/s2"]
    );
    assert_eq!(outcome.verdict, Verdict::ChangesRequested);
    assert_eq!(outcome.outcome, Verdict::ChangesRequested);
    // P1 8 + fix 5 + accuracy 2 + clarity 3 + 3 = 21; P2 3 + 5 + 2 + 6 = 16.
    assert_eq!(outcome.result.winner.as_deref(), Some("claude"));
    assert_eq!(outcome.result.composed_by.as_deref(), Some("claude"));
    assert_eq!(outcome.result.scores["claude"].total, 21);
    assert_eq!(outcome.result.scores["codex"].total, 16);
    // After the reviews nothing is settled; after one crossing everything is, by two vendors.
    let confidence: Vec<u32> = outcome.result.rounds.iter().map(|round| round.confidence).collect();
    assert_eq!(confidence, [0, 100]);
    assert_eq!((outcome.result.confidence, outcome.quorum.vendors), (100, 2));
    let shown: Vec<_> = outcome
        .result
        .findings
        .iter()
        .map(|each| {
            let reported = &each.reported;
            (
                each.status,
                reported.finding.severity,
                reported.finding.file.as_str(),
                reported.found_by.join(),
                reported.confirmed_by.join(),
            )
        })
        .collect();
    assert_eq!(
        shown,
        [
            (Status::Confirmed, P1, "src/a.rs", "claude".into(), "codex".into()),
            (Status::Confirmed, P2, "src/b.rs", "codex".into(), "claude".into()),
        ]
    );
    // s2 may vote only on s1's finding; no seat may vote on the one that s2 wrote, since the composer has no vote.
    let validation: Vec<_> = outcome
        .result
        .validation
        .iter()
        .map(|each| (each.id.as_str(), each.tally.approves, each.tally.result))
        .collect();
    assert_eq!(
        validation,
        [("F1", 1, ValidationResult::Approved), ("F2", 0, ValidationResult::Unvalidated)]
    );
    assert!(outcome.seats.iter().all(|seat| seat.status == SeatStatus::Answered));
    assert_eq!(outcome.result.agreement.len(), 1);
    assert_eq!((outcome.result.agreement[0].agreed, outcome.result.agreement[0].shared), (2, 0));
    assert!(outcome.failure.is_none() && outcome.warnings.is_empty());
}

trait Join {
    fn join(&self) -> String;
}

impl Join for Vec<String> {
    fn join(&self) -> String {
        self.as_slice().join(" ")
    }
}

/// In the source, two agents that disagreed had the result of two that agreed.
#[test]
fn two_that_disagree_end_otherwise() {
    let say = |turn: &Turn| match role(turn) {
        Role::CrossReviewer if turn.id.starts_with("r3/") => Some(judges(turn, Stance::Agree)),
        Role::CrossReviewer => Some(judges(turn, Stance::Disagree)),
        Role::Reviewer | Role::Composer | Role::Validator | Role::Prover | Role::Sandbox => {
            agreeable(turn)
        }
    };
    let (steps, outcome) = run(&mut machine(2), say);
    // F2, a P2, is refuted; F1, a P1, is disputed, since one seat alone must not end it and its author stands by it.
    assert_eq!(outcome.verdict, Verdict::Comments);
    assert_eq!(outcome.result.findings.len(), 1);
    assert_eq!(outcome.result.findings[0].status, Status::Disputed);
    assert_eq!(outcome.result.findings[0].reported.disputed_by, ["codex"]);
    assert_eq!(outcome.result.eliminated.len(), 1);
    assert_eq!(outcome.result.eliminated[0].status, EliminatedStatus::Refuted);
    assert_eq!(outcome.result.eliminated[0].reason, "claude: It is disagree on F2.");
    // A refuted finding costs its author 10 and earns no points of its own: -10 + clarity 6.
    assert_eq!(outcome.result.scores["codex"].false_positives, -10);
    assert_eq!(outcome.result.winner.as_deref(), Some("claude"));
    assert_eq!(steps[2], "r3/cross/s1");
    assert_eq!(steps.len(), 5);
}

#[test]
fn one_that_found_nothing_and_one_that_died_are_not_clean() {
    let (steps, outcome) = run(&mut machine(3), |_| Some(nothing()));
    assert_eq!((steps.len(), outcome.verdict), (1, Verdict::Clean), "all found nothing");
    assert_eq!((outcome.result.confidence, outcome.result.composed_by), (100, None));
    for dead in 0..3 {
        let (_, outcome) = run(&mut machine(3), |turn| (seat(turn) != dead).then(nothing));
        assert_eq!(outcome.verdict, Verdict::Undecided, "{dead}");
        assert!(!outcome.result.degraded);
        // Two of three answered.
        assert_eq!(outcome.result.confidence, 66);
        assert_eq!(outcome.result.scores.len(), 2);
        assert_eq!(outcome.seats[dead].status, SeatStatus::Failed);
        assert_eq!(outcome.seats[dead].failure.as_deref(), Some("timed_out: no answer"));
    }
}

#[test]
fn one_alone_is_degraded_and_its_findings_are_shown() {
    let say = |turn: &Turn| (seat(turn) == 0).then(|| two_findings(turn));
    let (steps, outcome) = run(&mut machine(2), say);
    assert_eq!(steps.len(), 1);
    assert_eq!(outcome.verdict, Verdict::Undecided);
    assert!(outcome.result.degraded);
    assert_eq!(outcome.result.findings.len(), 1);
    assert_eq!(outcome.result.findings[0].status, Status::Unverified);
    assert!(outcome.result.confidence <= 50);
    let reasons: Vec<Omission> = outcome.result.not_reviewed.iter().map(|each| each.why).collect();
    assert_eq!(reasons, [Omission::NoQuorum; 2]);
    let codes: Vec<&str> = outcome.warnings.iter().map(|each| each.code.as_str()).collect();
    assert_eq!(codes, ["no_quorum", "degraded"]);
}

#[test]
fn all_dead_is_undecided_with_nothing() {
    let (steps, outcome) = run(&mut machine(3), |_| None);
    assert_eq!(steps.len(), 1);
    assert_eq!(outcome.verdict, Verdict::Undecided);
    assert_eq!((outcome.result.winner, outcome.result.confidence), (None, 0));
    assert!(outcome.result.scores.is_empty() && outcome.result.findings.is_empty());
    assert_eq!(outcome.failure, Some(failure()));
}

/// The failure of a critic in round two is not an assent: its half of the votes is missing, and it has no score.
#[test]
fn a_critic_that_dies_lowers_confidence_and_cannot_win() {
    let say = |turn: &Turn| match (role(turn), seat(turn)) {
        (Role::CrossReviewer, 0) => None,
        _ => agreeable(turn),
    };
    let (_, outcome) = run(&mut machine(2), say);
    // s1's finding was judged by s2 and is confirmed; s2's is unverified. (3 of 4) x (1 of 2) = 37.
    assert_eq!(outcome.result.rounds[1].confidence, 37);
    assert_eq!(outcome.result.winner.as_deref(), Some("codex"));
    assert!(!outcome.result.scores.contains_key("claude"));
    assert_eq!(outcome.verdict, Verdict::ChangesRequested);
    // Its review counts: two make a quorum, and the seat reports its failed turns.
    assert_eq!(outcome.seats[0].status, SeatStatus::Answered);
    assert_eq!(outcome.quorum.answered, 2);
    assert_eq!(
        outcome.seats[0].failure.as_deref(),
        Some("1 of 3 turns failed; timed_out: no answer")
    );
}

#[test]
fn the_next_best_composes_when_one_fails_and_the_rules_when_all_do() {
    let say = |dead: usize| {
        move |turn: &Turn| match (role(turn), seat(turn)) {
            (Role::Composer, seat) if seat < dead => None,
            _ => agreeable(turn),
        }
    };
    let (steps, outcome) = run(&mut machine(2), say(1));
    assert_eq!(steps[2..], ["compose/s1", "compose/s2", "validate/s1"]);
    assert_eq!(outcome.result.winner.as_deref(), Some("claude"));
    assert_eq!(outcome.result.composed_by.as_deref(), Some("codex"));
    let (steps, outcome) = run(&mut machine(2), say(2));
    assert_eq!(steps[2..], ["compose/s1", "compose/s2"]);
    assert_eq!((outcome.result.composed_by, outcome.result.findings.len()), (None, 2));
}

#[test]
fn an_elimination_needs_votes_and_dead_validators_approve_nothing() {
    let say = |vote: Option<bool>| {
        move |turn: &Turn| match role(turn) {
            Role::Composer => Some(eliminates(&["F1"])),
            Role::Validator | Role::Prover | Role::Sandbox => {
                vote.map(|approve| votes(turn, approve))
            }
            Role::CrossReviewer => Some(judges(turn, Stance::Unsure)),
            Role::Reviewer => agreeable(turn),
        }
    };
    let cases = [
        (Some(true), 1, ValidationResult::Approved),
        (Some(false), 2, ValidationResult::Rejected),
        (None, 2, ValidationResult::Unvalidated),
    ];
    for (vote, left, result) in cases {
        let (_, outcome) = run(&mut machine(2), say(vote));
        assert_eq!(outcome.result.findings.len(), left, "{vote:?}");
        assert_eq!(outcome.result.validation[0].tally.result, result);
        let thrown_out = outcome.result.eliminated.first();
        assert_eq!(
            thrown_out.map(|each| (each.status, each.reason.as_str())),
            vote.filter(|approve| *approve)
                .map(|_| (EliminatedStatus::Eliminated, "It is no defect."))
        );
    }
}

#[test]
fn what_is_merged_is_shown_once_with_all_who_wrote_it() {
    let say = |turn: &Turn| match role(turn) {
        Role::Composer => Some(Content::Composition(CompositionBlock {
            merge: vec![Merge { into: "F1".into(), ids: vec!["F2".into()], reason: None }],
            ..CompositionBlock::default()
        })),
        Role::Reviewer | Role::CrossReviewer | Role::Validator | Role::Prover | Role::Sandbox => {
            agreeable(turn)
        }
    };
    let (_, outcome) = run(&mut machine(3), say);
    assert_eq!(outcome.result.findings.len(), 1);
    let reported = &outcome.result.findings[0].reported;
    assert_eq!(reported.merged, ["F2"]);
    assert_eq!(reported.found_by, ["claude", "codex"]);
    assert_eq!(reported.confirmed_by, ["gemini"]);
    // Without a third seat, no seat may vote on the merge, so the finding stays separate.
    let (_, outcome) = run(&mut machine(2), say);
    assert_eq!(outcome.result.findings.len(), 2);
}
