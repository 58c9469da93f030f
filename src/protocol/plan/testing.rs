//! Inputs, answers and a driver for this protocol's tests.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Value, json};

use super::contract;
use super::input::{Input, Settings};
use super::machine::Machine;
use super::model::{Group, Judged, Outcome, PlanStep, Raised, Said, Stance};
use crate::kernel::{Answer, Chance, Driver, Failure, FailureClass, Reply, Step, Turn};
use crate::protocol::conformance::Subject;
use crate::protocol::council::VALIDATION;
pub(crate) use crate::protocol::testing::{BOUNDARY, failure, raw, seated};

pub(crate) const TASK: &str = "Add a cache to `src/store.rs` and describe it in README.md.";

/// Agents and vendors of a panel, in order.
pub(crate) const PANEL: [(&str, &str); 4] =
    [("claude", "anthropic"), ("codex", "openai"), ("gemini", "google"), ("local", "home")];

pub(crate) fn input(seats: usize) -> Input {
    Input {
        task: TASK.to_owned(),
        change: None,
        seats: (PANEL.iter().take(seats)).map(|(agent, vendor)| seated(agent, vendor)).collect(),
        settings: Settings::default(),
        boundary: BOUNDARY.to_owned(),
        seed: 7,
    }
}

pub(crate) fn machine(seats: usize) -> Driver<Machine> {
    Machine::open(input(seats)).unwrap()
}

/// A step; its words are its id's, so that steps of other ids are other steps.
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

/// A step as it stands in a block.
pub(crate) fn written(step: &PlanStep) -> Value {
    json!({
        "id": step.id, "phase": step.phase, "title": step.title, "description": step.description,
        "files": step.files, "depends_on": step.depends_on, "acceptance": step.acceptance,
    })
}

/// A `PLAN` block of these steps.
pub(crate) fn plan(steps: &[PlanStep]) -> String {
    let steps: Vec<Value> = steps.iter().map(written).collect();
    let body = json!({
        "steps": steps, "summary": "First the one, then the other.", "risks": ["It may be slow."],
        "open_questions": ["How large may it grow?"],
    });
    contract::block(contract::PLAN, &body.to_string())
}

/// Steps without dependencies in one phase: `abc` makes `a`, `b` and `c`.
pub(crate) fn steps(ids: &str) -> Vec<PlanStep> {
    (ids.chars()).map(|id| step(&id.to_string(), "work", &[])).collect()
}

/// A `PLAN_REVIEW` block: a letter of `stances` for each id, `a`, `d` or `m`.
pub(crate) fn review(ids: &[String], stances: &str, missing: &[PlanStep]) -> String {
    let judgement = |(id, stance): (&String, char)| match stance {
        'a' => json!({ "id": id, "stance": "agree", "reason": "Needed." }),
        'd' => json!({ "id": id, "stance": "disagree", "reason": "Not needed." }),
        _ => {
            json!({ "id": id, "stance": "modify", "reason": "Too large.", "suggestion": "Half of it." })
        }
    };
    let judgements: Vec<Value> = ids.iter().zip(stances.chars()).map(judgement).collect();
    let missing: Vec<Value> = missing.iter().map(written).collect();
    let body = json!({ "judgements": judgements, "missing_steps": missing });
    contract::block(contract::PLAN_REVIEW, &body.to_string())
}

/// A `VALIDATION` block: a letter of `votes` for each id, `a` or `r`.
pub(crate) fn validation(ids: &[String], votes: &str) -> String {
    let vote = |(id, vote): (&String, char)| {
        let vote = if vote == 'a' { "approve" } else { "reject" };
        json!({ "id": id, "vote": vote, "reason": "So it is." })
    };
    let votes: Vec<Value> = ids.iter().zip(votes.chars()).map(vote).collect();
    contract::block(VALIDATION, &json!({ "votes": votes }).to_string())
}

/// A group of one step that these seats wrote alike, each of a vendor of its own.
pub(crate) fn group(id: &str, seats: &[usize]) -> Group {
    let words = step(&id.to_lowercase(), "work", &[]);
    Group {
        id: id.to_owned(),
        members: (seats.iter())
            .flat_map(|seat| Raised::all(std::slice::from_ref(&words), *seat, &vendor(*seat), 0))
            .collect(),
        judged: BTreeMap::new(),
    }
}

pub(crate) fn vendor(seat: usize) -> String {
    format!("v{seat}")
}

/// Adds judgements: a letter a seat, `a`, `d` or `m`; `.` for none.
pub(crate) fn judged(mut group: Group, stances: &str) -> Group {
    for (seat, letter) in stances.chars().enumerate() {
        let stance = match letter {
            'a' => Stance::Agree,
            'd' => Stance::Disagree,
            'm' => Stance::Modify,
            _ => continue,
        };
        let judged = Judged {
            vendor: vendor(seat),
            round: 1,
            stance,
            reason: format!("Reason of seat {seat}."),
            suggestion: (stance == Stance::Modify).then(|| "Otherwise.".to_owned()),
        };
        group.judged.insert(seat, judged);
    }
    group
}

pub(crate) fn asked(machine: &Driver<Machine>) -> Vec<Turn> {
    match machine.next() {
        Step::Ask { turns, .. } => turns,
        Step::Done(_) => Vec::new(),
    }
}

pub(crate) fn ids(turns: &[Turn]) -> Vec<&str> {
    turns.iter().map(|turn| &*turn.id).collect()
}

pub(crate) fn done(machine: &Driver<Machine>) -> Outcome {
    match machine.next() {
        Step::Done(outcome) => outcome,
        Step::Ask { turns, .. } => panic!("not over: {:?}", ids(&turns)),
    }
}

pub(crate) fn seat_of(turn: &Turn) -> usize {
    turn.role[1..].parse::<usize>().unwrap() - 1
}

/// The ids that a turn asks about, sorted.
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

/// The data of a prompt.
pub(crate) fn data_of(turn: &Turn) -> Value {
    let text = &turn.prompt.varying;
    let (start, end) = (text.find("\n{\n").unwrap(), text.rfind("\n}\n").unwrap());
    serde_json::from_str(&text[start..end + 2]).unwrap()
}

pub(crate) fn answer(turn: &Turn, result: Result<Reply<Said>, Failure>) -> Answer<Reply<Said>> {
    let (agent, vendor) = PANEL[seat_of(turn)];
    Answer {
        turn: turn.id.clone(),
        role: turn.role.clone(),
        seated: seated(agent, vendor),
        result,
        cost: None,
        attempts: 1,
        took: Duration::from_millis(5),
        notes: Vec::new(),
    }
}

/// Judges a text as the agents do: parse, re-ask once with the same text, then fail the turn.
pub(crate) fn judged_reply(
    machine: &Driver<Machine>,
    turn: &Turn,
    text: &str,
) -> Answer<Reply<Said>> {
    let parsed = machine
        .read(turn, &raw(text), Chance::First)
        .or_else(|_| machine.read(turn, &raw(text), Chance::Last));
    let result = parsed
        .map_err(|defect| Failure { class: FailureClass::Unreadable, message: defect.to_string() });
    answer(turn, result)
}

/// Answers every turn of the step by `reply`; `None` fails the turn. Returns the turns' ids.
pub(crate) fn round(
    machine: &mut Driver<Machine>,
    reply: impl Fn(&Turn) -> Option<String>,
) -> Vec<String> {
    let turns = asked(machine);
    let answers = turns.iter().map(|turn| match reply(turn) {
        Some(text) => judged_reply(machine, turn, &text),
        None => answer(turn, Err(failure())),
    });
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

/// Lets every seat that is asked say the same of everything: `a`, `d`, `m`, or fail with `.`.
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
    /// Three plans, three judgements of each, two votes.
    const MOST_TURNS: usize = 14;

    fn open(size: u32) -> Driver<Self> {
        machine(if size.is_multiple_of(2) { 2 } else { 3 })
    }
}
