//! The questions, and the person's answers.

use serde::{Deserialize, Serialize};

use crate::contract::field::{entries, id, text};
use crate::protocol::facts::FACT_CHARS;
use crate::{declare, words};

/// Maximum number of questions.
pub(crate) const MAX_QUESTIONS: usize = 5;

words! {
    /// What becomes of the questions.
    #[derive(Hash)]
    pub enum Mode {
        /// The person is asked.
        Ask = "ask",
        /// They are kept as assumptions.
        List = "list",
    }
}

declare! {
    /// The questions before a session's first turn: the block `CLARIFY`.
    #[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
    pub(crate) struct Questions {
        /// The facts that are missing; may be empty.
        pub questions: Vec<Question> = entries(MAX_QUESTIONS).apart(),
    }
}

declare! {
    /// A question to the person.
    #[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
    pub(crate) struct Question as "question" {
        /// What is asked.
        pub question: String = text(FACT_CHARS).shown("<one question>").alone(),
        /// What depends on the answer.
        #[serde(default)]
        pub why: String = text(FACT_CHARS).extra().may_miss().shown("<which answer would change what>"),
        /// What is taken to hold without an answer.
        #[serde(default)]
        pub assume: String =
            text(FACT_CHARS).extra().may_miss().shown("<what to take for granted if nobody answers>"),
    }
}

declare! {
    /// The person's answers: the block `FACTS`.
    #[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
    pub(crate) struct Answers {
        /// The questions that were answered; the others were skipped.
        pub facts: Vec<Answer> = entries(MAX_QUESTIONS).apart(),
    }
}

declare! {
    /// The answer to one question.
    #[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
    pub(crate) struct Answer as "fact" {
        /// The question's id.
        pub id: String = id(8).shown("Q1"),
        /// What the person says.
        pub answer: String = text(FACT_CHARS).shown("<what holds>"),
    }
}

/// Returns the id of a question, by its index from 0.
pub(super) fn question_id(index: usize) -> String {
    format!("Q{}", index + 1)
}
