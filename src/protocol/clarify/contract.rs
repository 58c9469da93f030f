//! The blocks of the questions and of their answers, and the text that asks the person.

use super::model::{Answers, Questions};
use crate::contract::Block;
use crate::contract::block::object;

pub(crate) const CLARIFY: Block<Questions> = object("CLARIFY");
pub(crate) const FACTS: Block<Answers> = object("FACTS");

/// The seat and role of the agent that is asked for questions.
pub(crate) const CLARIFIER: &str = "clarifier";
/// The task of the turn that puts the questions to the person, as in `r0/facts`.
pub(crate) const FACTS_TASK: &str = "facts";

/// Returns the last part of the prompt that asks the person.
pub(super) fn answers() -> String {
    format!(
        "# Your answer\n\nAn answer to each question, or none. A program that answers for a person ends with this block:\n\n{}",
        FACTS.outline.shown().trim_end()
    )
}
