//! Inputs, answers and a driver for this protocol's tests.

use std::time::Duration;

use serde_json::{Value, json};

use crate::protocol::backlog::testing::read;
use crate::protocol::conformance::Subject;
use crate::protocol::testing::seated;
pub(crate) use crate::protocol::testing::{BOUNDARY, failure, raw};

use super::contract;
use super::input::{Input, Question, Seats, Settings};
use super::machine::{Machine, Outcome};
use super::reply::Said;
use crate::kernel::{Answer, Chance, Driver, Failure, FailureClass, Reply, Step, Turn};

pub(crate) const SUMMARY: &str = "Languages\n  Rust: 12 files, about 3,400 lines\n\nREADME.md\n  # Ledger\n  Keeps accounts in plain text files.";

pub(crate) fn features(limit: u32) -> Question {
    Question::Features {
        summary: SUMMARY.to_owned(),
        existing: vec!["Export to CSV".to_owned(), "Dark mode".to_owned()],
        limit,
    }
}

pub(crate) fn fix(id: &str) -> Question {
    let items = json!([{
        "opportunity_id": id, "opportunity_type": "test_failure", "title": "test_login fails",
        "description": "The session expires too early.", "affected_files": ["src/session.py"],
        "evidence": [{ "source": "junit.xml", "content": "expected 200, got 401", "file_path": "tests/test_login.py", "line_number": 41 }],
    }]);
    Question::Fix {
        opportunity: Box::new(read(&items).remove(0)),
        excerpt: Some("def expired(self):\n    return self.age > 0".to_owned()),
    }
}

pub(crate) fn input(questions: Vec<Question>) -> Input {
    Input {
        questions,
        settings: Settings::default(),
        boundary: BOUNDARY.to_owned(),
        seats: Seats { analyst: seated("claude", "anthropic"), advisor: seated("codex", "openai") },
    }
}

pub(crate) fn machine(questions: Vec<Question>) -> Driver<Machine> {
    Machine::open(input(questions)).unwrap()
}

/// A feature as the analyst writes it.
pub(crate) fn feature(title: &str, [impact, effort, leverage, risk]: [u32; 4]) -> Value {
    json!({
        "title": title, "description": "Build it.", "user_value": "It helps.", "impact": impact, "effort": effort,
        "leverage": leverage, "risk": risk, "existing_code": ["src/lib.rs"],
    })
}

/// The analyst's block around a list.
pub(crate) fn proposal(opportunities: &Value) -> String {
    let body =
        json!({ "product_type": "tool", "target_users": ["me"], "opportunities": opportunities });
    contract::block(contract::FEATURE_OPPORTUNITIES, &body.to_string())
}

pub(crate) fn suggestion(text: &str) -> String {
    contract::block(contract::FIX_SUGGESTION, text)
}

pub(crate) fn asked(machine: &Driver<Machine>) -> Vec<Turn> {
    match machine.next() {
        Step::Ask { turns, .. } => turns,
        Step::Done(_) => Vec::new(),
    }
}

pub(crate) fn done(machine: &Driver<Machine>) -> Outcome {
    match machine.next() {
        Step::Done(outcome) => outcome,
        Step::Ask { .. } => panic!("not over"),
    }
}

pub(crate) fn answer(turn: &Turn, result: Result<Reply<Said>, Failure>) -> Answer<Reply<Said>> {
    Answer {
        turn: turn.id.clone(),
        role: turn.role.clone(),
        seated: seated("claude", "anthropic"),
        result,
        cost: None,
        attempts: 1,
        took: Duration::from_millis(5),
        notes: Vec::new(),
    }
}

/// Judges a text as the agents do: parse, re-ask once with the same text, then fail the turn.
pub(crate) fn judged(machine: &Driver<Machine>, turn: &Turn, text: &str) -> Answer<Reply<Said>> {
    let parsed = machine
        .read(turn, &raw(text), Chance::First)
        .or_else(|_| machine.read(turn, &raw(text), Chance::Last));
    let result = parsed
        .map_err(|defect| Failure { class: FailureClass::Unreadable, message: defect.to_string() });
    answer(turn, result)
}

impl Subject for Machine {
    const MOST_TURNS: usize = 3;

    fn open(size: u32) -> Driver<Self> {
        let mut questions = vec![fix("opp-tf-1"), features(5), fix("opp-tf-2")];
        questions.truncate(1 + usize::try_from(size).unwrap() % 3);
        machine(questions)
    }
}
