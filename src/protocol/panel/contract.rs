//! The answers that each turn calls for, and the text that asks for them.

use crate::contract::Block;
use crate::contract::block::object;
use crate::contract::outline::Outline;
use crate::contract::template;
use crate::protocol::debate::ballot::{AnswerBlock, VoteBlock};
use crate::protocol::debate::{Judgement, contract};

/// The block of a seat's own answer, and of the judge's, to a question with options.
pub(crate) const ANSWER: Block<AnswerBlock> = object("ANSWER");
pub(crate) const FREE_ANSWER: Block<AnswerBlock> = ANSWER.without(&["option", "with"]);
pub(crate) const VOTE: Block<VoteBlock> = object("VOTE");
/// The block of a seat's first vote: nothing can have changed it.
pub(crate) const FIRST_VOTE: Block<VoteBlock> = VOTE.without(&["changed", "moved_by"]);
pub(crate) const JUDGEMENT: Block<Judgement> = contract::JUDGEMENT.shown(&[
    ("id", "<letter>"),
    ("ruling", "<what of this choice holds, and what does not>"),
    ("position", "<the letter of your choice>"),
]);

/// The kinds of turns, by the answer each asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Ask {
    /// A seat's own answer.
    Answer,
    /// A seat's first vote.
    Vote,
    /// A seat's vote in a cross round.
    Cross,
    /// The judge's own answer.
    Own,
    /// The judge's ruling, in one of the two orders.
    Ruling,
}

impl Ask {
    /// All kinds, in the order of a panel.
    pub const ALL: [Self; 5] = [Self::Answer, Self::Vote, Self::Cross, Self::Own, Self::Ruling];

    /// Returns the block of the answer. `options`: whether the question has any.
    pub const fn block(self, options: bool) -> &'static Outline {
        match self {
            Self::Answer | Self::Own if options => &ANSWER.outline,
            Self::Answer | Self::Own => &FREE_ANSWER.outline,
            Self::Vote => &FIRST_VOTE.outline,
            Self::Cross => &VOTE.outline,
            Self::Ruling => &JUDGEMENT.outline,
        }
    }

    /// Returns the role in the configuration whose skill is sent; the person's role has none.
    pub(crate) const fn plays(self) -> &'static str {
        match self {
            Self::Vote | Self::Cross => "panel-voter",
            Self::Answer => "panel-seat",
            Self::Own | Self::Ruling => "judge",
        }
    }

    const fn rules(self) -> &'static str {
        match self {
            Self::Answer | Self::Own => {
                "`answer` is what should be done or what holds, in a paragraph or two that need nothing beside them. `reasons` and `evidence` \
                 have one thing an entry, at most 20 each; `\"evidence\": []` is honest where there is none. `confidence` is a number."
            }
            Self::Vote => {
                "`reason` says what decides between your choice and the next best answer. `choice` is the letter of one answer. `same_as` names \
                 answers that amount to the same option or action, whatever their details: two or more letters a group, each letter once; `[]` \
                 where all differ."
            }
            Self::Cross => {
                "`reason` says what decides between your choice and the next best answer. `choice` is the letter of one answer. `same_as` names \
                 answers that amount to the same option or action, whatever their details, complete again: two or more letters a group, each \
                 letter once; `[]` where all differ. `changed` says whether your choice is another one than in your last vote. Then `moved_by` \
                 says what moved you and names it: an answer by its letter, a file, or words that you were shown, in quotation marks. A change \
                 that names none of them is not counted."
            }
            Self::Ruling => {
                "`points` has one entry for every letter, copied as it stands, each once. `position` is the letter of the choice that should \
                 hold: one letter and nothing else. `code_change_required` may be left out where the question is not about code."
            }
        }
    }
}

const OPTIONS: &str = "`option` is the option that you take, copied from the list, or `none` if none of them will do; `answer` then says what will. \
                       Take one whole option. What it needs besides, a condition or a rule of another option, goes into `with`, which you \
                       leave out if it needs nothing.";

const LETTERS: &str = "In a text, name an answer by its letter in brackets: `[B]`. Other readers are shown other letters, and the program translates \
                       those in brackets.";

/// Returns the last part of a prompt: the exact answer that is requested. `options`: whether the question has any.
pub(crate) fn text(ask: Ask, options: bool) -> String {
    let mut rules = vec![ask.rules()];
    match ask {
        Ask::Answer | Ask::Own if options => rules.insert(0, OPTIONS),
        Ask::Answer | Ask::Own => {}
        Ask::Vote | Ask::Cross | Ask::Ruling => rules.push(LETTERS),
    }
    template::ask(&[ask.block(options)], &rules)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::debate::model::MAX_LINES;

    #[test]
    fn the_limits_that_are_told_are_the_limits_that_hold() {
        assert!(Ask::Answer.rules().contains(&format!("at most {MAX_LINES}")));
    }
}
