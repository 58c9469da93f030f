//! The kind of a resolution, and the material handed to a person.

use serde_json::{Value, json};

use super::super::testing::{addresses, concerns, course, said, stances};
use super::*;
use crate::protocol::debate::typed::ArgumentType::Resolution as Resolves;
use crate::protocol::debate::typed::ArgumentType::{Challenge, Defense, Proposal};

/// A round in which the adversary accepts with these points.
fn accepted(
    points: &[&str],
    challenge: Value,
    met: &[&str],
    stance: &[(&str, &str)],
) -> DebateState {
    let mut course = course(1);
    let proposal = json!({"content": {"text": "Move the session cache to Redis on Monday.", "points": ["Keep local reads cached"]}});
    let points: Vec<Value> =
        points.iter().map(|claim| json!({"claim": claim, "importance": 2})).collect();
    for (agent, argument) in [
        ("claude", said(Proposal, proposal)),
        ("gemini", said(Challenge, challenge)),
        ("claude", said(Defense, json!({}))),
        (
            "gemini",
            said(
                Resolves,
                json!({"content": {"text": "Done.", "points": points}, "addresses": addresses(met)}),
            ),
        ),
    ] {
        course.submit(agent, argument).unwrap();
    }
    // Points are numbered over the whole debate: the proposal's come first.
    let due: Vec<String> = course.to_judge().into_iter().map(|(id, _)| id).collect();
    let stance: Vec<(&str, &str)> =
        stance.iter().zip(&due).map(|((_, word), id)| (&**id, *word)).collect();
    course.submit_stances("claude", stances(&stance)).unwrap();
    course.evaluate().unwrap();
    course
}

fn kind_of(course: &DebateState) -> ResolutionKind {
    let standing = ResolutionState::of(course).unwrap();
    kind(course, &standing, &open_concerns(course))
}

#[test]
fn the_kind_follows_from_stances_and_from_what_was_said_first() {
    use ResolutionKind::{ConditionalApproval, FullAgreement, Hybrid};
    let agree = [("P1", "agree"), ("P2", "agree"), ("P3", "agree")];
    let warn = json!({"content": {"text": "Measure restarts before anything is bought."}});
    let nothing = json!({"content": {"text": "No."}});
    let cost =
        json!({"content": {"text": "No."}, "concerns": concerns(&["Somebody pays the licence"])});
    for (points, challenge, met, stance, expected) in [
        // The primary's first argument; two of three points are enough.
        (&["Move the session cache"][..], &nothing, &[][..], &agree[..1], FullAgreement),
        (
            &["Move sessions to Redis", "Cache local reads", "Paint it blue"],
            &nothing,
            &[],
            &agree[..],
            FullAgreement,
        ),
        // The adversary's first argument, in its text or in a concern.
        (&["Measure restarts before"], &warn, &[], &agree[..1], FullAgreement),
        (&["The licence is paid by somebody"], &cost, &["C1"], &agree[..1], FullAgreement),
        // Half from each side; then from neither.
        (&["Move sessions to Redis", "Measure restarts"], &warn, &[], &agree[..2], Hybrid),
        (&["Paint it blue"], &nothing, &[], &agree[..1], Hybrid),
        // A point without keywords is not called new.
        (&["It is what it should be"], &nothing, &[], &agree[..1], FullAgreement),
        // Something is not agreed to without reservation.
        (&["Move sessions to Redis"], &nothing, &[], &[("P1", "partly")], ConditionalApproval),
        (&["Paint it blue", "b"], &nothing, &[], &agree[..1], ConditionalApproval),
        (&["Move sessions to Redis"], &cost, &[], &agree[..1], ConditionalApproval),
    ] {
        assert_eq!(
            kind_of(&accepted(points, challenge.clone(), met, stance)),
            expected,
            "{points:?} {met:?}"
        );
    }
}

#[test]
fn conditions_say_what_the_agreement_rests_on() {
    let challenge = json!({"concerns": concerns(&["No owner."])});
    let course = accepted(
        &["Move it.", "Keep it", "Watch it", "Own it"],
        challenge,
        &[],
        &[("P1", "agree"), ("P2", "partly"), ("P3", "disagree")],
    );
    let standing = ResolutionState::of(&course).unwrap();
    assert_eq!(
        conditions(&standing, &open_concerns(&course)),
        [
            "P3: Only for reads",
            "P4 (disagree): Watch it: disagree, I say",
            "P5 was not judged: Own it",
            "C1 has yet to be met: No owner",
        ]
    );
}

#[test]
fn a_debate_without_a_resolution_has_nothing_decided() {
    let mut course = course(1);
    course.submit("claude", said(Proposal, json!({}))).unwrap();
    assert!(ResolutionState::of(&course).is_none() && open_concerns(&course).is_empty());
    let challenge = json!({"concerns": concerns(&["No owner"])});
    course.submit("gemini", said(Challenge, challenge)).unwrap();
    assert_eq!(open_concerns(&course).len(), 1, "what nobody has judged is open");
    let package = resolution(&course, ResolutionKind::HumanEscalation, &open_concerns(&course));
    assert!(package.key_decisions.is_empty());
    assert_eq!(package.unresolved_points, ["C1: No owner (raised by the adversary in round 1)"]);
    assert_eq!(package.history.len(), 2);
}
