//! The answers that each turn of a dialogue calls for.

use crate::contract::Block;
use crate::contract::outline::Outline;
use crate::protocol::debate::Position;
use crate::protocol::debate::contract::{JUDGEMENT, POSITION, STANCES};

/// The seat that rules.
pub(crate) const EXPERT: &str = "expert";

/// The two debating sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Side {
    /// The side that proposes; in a blind opening, the first of two equals.
    Proposer,
    /// The side that reviews; in a blind opening, the second.
    Reviewer,
}

impl Side {
    /// Both sides, the proposer first.
    pub(crate) const ALL: [Self; 2] = [Self::Proposer, Self::Reviewer];

    /// Returns the name of the side's seat, as used in turns and in the result.
    pub(crate) const fn seat(self) -> &'static str {
        match self {
            Self::Proposer => "proposer",
            Self::Reviewer => "reviewer",
        }
    }

    /// Returns the letter with which the ids of the side's points begin.
    pub(crate) const fn letter(self) -> char {
        match self {
            Self::Proposer => 'A',
            Self::Reviewer => 'B',
        }
    }

    pub(crate) const fn other(self) -> Self {
        match self {
            Self::Proposer => Self::Reviewer,
            Self::Reviewer => Self::Proposer,
        }
    }
}

/// A side's first position: nothing came before it that it could concede or change.
pub(crate) const FIRST_POSITION: Block<Position> = POSITION.without(&["concedes", "changes"]);
/// The reviewer's first position, in answer to the proposer's: it may concede, and has nothing of its own to change.
const COUNTER_POSITION: Block<Position> = POSITION.without(&["changes"]);
/// A joint draft, which changes what two positions or the last draft say.
pub(crate) const DRAFT: Block<Position> = POSITION.shown(&[
    ("changes", "<what changed against the last draft or the two positions, and why>"),
    ("concedes", "<what your own side gives up in it, and why>"),
]);

/// The kinds of turns, by the answer each asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Ask {
    /// The proposer's first position.
    Propose,
    /// A side's first position in a blind opening.
    Position(Side),
    /// A side's stances on the other's first position, after a blind opening.
    Stances(Side),
    /// Stances on the proposal, and the reviewer's own position in full.
    Review,
    /// Stances on the reviewer's position, and the proposer's revised one.
    Rebuttal,
    /// A joint position, drafted by one side.
    Compromise,
    /// Stances on the joint position.
    Answer,
    /// The expert's ruling on the open points.
    Expert,
}

impl Ask {
    /// All kinds, in the order of a dialogue.
    #[cfg(test)]
    pub(crate) const ALL: [Self; 10] = [
        Self::Propose,
        Self::Position(Side::Proposer),
        Self::Position(Side::Reviewer),
        Self::Stances(Side::Proposer),
        Self::Stances(Side::Reviewer),
        Self::Review,
        Self::Rebuttal,
        Self::Compromise,
        Self::Answer,
        Self::Expert,
    ];

    /// Returns the part of a turn's id after the round, as in `r2/rebuttal`.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Propose => "propose",
            Self::Position(Side::Proposer) => "position/proposer",
            Self::Position(Side::Reviewer) => "position/reviewer",
            Self::Stances(Side::Proposer) => "stances/proposer",
            Self::Stances(Side::Reviewer) => "stances/reviewer",
            Self::Review => "review",
            Self::Rebuttal => "rebuttal",
            Self::Compromise => "compromise",
            Self::Answer => "answer",
            Self::Expert => "expert",
        }
    }

    /// Returns the ask with this word, if there is one.
    #[cfg(test)]
    pub(crate) fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|ask| ask.word() == word)
    }

    /// Returns the side that is asked, of which `drafter` drafts the joint positions; `None` for the expert.
    pub(crate) const fn side(self, drafter: Side) -> Option<Side> {
        match self {
            Self::Propose | Self::Rebuttal => Some(Side::Proposer),
            Self::Review => Some(Side::Reviewer),
            Self::Position(side) | Self::Stances(side) => Some(side),
            Self::Compromise => Some(drafter),
            Self::Answer => Some(drafter.other()),
            Self::Expert => None,
        }
    }

    /// Returns the seat that is asked.
    pub(crate) const fn role(self, drafter: Side) -> &'static str {
        match self.side(drafter) {
            Some(side) => side.seat(),
            None => EXPERT,
        }
    }

    /// Returns the role in the configuration whose skill is sent.
    pub(crate) const fn plays(self) -> &'static str {
        match self {
            Self::Propose | Self::Position(_) => "proposer",
            Self::Review | Self::Stances(_) | Self::Answer => "topic-reviewer",
            Self::Rebuttal => "rebuttal",
            Self::Compromise => "compromise",
            Self::Expert => "expert",
        }
    }

    pub(crate) const fn position(self) -> Option<Block<Position>> {
        match self {
            Self::Propose | Self::Position(_) => Some(FIRST_POSITION),
            Self::Review => Some(COUNTER_POSITION),
            Self::Rebuttal => Some(POSITION),
            Self::Compromise => Some(DRAFT),
            Self::Stances(_) | Self::Answer | Self::Expert => None,
        }
    }

    /// Returns the blocks of the answer, in order.
    pub(crate) const fn blocks(self) -> &'static [&'static Outline] {
        match self {
            Self::Propose | Self::Position(_) => &[&FIRST_POSITION.outline],
            Self::Compromise => &[&DRAFT.outline],
            Self::Review => &[&STANCES.outline, &COUNTER_POSITION.outline],
            Self::Rebuttal => &[&STANCES.outline, &POSITION.outline],
            Self::Stances(_) | Self::Answer => &[&STANCES.outline],
            Self::Expert => &[&JUDGEMENT.outline],
        }
    }
}
