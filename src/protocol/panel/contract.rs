//! The answers that each turn calls for, and the text that asks for them.

use crate::contract::Block;
use crate::contract::block::object;
use crate::contract::outline::Outline;
use crate::contract::template;
use crate::protocol::debate::ballot::{AnswerBlock, VoteBlock};
use crate::protocol::debate::contract::REMARK;
use crate::protocol::debate::{Judgement, contract};

/// The block of a seat's own answer, and of the judge's.
pub(crate) const ANSWER: Block<AnswerBlock> = object("ANSWER");
/// The block of a seat's vote.
pub(crate) const VOTE: Block<VoteBlock> = object("VOTE");
/// The block of a seat's first vote, without `moved_by`: nothing can have moved it.
pub(crate) const FIRST_VOTE: Block<VoteBlock> = VOTE.without(&["moved_by"]);
/// The block of the judge's ruling on the choices.
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
    /// A person's remark before a cross round.
    Remark,
    /// The judge's own answer.
    Own,
    /// The judge's ruling, in one of the two orders.
    Ruling,
}

impl Ask {
    /// All kinds, in the order of a panel.
    pub const ALL: [Self; 6] =
        [Self::Answer, Self::Vote, Self::Cross, Self::Remark, Self::Own, Self::Ruling];

    /// Returns the block of the answer.
    pub const fn block(self) -> &'static Outline {
        match self {
            Self::Answer | Self::Own => &ANSWER.outline,
            Self::Vote => &FIRST_VOTE.outline,
            Self::Cross => &VOTE.outline,
            Self::Remark => &REMARK.outline,
            Self::Ruling => &JUDGEMENT.outline,
        }
    }

    /// Returns the role in the configuration whose skill is sent; the person's role has none.
    pub const fn plays(self) -> &'static str {
        match self {
            Self::Answer | Self::Vote | Self::Cross => "panel-seat",
            Self::Remark => "person",
            Self::Own | Self::Ruling => "judge",
        }
    }

    const fn rules(self) -> &'static str {
        match self {
            Self::Answer | Self::Own => {
                "`answer` is what is to be done or what holds, in a few sentences that need nothing beside them. `reasons` and `evidence` \
                 have one thing an entry, at most 20 each; `\"evidence\": []` is honest where there is none. `confidence` is a number."
            }
            Self::Vote => {
                "`choice` is the letter of one answer. `same_as` names answers that come to the same, two or more letters a group, each \
                 letter once; `[]` where all differ. This is your first vote, so `changed` is `false`. `reason` is never empty."
            }
            Self::Cross => {
                "`choice` is the letter of one answer. `same_as` names answers that come to the same, two or more letters a group, each \
                 letter once, complete again; `[]` where all differ. `changed` says whether your choice is another one than in your last \
                 vote; then `moved_by` names the evidence that moved you, or the change is not counted. `reason` is never empty."
            }
            Self::Remark => "",
            Self::Ruling => {
                "`points` has one entry for every letter, copied as it stands, each once. `position` is the letter of the choice that is to \
                 hold: one letter and nothing else. `code_change_required` may be left out where the question is not about code."
            }
        }
    }
}

/// Returns the last part of a prompt: the exact answer that is requested.
pub(crate) fn text(ask: Ask) -> String {
    if ask == Ask::Remark {
        return contract::remark();
    }
    template::ask(&[ask.block()], &[ask.rules()])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::debate::model::MAX_LINES;

    #[test]
    fn the_limits_that_are_told_are_the_limits_that_hold() {
        assert!(Ask::Answer.rules().contains(&format!("at most {MAX_LINES}")));
    }

    /// A model that repeats its instructions has not answered.
    #[test]
    fn no_template_is_an_answer() {
        for ask in Ask::ALL {
            let parsed = serde_json::from_str::<serde_json::Value>(&ask.block().template());
            assert!(parsed.is_err(), "{ask:?}");
            assert_eq!(text(ask).matches("_START>>>").count(), 1);
        }
    }
}
