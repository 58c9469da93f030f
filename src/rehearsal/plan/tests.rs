//! A whole planning with stand-ins alone, through the machine and its parser.

use crate::kernel::Protocol;
use crate::protocol::plan::testing::{asked, done, input, judged_reply};
use crate::protocol::plan::{Machine, PlanOutcome, Status};

fn rehearsed(seats: usize) -> (crate::protocol::plan::Outcome, usize) {
    let mut machine = Machine::new(input(seats)).unwrap();
    let mut turns = 0;
    loop {
        let asked = asked(&machine);
        if asked.is_empty() {
            return (done(&machine), turns);
        }
        turns += asked.len();
        let answers = asked.iter().map(|turn| {
            let text = crate::rehearsal::answer(&turn.prompt.text());
            judged_reply(&machine, turn, &text)
        });
        let answers = answers.collect();
        machine.apply(answers);
    }
}

#[test]
fn stand_ins_plan_judge_add_and_accept() {
    let (end, turns) = rehearsed(2);
    assert_eq!(end.outcome, PlanOutcome::Accepted);
    let noticed: Vec<&str> = end.warnings.iter().map(|each| &*each.code).collect();
    assert_eq!(noticed, Vec::<&str>::new());
    // Two plans, two judges, one judge of the missing step and of the measurement each, one validator.
    assert_eq!(turns, 2 + 2 + 2 + 1);
    // The measurement that is wanted otherwise costs the first seat its lead, and is not added.
    assert_eq!(end.winner.as_deref(), Some("codex"));
    let ids: Vec<&str> = end.steps.iter().map(|step| &*step.id).collect();
    assert_eq!(ids, ["read", "way-back", "build", "test", "document"]);
    assert_eq!(end.steps[0].files, ["README.md", "src/store.rs"]);
    let shared = end.steps.iter().find(|step| step.id == "build").unwrap();
    assert_eq!(shared.proposed_by, ["claude", "codex"]);
    assert!(end.steps.iter().any(|step| step.added && step.status == Status::Confirmed));
    let left_out = &end.left_out[0];
    assert_eq!(left_out.title, "Measure before and after");
    assert_eq!((left_out.status, left_out.objections.len()), (Status::Contested, 1));
    assert!(end.summary.contains("REHEARSAL"));
}

#[test]
fn more_seats_differ_and_are_deterministic() {
    for seats in 3..=4 {
        let (end, _) = rehearsed(seats);
        assert_eq!(end.outcome, PlanOutcome::Accepted);
        assert_eq!(rehearsed(seats).0, end);
    }
}

#[test]
fn what_is_no_planning_is_left_to_the_others() {
    for prompt in [
        "",
        "turn: r1/plan/s1",
        "# The planning\n\nturn: r2/cross/s2",
        "# The planning\n\nturn: r1/plan/sx",
        "# The planning\n\nturn: r2/champion/s1\n",
        "# The planning\n\nturn: validate/s1\n{\n",
    ] {
        assert_eq!(super::answer(prompt), None, "{prompt}");
    }
}
