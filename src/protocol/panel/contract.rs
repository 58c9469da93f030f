//! The answers that each turn calls for.

use crate::contract::Block;
use crate::contract::block::object;
use crate::contract::outline::Outline;
use crate::protocol::debate::ballot::{AnswerBlock, VoteBlock};
use crate::protocol::debate::{Judgement, contract};
use crate::words;

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

words! {
    /// The kinds of turns, by the answer each asks for.
    #[derive(PartialOrd, Ord, Hash)]
    pub(crate) enum Ask {
        /// A seat's own answer.
        Answer = "answer",
        /// A seat's first vote.
        Vote = "vote",
        /// A seat's vote in a cross round.
        Cross = "cross",
        /// The judge's own answer.
        Own = "own",
        /// The judge's ruling, in one of the two orders.
        Ruling = "ruling",
    }
}

impl Ask {
    /// Returns the block of the answer. `options`: whether the question has any.
    pub(crate) const fn block(self, options: bool) -> &'static Outline {
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
}
