//! Inputs, answers and a driver for the tests of this protocol.
//!
//! Letters are drawn by lot, so tests refer to answers by the seats that gave them: `2` is the answer of seat `s2`.

use serde_json::{Value, json};

use super::contract::{ANSWER, JUDGEMENT, VOTE};
use super::input::{Input, JUDGE, Settings};
use super::letters::letter;
use super::machine::Machine;
use super::machine::Purpose;
use crate::contract::template::block;
use crate::kernel::{Driver, Turn, seat_name};
use crate::protocol::conformance::Subject;
use crate::protocol::debate::Brief;
use crate::protocol::prompt::Prompts;
pub(crate) use crate::protocol::testing::{
    BOUNDARY, asked, data_of, done, failure, ids, raw, said, seated,
};

pub(crate) const TOPIC: &str = "Should the cache move to Redis?";

/// Agents and vendors of the seats, in order.
pub(crate) const PANEL: [(&str, &str); 5] = [
    ("claude", "anthropic"),
    ("codex", "openai"),
    ("gemini", "google"),
    ("local", "home"),
    ("opus", "anthropic"),
];

pub(crate) fn brief() -> Brief {
    Brief {
        topic: TOPIC.to_owned(),
        description: "Two processes will share it from May on.".to_owned(),
        ..Brief::default()
    }
}

/// Returns the input of a panel with the first `seats` agents, without a judge.
pub(crate) fn input(seats: usize) -> Input {
    Input {
        brief: brief(),
        seats: (PANEL.iter().take(seats).enumerate())
            .map(|(seat, (agent, vendor))| (seat_name(seat), seated(agent, vendor)))
            .collect(),
        settings: Settings { max_rounds: 1, judge_from_seats: false },
        prompts: Prompts::new(BOUNDARY),
        seed: 7,
    }
}

pub(crate) fn machine(seats: usize) -> Driver<Machine> {
    Machine::open(input(seats)).unwrap()
}

/// Returns the input of a panel with a judge whose vendor has no seat, and with `rounds` cross rounds.
pub(crate) fn input_of_mistral(seats: usize, rounds: u32) -> Input {
    let mut input = input(seats);
    input.seats.insert(JUDGE.to_owned(), seated("vibe", "mistral"));
    input.settings.max_rounds = rounds;
    input
}

pub(crate) fn judged_by_mistral(seats: usize, rounds: u32) -> Driver<Machine> {
    Machine::open(input_of_mistral(seats, rounds)).unwrap()
}

/// Answers every turn of the step by `reply`; `None` fails the turn. Returns the turns' ids.
pub(crate) fn step(
    machine: &mut Driver<Machine>,
    reply: impl Fn(&Driver<Machine>, &Turn) -> Option<String>,
) -> Vec<String> {
    let turns = asked(machine);
    let answers = (turns.iter()).map(|turn| said(machine, turn, reply(machine, turn).as_deref()));
    let answers: Vec<_> = answers.collect();
    machine.apply(answers);
    turns.into_iter().map(|turn| turn.id.into()).collect()
}

/// Returns the text of a seat's answer.
pub(crate) fn text_of(seat: usize) -> String {
    format!("Answer number {seat}.")
}

pub(crate) fn answer_body(text: &str) -> Value {
    json!({
        "answer": text, "reasons": ["It was measured."], "evidence": ["The load test of May"], "confidence": 0.625,
    })
}

/// Answers for every seat, each with the option of its word, `-` for none that is named; `.` fails.
pub(crate) fn options(machine: &mut Driver<Machine>, scripts: &str) -> Vec<String> {
    let scripts: Vec<&str> = scripts.split_whitespace().collect();
    step(machine, |_, turn| {
        let seat: usize = turn.role[1..].parse().unwrap();
        let mut body = answer_body(&text_of(seat));
        match scripts[seat - 1] {
            "." => return None,
            "-" => {}
            option => body["option"] = json!(option),
        }
        Some(block(ANSWER.name(), &body.to_string()))
    })
}

/// Answers for every seat; the seats in `dead` fail.
pub(crate) fn answers(machine: &mut Driver<Machine>, dead: &[usize]) -> Vec<String> {
    step(machine, |_, turn| {
        let seat: usize = turn.role[1..].parse().unwrap();
        let body = answer_body(&text_of(seat)).to_string();
        (!dead.contains(&seat)).then(|| block(ANSWER.name(), &body))
    })
}

/// Returns the letter of a seat's answer; seats count from 1.
pub(crate) fn letter_of(machine: &Driver<Machine>, seat: usize) -> String {
    letter(machine.protocol().answer_by(seat - 1).unwrap())
}

/// Returns the letter under which a turn shows a seat's answer, or the choice that holds it; seats count from 1.
fn shown_letter(machine: &Driver<Machine>, turn: &Turn, seat: usize) -> String {
    let panel = machine.protocol();
    let answer = panel.answer_by(seat - 1).unwrap();
    let asked = panel.purpose_of(&turn.id).unwrap();
    let of = match (asked, panel.ballots.last()) {
        (Purpose::Ruling { .. }, Some(ballot)) => ballot.choices.of(answer),
        _ => answer,
    };
    panel.lettering(asked).of(of).unwrap()
}

/// Returns a vote given as a word: `2` is for the answer of s2, `2!` names evidence for a change, `2=23` considers
/// those of s2 and s3 the same, `2!=23` does both, `.` fails.
pub(crate) fn vote(machine: &Driver<Machine>, turn: &Turn, script: &str) -> Option<String> {
    let digits = |text: &str| -> Vec<usize> {
        let digits = text.chars().filter_map(|c| c.to_digit(10));
        digits.map(|digit| usize::try_from(digit).unwrap()).collect()
    };
    let mut parts = script.split('=');
    let head = parts.next().unwrap();
    let choice = *digits(head).first()?;
    let moved_by = head.ends_with('!').then_some("\"It was measured\", and mine was not.");
    let same_as: Vec<Vec<String>> = (parts)
        .map(|group| {
            digits(group).into_iter().map(|seat| shown_letter(machine, turn, seat)).collect()
        })
        .collect();
    let body = json!({
        "choice": shown_letter(machine, turn, choice), "same_as": same_as, "changed": moved_by.is_some(),
        "moved_by": moved_by, "reason": format!("It is right, says who votes for {choice}."),
    });
    Some(block(VOTE.name(), &body.to_string()))
}

/// Votes for every seat, one word each; `-` where the seat must not be asked.
pub(crate) fn votes(machine: &mut Driver<Machine>, scripts: &str) -> Vec<String> {
    let scripts: Vec<&str> = scripts.split_whitespace().collect();
    let turns = step(machine, |machine, turn| {
        let seat: usize = turn.role[1..].parse().unwrap();
        assert_ne!(scripts[seat - 1], "-", "{} is asked", turn.id);
        vote(machine, turn, scripts[seat - 1])
    });
    let owed = scripts.iter().filter(|word| **word != "-").count();
    assert_eq!(turns.len(), owed, "{scripts:?}: {turns:?}");
    turns
}

/// Returns a judge's ruling for the answer of a seat, with a text on every choice that it is shown.
pub(crate) fn ruling(machine: &Driver<Machine>, turn: &Turn, seat: usize) -> String {
    let points: Vec<Value> = (data_of(turn)["choices"].as_array().unwrap().iter())
        .map(|choice| json!({ "id": choice["id"], "ruling": "It holds in part.", "reason": "As the figures say." }))
        .collect();
    let body = json!({
        "points": points, "position": shown_letter(machine, turn, seat), "confidence": 0.75, "code_change_required": true,
    });
    block(JUDGEMENT.name(), &body.to_string())
}

/// Answers for the judge and then rules: `22` is for the answer of s2 in both orders, `.` fails.
pub(crate) fn judge(machine: &mut Driver<Machine>, rulings: &str) {
    step(machine, |_, _| Some(block(ANSWER.name(), &answer_body("The judge's own.").to_string())));
    let rulings: Vec<char> = rulings.chars().collect();
    step(machine, |machine, turn| {
        let at = usize::from(turn.id.ends_with("/second"));
        let seat = rulings[at].to_digit(10)?;
        Some(ruling(machine, turn, usize::try_from(seat).unwrap()))
    });
}

impl Subject for Machine {
    fn open(size: u32) -> Driver<Self> {
        judged_by_mistral(3, size % 6)
    }

    /// An answer, a vote and one more per cross round by each seat, and the judge's three turns.
    fn most_turns(size: u32) -> u32 {
        3 * (2 + size % 6) + 3
    }
}
