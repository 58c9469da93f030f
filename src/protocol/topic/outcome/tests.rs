//! The contents of a result: decisions, dissent, open points, wording, seats.

use super::super::reply::Content;
use super::super::testing::*;
use crate::kernel::SeatStatus;
use crate::kernel::share::Share;
use crate::protocol::debate::{DebateOutcome, Outcome, Position, Stances};

fn run(max_rounds: u32, script: &str) -> Outcome {
    let mut machine = machine(max_rounds);
    play(&mut machine, script);
    done(&machine)
}

fn dissent(end: &Outcome) -> Vec<(&str, &str, &str)> {
    (end.result.dissent.iter()).map(|each| (&*each.seat, &*each.about, &*each.reason)).collect()
}

#[test]
fn an_adopted_position_keeps_its_amendments_and_its_dissent() {
    let end = run(4, "1 d10 aaaaaaaapd");
    assert_eq!(end.outcome, DebateOutcome::Adopted);
    let decision = end.result.decision.as_ref().unwrap();
    assert_eq!(&*decision.by, "reviewer");
    assert_eq!(decision.amendments, ["B9: Amendment to B9."]);
    // The amended point reads so everywhere, once; the summary was written before.
    let points = &decision.position.as_ref().unwrap().points;
    let claims: Vec<&str> = points.iter().map(|point| &*point.claim).collect();
    assert_eq!(
        claims[7..],
        ["Claim 8 of r1-review.", "Amendment to B9.", "Claim 10 of r1-review."]
    );
    assert_eq!(
        decision.text,
        claims.iter().map(|claim| format!("* {claim}")).collect::<Vec<_>>().join("\n")
    );
    assert_eq!(decision.agreed[0], "B1: Reason on B1.");
    // The proposer's own point is not in its last position.
    assert_eq!(decision.withdrawn, ["A1: Claim 1 of r1-propose."]);
    assert_eq!(
        dissent(&end),
        [
            (
                "proposer",
                "B9 of the reviewer's position (agrees in part only): Claim 9 of r1-review.",
                "Reason on B9."
            ),
            (
                "proposer",
                "B10 of the reviewer's position (disagrees): Claim 10 of r1-review.",
                "Reason on B10."
            ),
        ]
    );
    let open: Vec<&str> = end.result.open_points.iter().map(|point| &*point.id).collect();
    assert_eq!(open, ["B10"]);
}

#[test]
fn what_is_missing_stays_as_dissent_also_after_a_ruling() {
    let mut machine = machine(2);
    play(&mut machine, "1");
    let review = Content::Both(
        Stances {
            missing: vec!["What of the costs?".to_owned()],
            ..stances(&["A1".to_owned()], "p")
        },
        position("b", 1),
    );
    say(&mut machine, Some(&review));
    play(&mut machine, "r");
    let end = done(&machine);
    assert_eq!(end.outcome, DebateOutcome::Expert);
    assert_eq!(
        dissent(&end),
        [
            (
                "reviewer",
                "A1 of the proposal (agrees in part only): Claim 1 of r1-propose.",
                "Reason on A1."
            ),
            ("reviewer", "missing in the proposal", "What of the costs?"),
        ]
    );
    assert_eq!(end.result.open_points[0].ruling.as_deref(), Some("Ruling on A1. (It follows.)"));
    let decision = end.result.decision.as_ref().unwrap();
    assert_eq!(
        (&*decision.by, &*decision.text, end.result.code_change_required),
        ("expert", "The final position.", true)
    );
}

#[test]
fn without_agreement_each_sides_last_objections_stand() {
    // The reviewer disagreed with the proposal. The proposer's stance on the joint draft replaces its stance on the
    // reviewer's position.
    let end = run(4, "2 dd2 ad 2 ad r");
    let about: Vec<(&str, &str)> =
        dissent(&end).into_iter().map(|(seat, about, _)| (seat, about)).collect();
    assert_eq!(
        about,
        [
            ("reviewer", "A1 of the proposal (disagrees): Claim 1 of r1-propose."),
            ("reviewer", "A2 of the proposal (disagrees): Claim 2 of r1-propose."),
            ("proposer", "J2 of the joint position (disagrees): Claim 2 of r3-compromise."),
        ]
    );
    // If a draft was not answered, earlier objections remain.
    let end = run(4, "2 dd2 ad 2 . r");
    let seats: Vec<&str> = end.result.dissent.iter().map(|each| &*each.seat).collect();
    assert_eq!(seats, ["reviewer", "reviewer", "proposer"]);
    assert!(end.result.open_points.iter().all(|point| point.stance.is_none()));
    assert_eq!(end.result.open_points.len(), 2);
}

#[test]
fn a_failed_expert_decides_nothing_and_says_why() {
    let end = run(3, "2 ad2 ad .");
    assert_eq!(
        (end.outcome, end.result.decision.as_ref()),
        (DebateOutcome::Deadlocked.into(), None)
    );
    let expert = end.result.expert.as_ref().unwrap();
    assert!(expert.judgement.is_none() && expert.failure.is_some() && end.failure.is_some());
    assert_eq!(end.seats[2].status, SeatStatus::Failed);
}

#[test]
fn who_was_silent_is_named_and_never_counts_as_answered() {
    let end = run(4, "1 . .");
    assert_eq!(end.outcome, DebateOutcome::Failed);
    let status: Vec<SeatStatus> = end.seats.iter().map(|seat| seat.status).collect();
    assert_eq!(status, [SeatStatus::Answered, SeatStatus::Failed, SeatStatus::Skipped]);
    assert!(end.seats[1].failure.as_deref().unwrap().starts_with("2 of 2 turns failed; "));
    assert_eq!((end.quorum.needed, end.quorum.vendors, end.failure.is_some()), (2, 1, true));
    // A seat that missed one turn of several is listed as answered, with that failure.
    let end = run(4, "1 d . a");
    assert_eq!(end.seats[0].status, SeatStatus::Answered);
    assert!(end.seats[0].failure.as_deref().unwrap().starts_with("1 of 3 turns failed; "));
}

#[test]
fn code_changes_are_the_word_of_who_decided_else_of_any_participant() {
    let run = |proposal: Option<bool>, review: Option<bool>, letters: &str| {
        let mut machine = machine(1);
        let with = |code_change_required| Position { code_change_required, ..position("x", 1) };
        say(&mut machine, Some(&Content::Position(with(proposal))));
        let said = Content::Both(stances(&["A1".to_owned()], letters), with(review));
        say(&mut machine, Some(&said));
        done(&machine).result.code_change_required
    };
    assert!(run(Some(true), None, "a"));
    assert!(!run(Some(false), Some(true), "a"));
    assert!(run(None, Some(true), "a"));
    assert!(!run(None, None, "a"));
    // Without a decision, the position of any participant counts.
    assert!(run(Some(false), Some(true), "d"));
}

#[test]
fn final_positions_are_each_sides_own_and_consensus_the_last_that_was_measured() {
    let end = run(4, "2 dd2 ad 1 a");
    assert_eq!(end.result.final_positions["proposer"].text, "Summary of r2-rebuttal.");
    assert_eq!(end.result.final_positions["reviewer"].text, "Summary of r1-review.");
    assert_eq!(
        (end.result.final_positions["proposer"].round, end.result.consensus),
        (2, Some(Share::ONE))
    );
    assert_eq!(end.result.decision.as_ref().unwrap().by, "joint");
    let end = run(3, "4 aaad . r");
    assert_eq!(end.result.consensus, Some(Share::thousandths(750)));
}
