//! The blocks of the questions and of their answers, and the text that asks for them.

use super::model::{Answers, MAX_QUESTIONS, Questions};
use crate::contract::Block;
use crate::contract::block::object;
use crate::contract::template::ask;

pub(crate) const CLARIFY: Block<Questions> = object("CLARIFY");
pub(crate) const FACTS: Block<Answers> = object("FACTS");

/// The seat and role of the agent that is asked for questions.
pub(crate) const CLARIFIER: &str = "clarifier";
/// The task of the turn that puts the questions to the person, as in `r0/facts`.
pub(crate) const FACTS_TASK: &str = "facts";

/// Returns the last part of the prompt that asks for questions.
pub(super) fn questions() -> String {
    let rules = format!(
        "At most {MAX_QUESTIONS} questions, the one that matters most first; `{{\"questions\": []}}` is a good answer. A question asks for one \
         fact, in one sentence that can be answered in one. `why` says which answer would change what. `assume` is what the others take to \
         hold if nobody answers: the likeliest case, said as a fact."
    );
    ask(&[&CLARIFY.outline], &[&rules])
}

/// Returns the last part of the prompt that asks the person.
pub(super) fn answers() -> String {
    format!(
        "# Your answer\n\nAn answer to each question, or none. A program that answers for a person ends with this block:\n\n{}",
        FACTS.outline.shown().trim_end()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_that_is_told_is_the_limit_that_holds() {
        assert!(questions().contains("At most 5 questions"));
    }
}
