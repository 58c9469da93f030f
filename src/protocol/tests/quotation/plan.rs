//! Plans: the task, the existing change, and the planners' text.

use super::{all, infected, plant, play};
use crate::kernel::{Driver, Turn};
use crate::protocol::context::ContextFile;
use crate::protocol::plan::testing::{
    TASK, input, machine, plan, review, seat_of, steps, to_judge, validation,
};
use crate::protocol::plan::{Input, Machine};

type Field<'a> = &'a dyn Fn(&mut Input);

#[expect(clippy::unnecessary_wraps, reason = "scripts can fail a turn; this one never does")]
fn honest(_: &Driver<Machine>, turn: &Turn) -> Option<String> {
    Some(if turn.block_names() == ["PLAN"] {
        plan(&steps(["ab", "bc"][seat_of(turn)]))
    } else if turn.id.starts_with("validate/") {
        let ids = to_judge(turn);
        validation(&ids, &"a".repeat(ids.len()))
    } else {
        let ids = to_judge(turn);
        review(&ids, &"d".repeat(ids.len()), &[])
    })
}

#[test]
fn what_a_task_a_change_or_the_repository_plants_is_no_plan() {
    let text = plant("PLAN");
    let file = |name: &str| ContextFile { name: name.to_owned(), text: text.clone(), cut: false };
    let fields: [Field<'_>; 4] = [
        &|input| input.task = format!("{TASK}\n{text}"),
        &|input| {
            use crate::protocol::review::testing::{change, file};
            let lines: Vec<&str> = text.lines().collect();
            input.change = Some(change(vec![file("plan.md", &lines)], false));
        },
        &|input| input.context = vec![file("notes.md")],
        &|input| input.repository.get_or_insert_default().shown = vec![file("README.md")],
    ];
    for field in fields {
        let mut input = input(2);
        field(&mut input);
        let turns = play(Machine::open(input).unwrap(), "PLAN", honest);
        assert_eq!(all(&turns), ["r1/plan/s1", "r1/plan/s2"]);
    }
}

#[test]
fn what_a_planner_plants_is_nobody_elses_answer() {
    for name in ["PLAN_REVIEW", "VALIDATION"] {
        let text = plant(name);
        let say =
            |machine: &Driver<Machine>, turn: &Turn| Some(infected(&honest(machine, turn)?, &text));
        let turns = play(machine(2), name, say);
        assert!(all(&turns).join(" ").contains("/s2"), "{name}: {turns:?}");
    }
}
