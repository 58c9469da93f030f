//! Inputs, answers and a driver for this protocol's tests.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::contract::{PLAN, PLAN_REVIEW, VALIDATION};
use super::input::{Input, Settings};
use super::machine::Machine;
use super::model::{AuthoredStep, Group, PlanStep, SeatJudgement, Stance};
use crate::contract::template::block;
use crate::kernel::{Driver, Turn};
use crate::protocol::conformance::Subject;
use crate::protocol::facts::Facts;
use crate::protocol::prompt::Prompts;
pub(crate) use crate::protocol::testing::{
    BOUNDARY, asked, data_of, done, failed, ids, judged as judged_reply, raw, said as replied,
    seated,
};

pub(crate) const TASK: &str = "Add a cache to `src/store.rs` and describe it in README.md.";

/// The agents and vendors of a panel, in order.
pub(crate) const PANEL: [(&str, &str); 4] =
    [("claude", "anthropic"), ("codex", "openai"), ("gemini", "google"), ("local", "home")];

pub(crate) fn input(seats: usize) -> Input {
    Input {
        task: TASK.to_owned(),
        facts: Facts::default(),
        change: None,
        repository: None,
        context: Vec::new(),
        seats: (PANEL.iter().take(seats)).map(|(agent, vendor)| seated(agent, vendor)).collect(),
        settings: Settings::default(),
        prompts: Prompts::new(BOUNDARY),
        seed: 7,
    }
}

pub(crate) fn machine(seats: usize) -> Driver<Machine> {
    Machine::open(input(seats)).unwrap()
}

/// Returns a step whose words are derived from its id, so that steps with other ids are different steps.
pub(crate) fn step(id: &str, phase: &str, depends_on: &[&str]) -> PlanStep {
    PlanStep {
        id: id.to_owned(),
        phase: phase.to_owned(),
        title: format!("Do {id}"),
        description: format!("This is the work that {id} needs."),
        files: vec![format!("src/{id}.rs")],
        depends_on: depends_on.iter().map(|id| (*id).to_owned()).collect(),
        acceptance: format!("The tests of {id} pass."),
    }
}

/// Returns a step as it is written in a block.
pub(crate) fn written(step: &PlanStep) -> Value {
    json!({
        "id": step.id, "phase": step.phase, "title": step.title, "description": step.description,
        "files": step.files, "depends_on": step.depends_on, "acceptance": step.acceptance,
    })
}

/// Returns a `PLAN` block of these steps.
pub(crate) fn plan(steps: &[PlanStep]) -> String {
    let steps: Vec<Value> = steps.iter().map(written).collect();
    let body = json!({
        "steps": steps, "summary": "First the one, then the other.", "risks": ["It may be slow."],
        "open_questions": ["How large may it grow?"],
    });
    block(PLAN.name(), &body.to_string())
}

/// Returns steps without dependencies in one phase: `abc` gives `a`, `b` and `c`.
pub(crate) fn steps(ids: &str) -> Vec<PlanStep> {
    (ids.chars()).map(|id| step(&id.to_string(), "work", &[])).collect()
}

/// Returns a `PLAN_REVIEW` block with one letter of `stances` per id: `a`, `d` or `m`.
pub(crate) fn review(ids: &[String], stances: &str, missing: &[PlanStep]) -> String {
    let judgement = |(id, stance): (&String, char)| match stance {
        'a' => json!({ "id": id, "stance": "agree", "reason": "Needed." }),
        'd' => json!({ "id": id, "stance": "disagree", "reason": "Not needed." }),
        _ => {
            json!({ "id": id, "stance": "modify", "reason": "Too large.", "description": "Half of it." })
        }
    };
    let judgements: Vec<Value> = ids.iter().zip(stances.chars()).map(judgement).collect();
    let missing: Vec<Value> = missing.iter().map(written).collect();
    let body = json!({ "judgements": judgements, "missing_steps": missing });
    block(PLAN_REVIEW.name(), &body.to_string())
}

/// Returns a `VALIDATION` block with one letter of `votes` per id: `a` or `r`.
pub(crate) fn validation(ids: &[String], votes: &str) -> String {
    let vote = |(id, vote): (&String, char)| {
        let vote = if vote == 'a' { "approve" } else { "reject" };
        json!({ "id": id, "vote": vote, "reason": "So it is." })
    };
    let votes: Vec<Value> = ids.iter().zip(votes.chars()).map(vote).collect();
    block(VALIDATION.name(), &json!({ "votes": votes }).to_string())
}

/// Returns a group of one step that these seats wrote alike, each of a different vendor.
pub(crate) fn group(id: &str, seats: &[usize]) -> Group {
    let words = step(&id.to_lowercase(), "work", &[]);
    Group {
        id: id.to_owned(),
        members: (seats.iter())
            .flat_map(|seat| {
                AuthoredStep::all(std::slice::from_ref(&words), *seat, &vendor(*seat), 0)
            })
            .collect(),
        judged: BTreeMap::new(),
        joined: Vec::new(),
    }
}

pub(crate) fn vendor(seat: usize) -> String {
    format!("v{seat}")
}

/// Adds judgements, one letter per seat: `a`, `d` or `m`; `.` for none.
pub(crate) fn judged(mut group: Group, stances: &str) -> Group {
    for (seat, letter) in stances.chars().enumerate() {
        let stance = match letter {
            'a' => Stance::Agree,
            'd' => Stance::Disagree,
            'm' => Stance::Modify,
            _ => continue,
        };
        let judged = SeatJudgement {
            vendor: vendor(seat),
            round: 1,
            stance,
            reason: format!("Reason of seat {seat}."),
            description: (stance == Stance::Modify).then(|| "Otherwise.".to_owned()),
        };
        group.judged.insert(seat, judged);
    }
    group
}

pub(crate) fn seat_of(turn: &Turn) -> usize {
    turn.role[1..].parse::<usize>().unwrap() - 1
}

/// Returns the ids that a turn asks about, sorted.
pub(crate) fn to_judge(turn: &Turn) -> Vec<String> {
    let data = data_of(turn);
    let mut ids: Vec<String> = if turn.id.starts_with("validate/") {
        serde_json::from_value(data["vote_on"].clone()).unwrap()
    } else {
        let steps = data["steps"].as_array().unwrap();
        let ids = steps.iter().map(|step| step["id"].as_str().unwrap());
        ids.map(str::to_owned).collect()
    };
    ids.sort_by_key(|id| id[1..].parse::<usize>().unwrap());
    ids
}

/// Answers every turn of the step with `reply`; `None` fails the turn. Returns the turns' ids.
pub(crate) fn round(
    machine: &mut Driver<Machine>,
    reply: impl Fn(&Turn) -> Option<String>,
) -> Vec<String> {
    let turns = asked(machine);
    let answers = turns.iter().map(|turn| replied(machine, turn, reply(turn).as_deref()));
    let answers: Vec<_> = answers.collect();
    machine.apply(answers);
    turns.into_iter().map(|turn| turn.id.into()).collect()
}

/// Gives every seat its plan: `["ab", "bc"]` lets s1 plan `a` and `b`; an empty one fails.
pub(crate) fn plans(machine: &mut Driver<Machine>, plans: &[&str]) {
    round(machine, |turn| {
        let ids = plans[seat_of(turn)];
        (!ids.is_empty()).then(|| plan(&steps(ids)))
    });
}

/// Lets every seat that is asked give the same answer to everything: `a`, `d`, `m`, or fail with `.`.
pub(crate) fn says(machine: &mut Driver<Machine>, letters: &str) -> Vec<String> {
    round(machine, |turn| {
        let letter = letters.chars().nth(seat_of(turn)).unwrap();
        let ids = to_judge(turn);
        let all = letter.to_string().repeat(ids.len());
        match letter {
            '.' => None,
            _ if turn.id.starts_with("validate/") => Some(validation(&ids, &all)),
            _ => Some(review(&ids, &all, &[])),
        }
    })
}

impl Subject for Machine {
    fn open(size: u32) -> Driver<Self> {
        let mut input = input(if size.is_multiple_of(2) { 2 } else { 3 });
        input.settings.max_rounds = 1 + size % 5;
        Self::open(input).unwrap()
    }

    /// Counts a plan, the judgements of each round and the votes, by each seat.
    fn most_turns(size: u32) -> u32 {
        let (seats, rounds) = (2 + size % 2, 1 + size % 5);
        seats * (1 + rounds) + seats
    }
}
