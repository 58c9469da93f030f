//! The answers that each turn of a dialogue calls for, and the text that asks for them.

use crate::contract::outline::Outline;
use crate::contract::template;
use crate::protocol::debate::contract::{
    JUDGEMENT, JUDGEMENT_RULES, POSITION, POSITION_RULES, REMARK, STANCES, STANCES_RULES, remark,
};

/// The kinds of turns, by the answer each asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Ask {
    /// A person's remark before a round.
    Remark,
    /// The proposer's first position.
    Propose,
    /// Stances on the first position, and a short position of the reviewer's own.
    Review,
    /// A full position of the reviewer's, as an alternative.
    Alternative,
    /// Stances on the alternative, and the proposer's revised position.
    Rebuttal,
    /// A joint position, drafted by the proposer.
    Compromise,
    /// Stances on the joint position.
    Answer,
    /// The expert's ruling on the open points.
    Expert,
}

impl Ask {
    /// All kinds, in the order of a dialogue.
    pub const ALL: [Self; 8] = [
        Self::Remark,
        Self::Propose,
        Self::Review,
        Self::Alternative,
        Self::Rebuttal,
        Self::Compromise,
        Self::Answer,
        Self::Expert,
    ];

    /// Returns the part of a turn's id after the round, as in `r2/alternative`.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Remark => "remark",
            Self::Propose => "propose",
            Self::Review => "review",
            Self::Alternative => "alternative",
            Self::Rebuttal => "rebuttal",
            Self::Compromise => "compromise",
            Self::Answer => "answer",
            Self::Expert => "expert",
        }
    }

    /// Returns the ask with this word, if there is one.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|ask| ask.word() == word)
    }

    /// Returns the seat that is asked.
    pub const fn role(self) -> &'static str {
        match self {
            Self::Remark => "person",
            Self::Propose | Self::Rebuttal | Self::Compromise => "proposer",
            Self::Review | Self::Alternative | Self::Answer => "reviewer",
            Self::Expert => "expert",
        }
    }

    /// Returns the role in the configuration whose skill is sent; the person's role has none.
    pub const fn plays(self) -> &'static str {
        match self {
            Self::Remark => "person",
            Self::Propose | Self::Alternative => "proposer",
            Self::Review | Self::Answer => "topic-reviewer",
            Self::Rebuttal => "rebuttal",
            Self::Compromise => "compromise",
            Self::Expert => "expert",
        }
    }

    /// Returns the blocks of the answer, in order.
    pub const fn blocks(self) -> &'static [&'static Outline] {
        match self {
            Self::Remark => &[&REMARK.outline],
            Self::Propose | Self::Alternative | Self::Compromise => &[&POSITION.outline],
            Self::Review | Self::Rebuttal => &[&STANCES.outline, &POSITION.outline],
            Self::Answer => &[&STANCES.outline],
            Self::Expert => &[&JUDGEMENT.outline],
        }
    }

    /// Returns the rules that go with its blocks.
    const fn rules(self) -> &'static [&'static str] {
        match self {
            Self::Remark => &[],
            Self::Propose | Self::Alternative | Self::Compromise => &[POSITION_RULES],
            Self::Review | Self::Rebuttal => &[STANCES_RULES, POSITION_RULES],
            Self::Answer => &[STANCES_RULES],
            Self::Expert => &[JUDGEMENT_RULES],
        }
    }
}

/// Returns the last part of a prompt: the exact answer that is requested.
pub(crate) fn text(ask: Ask) -> String {
    if ask == Ask::Remark {
        return remark();
    }
    template::ask(ask.blocks(), ask.rules())
}
