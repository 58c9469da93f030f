//! Inputs, answers and a driver for this protocol's tests.

use serde_json::{Value, json};

use crate::protocol::backlog::testing::read;
use crate::protocol::conformance::Subject;
use crate::protocol::prompt::Prompts;
use crate::protocol::testing::seats;
pub(crate) use crate::protocol::testing::{BOUNDARY, asked, done, failed, judged, raw};

use super::contract;
use super::input::{Input, Question};
use super::machine::Machine;
use crate::contract::template::block;
use crate::kernel::Driver;

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
        prompts: Prompts::new(BOUNDARY),
        seats: seats(&[("analyst", "claude", "anthropic"), ("advisor", "codex", "openai")]),
    }
}

pub(crate) fn machine(questions: Vec<Question>) -> Driver<Machine> {
    Machine::open(input(questions)).unwrap()
}

/// Returns a feature as the analyst writes it.
pub(crate) fn feature(title: &str, [impact, effort, leverage, risk]: [u32; 4]) -> Value {
    json!({
        "title": title, "description": "Build it.", "user_value": "It helps.", "impact": impact, "effort": effort,
        "leverage": leverage, "risk": risk, "existing_code": ["src/lib.rs"],
    })
}

/// Returns the analyst's block around a list.
pub(crate) fn proposal(opportunities: &Value) -> String {
    let body =
        json!({ "product_type": "tool", "target_users": ["me"], "opportunities": opportunities });
    block(contract::FEATURE_OPPORTUNITIES.name(), &body.to_string())
}

pub(crate) fn suggestion(text: &str) -> String {
    block(contract::FIX_SUGGESTION.name(), text)
}

impl Subject for Machine {
    fn open(size: u32) -> Driver<Self> {
        let mut questions = vec![fix("opp-tf-1"), features(5), fix("opp-tf-2")];
        questions.truncate(1 + usize::try_from(size).unwrap() % 3);
        machine(questions)
    }

    /// One step asks each question once.
    fn most_turns(size: u32) -> u32 {
        1 + size % 3
    }
}
