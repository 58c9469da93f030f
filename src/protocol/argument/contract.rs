//! The answers that each turn calls for.
//!
//! The block `STANCES` is that of all styles.

use crate::contract::block::{Block, object};
use crate::contract::outline::Outline;
use crate::protocol::debate::contract::STANCES;
use crate::protocol::debate::typed::{Argument, ArgumentBlock, ArgumentType};

pub(crate) const ARGUMENT: Block<ArgumentBlock> = object("ARGUMENT");

const WITH_POINTS: &str = r#"{"text": "<what you propose, and why>", "points": [{"claim": "<one claim>", "reasoning": "<why>", "importance": <1 to 3>}, ...]}"#;
/// The content of an argument that answers another one.
const TEXT_ALONE: &str = r#"{"text": "<what you say>"}"#;
const WITH_DECISION: &str = r#"{"text": "<what is resolved>", "points": [{"claim": "<one claim>", "reasoning": "<why>", "importance": <1 to 3>}, ...], "code_change_required": <true or false>}"#;

const PROPOSAL: Block<ArgumentBlock> =
    ARGUMENT.only("type", "proposal").shown(&[("content", WITH_POINTS)]).without(&[
        "references",
        "confidence_score",
        "impact_areas",
        "concerns",
        "addresses",
        "feasibility",
        "risks",
    ]);
const CHALLENGE: Block<ArgumentBlock> =
    ARGUMENT.only("type", "challenge").shown(&[("content", TEXT_ALONE)]).without(&[
        "references",
        "confidence_score",
        "impact_areas",
        "addresses",
        "feasibility",
        "risks",
    ]);
/// The block of a defense: the primary's last argument if it is accepted.
const DEFENSE: Block<ArgumentBlock> = ARGUMENT
    .only("type", "defense")
    .shown(&[("content", TEXT_ALONE)])
    .without(&["references", "concerns"]);
/// The block of a counter or a resolution, the adversary's last argument.
const REPLY: Block<ArgumentBlock> =
    ARGUMENT.shown(&[("content", WITH_DECISION)]).without(&["references"]);
const RESOLUTION: Block<ArgumentBlock> = ARGUMENT
    .only("type", "resolution")
    .shown(&[("content", WITH_DECISION)])
    .without(&["references", "concerns"]);

/// Maximum size of an argument's content, in bytes of JSON without spaces.
pub(crate) const CONTENT_BYTES: usize = 64 << 10;
/// Maximum number of open concerns in one debate; together with a resolution's points they fit into one list of
/// stances.
pub(crate) const MAX_CONCERNS: usize = 60;

/// The kinds of turns, by the answer each asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Ask {
    /// The primary's proposal.
    Proposal,
    /// The adversary's case against the proposal.
    Challenge,
    /// The primary's answer to the challenge.
    Defense,
    /// The adversary's counter to what the defense leaves open, or its resolution.
    Reply,
    /// The primary's resolution after a counter, acceptable to both sides.
    Resolution,
    /// The stances of the side that did not write the resolution.
    Stances,
}

impl Ask {
    /// Returns the part of a turn's id after the round, as in `r1/challenge`.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Proposal => "proposal",
            Self::Challenge => "challenge",
            Self::Defense => "defense",
            Self::Reply => "reply",
            Self::Resolution => "resolution",
            Self::Stances => "stances",
        }
    }

    /// Returns the turn that follows an argument; `None` is the beginning of a round.
    pub(crate) const fn after(last: Option<ArgumentType>) -> Self {
        match last {
            None => Self::Proposal,
            Some(ArgumentType::Proposal) => Self::Challenge,
            Some(ArgumentType::Challenge) => Self::Defense,
            Some(ArgumentType::Defense) => Self::Reply,
            Some(ArgumentType::Counter) => Self::Resolution,
            Some(ArgumentType::Resolution) => Self::Stances,
        }
    }

    /// Returns the turns that the arguments of a round answered, in order.
    pub(crate) fn along(arguments: &[Argument]) -> impl Iterator<Item = Self> {
        let kinds = arguments.iter().map(|argument| Some(argument.said.kind));
        std::iter::once(None).chain(kinds).map(Self::after).take(arguments.len())
    }

    /// Returns the block that answers it.
    pub(crate) const fn block(self) -> &'static Outline {
        match self {
            Self::Stances => &STANCES.outline,
            Self::Proposal => &PROPOSAL.outline,
            Self::Challenge => &CHALLENGE.outline,
            Self::Defense => &DEFENSE.outline,
            Self::Reply => &REPLY.outline,
            Self::Resolution => &RESOLUTION.outline,
        }
    }

    /// Returns the block with the fields that this turn's argument owes; that of any argument for the other turns.
    pub(crate) const fn argument(self) -> Block<ArgumentBlock> {
        match self {
            Self::Proposal => PROPOSAL,
            Self::Challenge => CHALLENGE,
            Self::Defense => DEFENSE,
            Self::Reply => REPLY,
            Self::Resolution => RESOLUTION,
            Self::Stances => ARGUMENT,
        }
    }
}
