//! The answers that each turn calls for, and the text that asks for them.
//!
//! The blocks `STANCES` and `REMARK` are those of all styles.

use super::evidence::QUOTE_LETTERS;
use super::input::Settings;
use crate::contract::block::{Block, object};
use crate::contract::outline::Outline;
use crate::contract::template::ask as asked;
use crate::protocol::debate::contract::{REMARK, STANCES, STANCES_RULES, remark};
use crate::protocol::debate::typed::{Argument, ArgumentBlock, ArgumentType, MAX_LIST};

/// The block of a typed argument.
pub(crate) const ARGUMENT: Block<ArgumentBlock> = object("ARGUMENT");
/// The same block for a person, who need not state a confidence.
pub(crate) const ARGUMENT_OF_A_PERSON: Block<ArgumentBlock> =
    ARGUMENT.without(&["confidence_score"]);

/// Maximum size of an argument's content, in bytes of JSON without spaces.
pub(crate) const CONTENT_BYTES: usize = 64 << 10;
/// Maximum number of open concerns in one debate; together with a resolution's points they fit into one list of
/// stances.
pub(crate) const MAX_CONCERNS: usize = 60;

/// The kinds of turns, by the answer each asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Ask {
    /// A remark by the person who asked.
    Remark,
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
    /// All kinds, in the order of a round.
    pub const ALL: [Self; 7] = [
        Self::Remark,
        Self::Proposal,
        Self::Challenge,
        Self::Defense,
        Self::Reply,
        Self::Resolution,
        Self::Stances,
    ];

    /// Returns the part of a turn's id after the round, as in `r1/challenge`.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Remark => "remark",
            Self::Proposal => "proposal",
            Self::Challenge => "challenge",
            Self::Defense => "defense",
            Self::Reply => "reply",
            Self::Resolution => "resolution",
            Self::Stances => "stances",
        }
    }

    /// Returns the types of arguments that answer it; empty if the answer is not an argument.
    pub const fn types(self) -> &'static [ArgumentType] {
        match self {
            Self::Remark | Self::Stances => &[],
            Self::Proposal => &[ArgumentType::Proposal],
            Self::Challenge => &[ArgumentType::Challenge],
            Self::Defense => &[ArgumentType::Defense],
            Self::Reply => &[ArgumentType::Counter, ArgumentType::Resolution],
            Self::Resolution => &[ArgumentType::Resolution],
        }
    }

    /// Returns the turn that follows an argument; `None` is the beginning of a round.
    pub const fn after(last: Option<ArgumentType>) -> Self {
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
    pub fn along(arguments: &[Argument]) -> impl Iterator<Item = Self> {
        let kinds = arguments.iter().map(|argument| Some(argument.said.kind));
        std::iter::once(None).chain(kinds).map(Self::after).take(arguments.len())
    }

    /// Returns the block that answers it.
    pub const fn block(self) -> &'static Outline {
        match self {
            Self::Remark => &REMARK.outline,
            Self::Stances => &STANCES.outline,
            Self::Proposal | Self::Challenge | Self::Defense | Self::Reply | Self::Resolution => {
                &ARGUMENT.outline
            }
        }
    }
}

/// Returns the last part of a prompt: the exact answer that is requested.
pub(crate) fn text(ask: Ask, settings: &Settings) -> String {
    let rules = match ask {
        Ask::Remark => return remark(),
        Ask::Stances => vec![
            "Give a stance on every id under `judge`. On a point (`P1`) it says what you think of the point; on a concern (`C1`), whether \
             it is met: `agree` if it is, `partly` if something is left, `disagree` if it is not."
                .to_owned(),
            STANCES_RULES.to_owned(),
        ],
        Ask::Proposal | Ask::Challenge | Ask::Defense | Ask::Reply | Ask::Resolution => {
            argument_rules(ask, settings)
        }
    };
    let rules: Vec<&str> = rules.iter().map(String::as_str).collect();
    asked(&[ask.block()], &rules)
}

fn argument_rules(ask: Ask, settings: &Settings) -> Vec<String> {
    let types: Vec<String> =
        (ask.types().iter()).map(|kind| format!("`{}`", kind.name())).collect();
    let areas = match settings.impact_areas.join(", ") {
        areas if areas.is_empty() => "what your argument touches".to_owned(),
        areas => format!("what your argument touches, out of: {areas}"),
    };
    let resolution = if ask.types().contains(&ArgumentType::Resolution) {
        " In a resolution `points` are what is to hold, at least one and at most 20, each one claim that can be agreed with or not on its \
         own; `importance` is 3 where the resolution falls with the point; `addresses` says of every concern that counts what becomes of \
         it; and `content` has \"code_change_required\": true or false besides."
    } else {
        " `points` are what you claim, point by point, and may be left out."
    };
    vec![
        format!(
            "`type` is {}. `content` is yours to shape, at most {CONTENT_BYTES} bytes: `text` is what people read.{resolution}",
            types.join(" or ")
        ),
        format!(
            "`evidence` is what can be looked up, and the program does: `file` is `path:line` of a file of the project or of the context, \
             `quote` is a passage of a context file, letter by letter, of at least {QUOTE_LETTERS} letters, `source` names where something \
             can be found. What is looked for and not found counts like an `assertion`: nothing."
        ),
        format!(
            "`concerns` are what you object to, one each; the program numbers them. `addresses` names concerns by their ids. `references` \
             names arguments by their ids. `impact_areas` is {areas}. `feasibility` is how feasible you hold what is on the table, from 1 \
             (hardly) to 5 (easily). `confidence_score` is how sure you are; without evidence it counts half at most. Of lists, at most \
             {MAX_LIST} entries; `[]` where there is nothing."
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::debate::model::MAX_POINTS;

    #[test]
    fn the_limits_that_are_told_hold_and_no_template_is_an_answer() {
        let settings = super::super::testing::settings();
        assert!(text(Ask::Resolution, &settings).contains(&format!("at most {MAX_POINTS}, each")));
        assert!(serde_json::from_str::<serde_json::Value>(&ARGUMENT.outline.template()).is_err());
    }

    /// The types a turn accepts are those the table of legality lists.
    #[test]
    fn each_turn_asks_for_what_may_come() {
        use super::super::legality::{Move, successors};
        use crate::protocol::debate::typed::Side;
        assert_eq!(Ask::after(None), Ask::Proposal);
        for kind in ArgumentType::ALL {
            for side in Side::ALL {
                let may = successors(Some(Move { kind, side }));
                let types: Vec<ArgumentType> = may.iter().map(|each| each.kind).collect();
                assert!(may.is_empty() || Ask::after(Some(kind)).types() == types);
            }
        }
    }
}
