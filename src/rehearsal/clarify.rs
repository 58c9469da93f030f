//! The stand-in that asks for facts: always the same two questions.

use serde_json::Value;

use crate::protocol::clarify::{Question, Questions};

/// The questions: what is asked, why, what is assumed otherwise.
const ASKED: [(&str, &str, &str); 2] = [
    (
        "Who has to live with the result?",
        "Those who do know what it must not break.",
        "The team that asks.",
    ),
    (
        "What happens if nothing is done?",
        "If nothing does, it can wait.",
        "It goes on as it is, at the same cost.",
    ),
];

/// Answers a turn; `None` if it does not ask for questions.
pub(super) fn answer(data: &Value) -> Option<Questions> {
    let asked = ASKED.map(|(question, why, assume)| Question {
        question: format!("{question} (rehearsal)"),
        why: why.to_owned(),
        assume: assume.to_owned(),
    });
    (data["ask"] == "questions").then(|| Questions { questions: asked.into() })
}
