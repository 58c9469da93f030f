//! Every transition of the state table, permitted and refused, and the checks on a submission.

use serde_json::{Value, json};

use super::super::testing::{addresses, concerns, course, said, stances};
use super::*;
use ArgumentType::{Challenge, Counter, Defense, Proposal, Resolution};

const PRIMARY: &str = "claude";
const ADVERSARY: &str = "gemini";

fn made(max_rounds: u32, threshold: u16) -> DebateState {
    let terms = DebateRules {
        max_rounds,
        consensus_threshold: Share::thousandths(threshold),
        impact_areas: Vec::new(),
    };
    DebateState::new(PRIMARY, ADVERSARY, terms).unwrap()
}

fn submit(course: &mut DebateState, agent: &str, kind: ArgumentType, more: Value) {
    course.submit(agent, said(kind, more)).unwrap();
}

/// Plays a round in which the adversary accepts, up to its resolution.
fn accepted(course: &mut DebateState) {
    submit(course, PRIMARY, Proposal, json!({}));
    submit(course, ADVERSARY, Challenge, json!({}));
    submit(course, PRIMARY, Defense, json!({}));
    submit(course, ADVERSARY, Resolution, json!({}));
}

fn judge(course: &mut DebateState, agent: &str, said: &[(&str, &str)]) {
    course.submit_stances(agent, stances(said)).unwrap();
}

/// Returns a debate with this status.
fn at(status: Status) -> DebateState {
    let mut course = made(1, 800);
    if status == Status::Pending {
        return course;
    }
    course.start().unwrap();
    match status {
        Status::Pending | Status::InProgress => {}
        Status::Terminated => course.terminate().unwrap(),
        Status::Failed => course.fail().unwrap(),
        Status::ConsensusReached | Status::Deadlocked => {
            accepted(&mut course);
            let stance = if status == Status::Deadlocked { "disagree" } else { "agree" };
            judge(&mut course, PRIMARY, &[("P1", stance), ("P2", stance)]);
            course.evaluate().unwrap();
        }
    }
    assert_eq!(course.status(), status);
    course
}

#[test]
fn each_status_goes_where_the_table_says_and_nowhere_else() {
    use Status::{Failed, InProgress, Pending, Terminated};
    type Do = fn(&mut DebateState) -> Result<(), Refusal>;
    let inputs: [(&str, Do, Status, &[Status]); 3] = [
        ("start", DebateState::start, InProgress, &[Pending]),
        ("terminate", DebateState::terminate, Terminated, &[Pending, InProgress]),
        ("fail", DebateState::fail, Failed, &[Pending, InProgress]),
    ];
    for (name, act, to, allowed) in inputs {
        for from in Status::ALL {
            let mut course = at(from);
            let before = course.clone();
            let done = act(&mut course);
            if allowed.contains(&from) {
                assert_eq!((done, course.status()), (Ok(()), to), "{name} from {from:?}");
            } else {
                assert_eq!(done, Err(Refusal::Transition { from, to }), "{name} from {from:?}");
                assert_eq!(course, before);
            }
        }
    }
    assert_eq!(
        at(Status::Deadlocked).terminate().unwrap_err().to_string(),
        "a debate that is deadlocked cannot become terminated"
    );
}

#[test]
fn nothing_is_said_before_the_start_or_after_the_end() {
    for status in Status::ALL.into_iter().filter(|status| *status != Status::InProgress) {
        let mut course = at(status);
        let before = course.clone();
        let refused = course.submit(PRIMARY, said(Proposal, json!({}))).map(|_| ());
        assert_eq!(refused, Err(Refusal::NotRunning(status)));
        let refused = course.submit_stances(PRIMARY, stances(&[("P1", "agree")]));
        assert_eq!(refused, Err(Refusal::NotRunning(status)));
        let evaluated = course.evaluate().map(|_| ());
        assert!(matches!(evaluated, Err(Refusal::NotDue { .. })), "{status:?}");
        assert_eq!(course, before);
    }
}

#[test]
fn an_evaluation_waits_for_the_stances_and_stances_for_the_resolution() {
    let mut course = course(2);
    let moves = [
        (PRIMARY, Proposal),
        (ADVERSARY, Challenge),
        (PRIMARY, Defense),
        (ADVERSARY, Counter),
        (PRIMARY, Resolution),
    ];
    for (agent, kind) in moves {
        for other in [PRIMARY, ADVERSARY] {
            let early = course.submit_stances(other, stances(&[("P1", "agree")]));
            assert!(matches!(early, Err(Refusal::NotDue { .. })));
        }
        assert!(course.evaluate().is_err());
        submit(&mut course, agent, kind, json!({}));
    }
    assert_eq!(course.due(), Expected::Stances(Side::Adversary));
    let refused = course.evaluate().map(|_| ()).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "an evaluation is not due: now come the stances of the adversary"
    );
    for stranger in [PRIMARY, "codex"] {
        let refused = course.submit_stances(stranger, stances(&[("P1", "agree")]));
        assert!(matches!(refused, Err(Refusal::NotDue { .. })), "{stranger}");
    }
    judge(&mut course, ADVERSARY, &[("P1", "agree")]);
    let twice = course.submit_stances(ADVERSARY, stances(&[("P1", "agree")]));
    assert!(matches!(twice, Err(Refusal::NotDue { .. })));
    assert_eq!(course.due(), Expected::Evaluation);
    course.evaluate().unwrap();
}

#[test]
fn a_round_below_the_threshold_is_followed_by_the_next_and_the_last_by_a_deadlock() {
    let mut course = course(2);
    for (round, status, [first, second]) in
        [(1, Status::InProgress, ["P1", "P2"]), (2, Status::Deadlocked, ["P3", "P4"])]
    {
        assert_eq!(course.current_round(), round);
        accepted(&mut course);
        // Weights 3 and 1: 3 of 4.
        judge(&mut course, PRIMARY, &[(first, "agree"), (second, "disagree")]);
        let evaluation = course.evaluate().unwrap();
        assert_eq!(evaluation.check.decisive, Some(Share::thousandths(750)));
        assert!(!evaluation.check.reached);
        assert_eq!(course.status(), status);
    }
    assert_eq!(course.rounds().len(), 2);
}

#[test]
fn at_the_threshold_it_is_consensus_and_just_below_it_is_none() {
    for (threshold, reached) in [(749, true), (750, true), (751, false)] {
        let mut course = made(3, threshold);
        course.start().unwrap();
        accepted(&mut course);
        judge(&mut course, PRIMARY, &[("P1", "agree"), ("P2", "disagree")]);
        assert_eq!(course.evaluate().unwrap().check.reached, reached, "{threshold}");
        assert_eq!(course.status() == Status::ConsensusReached, reached);
    }
}

/// Agreement on three quarters of the weight, without stances on the rest, is not consensus, however low the
/// threshold.
#[test]
fn consensus_needs_stances_on_four_fifths_of_the_points() {
    let mut course = made(3, 500);
    course.start().unwrap();
    accepted(&mut course);
    judge(&mut course, PRIMARY, &[("P1", "agree")]);
    let check = &course.evaluate().unwrap().check;
    assert_eq!(check.covered, Share::thousandths(750));
    assert_eq!(check.decisive, Some(Share::thousandths(750)));
    assert!(!check.reached);
    assert_eq!(course.status(), Status::InProgress);
}

#[test]
fn open_concerns_go_on_and_count_until_their_raiser_says_that_they_are_met() {
    let mut course = course(3);
    submit(&mut course, PRIMARY, Proposal, json!({}));
    let raised = json!({"concerns": concerns(&["No way back", "Cost"])});
    submit(&mut course, ADVERSARY, Challenge, raised);
    submit(&mut course, PRIMARY, Defense, json!({"addresses": addresses(&["C1", "C2"])}));
    submit(&mut course, ADVERSARY, Counter, json!({"concerns": concerns(&["Owner"])}));
    submit(&mut course, PRIMARY, Resolution, json!({"addresses": addresses(&["C1"])}));
    let due: Vec<String> = course.to_judge().into_iter().map(|(id, _)| id).collect();
    assert_eq!(due, ["P1", "P2", "C1", "C2", "C3"]);
    let all =
        [("P1", "agree"), ("P2", "agree"), ("C1", "agree"), ("C2", "partly"), ("C3", "disagree")];
    judge(&mut course, ADVERSARY, &all);
    let evaluation = course.evaluate().unwrap();
    assert_eq!(evaluation.figures.metrics.agreement_score, Share::thousandths(500));
    let open: Vec<&str> = evaluation.open.iter().map(|raised| &*raised.concern.id).collect();
    assert_eq!(open, ["C2", "C3"]);
    // Round 2 raises nothing new and agrees to all points, and the two open concerns still count.
    submit(&mut course, PRIMARY, Proposal, json!({}));
    submit(&mut course, ADVERSARY, Challenge, json!({"concerns": concerns(&["Delay"])}));
    submit(&mut course, PRIMARY, Defense, json!({}));
    submit(&mut course, ADVERSARY, Resolution, json!({"addresses": addresses(&["C2", "C4"])}));
    // The adversary wrote the resolution, so its own concerns are not judged by the other side.
    let due: Vec<String> = course.to_judge().into_iter().map(|(id, _)| id).collect();
    assert_eq!(due, ["P3", "P4"]);
    judge(&mut course, PRIMARY, &[("P3", "agree"), ("P4", "agree")]);
    let evaluation = course.evaluate().unwrap();
    // C2 and C4 are disposed of, C3 is not: 2 of 3.
    assert_eq!(evaluation.figures.concerns_met, Share::thousandths(666));
    assert_eq!(evaluation.status, Status::InProgress);
    assert_eq!(course.round_concerns()[0].concern.text, "Owner");
    assert_eq!(course.round_concerns()[0].round, 1);
}

#[test]
fn ids_are_the_programs_over_the_whole_debate() {
    let mut course = course(2);
    submit(&mut course, PRIMARY, Proposal, json!({}));
    let raised = json!({"concerns": [{"id": "C9", "text": "a"}, {"id": "", "text": "b"}]});
    submit(&mut course, ADVERSARY, Challenge, raised);
    submit(&mut course, PRIMARY, Defense, json!({"references": ["A2", "A1"]}));
    submit(&mut course, ADVERSARY, Resolution, json!({}));
    let points = content::points(&course.rounds()[0].arguments[3].said.content);
    assert_eq!(points.iter().map(|point| &*point.id).collect::<Vec<_>>(), ["P1", "P2"]);
    let written = &course.rounds()[0].arguments[3].said.content["points"][0]["id"];
    assert_eq!(written, "P1");
    judge(&mut course, PRIMARY, &[("P1", "disagree")]);
    course.evaluate().unwrap();
    let again = json!({"concerns": concerns(&["c"]), "references": ["A4"]});
    submit(&mut course, PRIMARY, Proposal, again);
    assert_eq!(course.argument_ids(), ["A1", "A2", "A3", "A4", "A5"]);
    let ids: Vec<String> = course.concerns().into_iter().map(|raised| raised.concern.id).collect();
    assert_eq!(ids, ["C1", "C2", "C3"]);
}

#[test]
fn what_is_named_must_exist_and_come_earlier() {
    let mut course = course(1);
    for (more, message) in [
        (
            json!({"references": ["A1"]}),
            "`A1` is not an earlier argument of this debate: none exists yet",
        ),
        (
            json!({"addresses": addresses(&["C1"])}),
            "`C1` is not a concern raised in this debate: none exists yet",
        ),
    ] {
        let refused = course.submit(PRIMARY, said(Proposal, more)).unwrap_err();
        assert_eq!(refused.to_string(), message);
    }
    submit(&mut course, PRIMARY, Proposal, json!({}));
    let own = said(Challenge, json!({"references": ["A2"]}));
    let refused = course.submit(ADVERSARY, own).unwrap_err();
    assert_eq!(refused.to_string(), "`A2` is not an earlier argument of this debate: A1");
    submit(&mut course, ADVERSARY, Challenge, json!({"concerns": concerns(&["x"])}));
    submit(&mut course, PRIMARY, Defense, json!({}));
    let empty = said(Resolution, json!({"content": {"text": "Yes.", "points": []}}));
    assert_eq!(course.submit(ADVERSARY, empty), Err(Refusal::NoPoints));
    submit(&mut course, ADVERSARY, Resolution, json!({}));
    // The other side does not judge the raiser's own concern.
    for (said, written) in [
        (&[("P3", "agree")][..], "P3"),
        (&[("C1", "agree")], "C1"),
        (&[("P1", "agree"), ("P1", "disagree")], "P1"),
    ] {
        let refused = course.submit_stances(PRIMARY, stances(said)).unwrap_err();
        assert_eq!(
            refused.to_string(),
            format!("`{written}` is not to be judged, or not again: stances are due on P1, P2")
        );
    }
    let refused = course.submit_stances(PRIMARY, stances(&[])).unwrap_err();
    assert_eq!(refused.to_string(), "stances are due on P1, P2, but none is given");
    judge(&mut course, PRIMARY, &[("P1", "agree"), ("P2", "agree")]);
}

#[test]
fn a_stand_in_argues_for_the_side_whose_agent_failed_and_for_no_other() {
    let mut course = course(1);
    submit(&mut course, PRIMARY, Proposal, json!({}));
    assert!(course.submit("codex", said(Challenge, json!({}))).is_err());
    assert!(course.stand_in(Side::Adversary, PRIMARY).is_err());
    course.stand_in(Side::Adversary, "codex").unwrap();
    submit(&mut course, "codex", Challenge, json!({}));
    assert_eq!(course.rounds()[0].arguments[1].agent_id, "codex");
    submit(&mut course, PRIMARY, Defense, json!({}));
    // The agent that was named first may come back.
    submit(&mut course, ADVERSARY, Counter, json!({}));
}
