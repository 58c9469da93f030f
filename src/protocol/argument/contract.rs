//! The answers that each turn calls for, and the text that asks for them.
//!
//! The block `STANCES` is that of all styles.

use std::fmt::Write as _;

use super::evidence::QUOTE_LETTERS;
use super::input::Settings;
use crate::contract::block::{Block, object};
use crate::contract::outline::Outline;
use crate::contract::template::ask as asked;
use crate::protocol::debate::contract::STANCES;
use crate::protocol::debate::typed::{Argument, ArgumentBlock, ArgumentType, MAX_LIST};

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
pub enum Ask {
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
    pub const ALL: [Self; 6] = [
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
            Self::Stances => &[],
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

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NextIds {
    /// The number of the next new concern.
    pub concern: usize,
    /// The number of the next new point.
    pub point: u32,
}

/// Returns the last part of a prompt: the exact answer that is requested.
pub(crate) fn text(ask: Ask, settings: &Settings, next: NextIds) -> String {
    let rules = match ask {
        Ask::Stances => vec![
            "Give one stance on every id under `judge`, each with a `reason`. On a point (`P1`) it is on the claim as it is worded, not on its \
             reasoning: `agree` if you would act on it as it stands; `partly` if you would have to act otherwise, and then `amendment` says \
             how it would have to read; \"agree, but\" counts as `partly`. Of a point that makes two claims, the `amendment` is the half that \
             holds. On a concern (`C1`) the stance says whether it is met: `agree` if it is, `partly` if something is left, and then \
             `amendment` says what, `disagree` if it is not. An id without a stance counts as `disagree`."
                .to_owned(),
            "What you merely miss goes into `missing` and costs no agreement; `[]` is a good answer. An amendment to which no later round \
             replies becomes a condition of the agreement, and a person has to see to it."
                .to_owned(),
        ],
        Ask::Proposal | Ask::Challenge | Ask::Defense | Ask::Reply | Ask::Resolution => {
            argument_rules(ask, settings, next)
        }
    };
    let rules: Vec<&str> = rules.iter().map(String::as_str).collect();
    asked(&[ask.block()], &rules)
}

fn argument_rules(ask: Ask, settings: &Settings, next: NextIds) -> Vec<String> {
    let mut rules = Vec::new();
    if ask == Ask::Reply {
        rules.push(
            "`type` is `counter` or `resolution`. A counter says in `text` what is open, and has `concerns` for what is new; it has neither `points` \
             nor `addresses`. A resolution has both, and no `concerns`."
                .to_owned(),
        );
    }
    if matches!(ask, Ask::Proposal | Ask::Reply | Ask::Resolution) {
        rules.push(point_rules(ask, next));
    }
    if matches!(ask, Ask::Challenge | Ask::Reply) {
        rules.push(format!(
            "`concerns` are what you object to, one each, at most five, the weightiest first. The program numbers them in the order written, from \
             C{} on; use that number where your own text or evidence names one.",
            next.concern
        ));
    }
    if matches!(ask, Ask::Defense | Ask::Reply | Ask::Resolution) {
        let addresses = if ask == Ask::Defense {
            "`addresses` names concerns by their ids and says how each is met; leave out those that you cannot meet."
        } else {
            "`addresses` says of every concern that counts, by its id, what becomes of it."
        };
        rules.push(addresses.to_owned());
    }
    rules.push(format!(
        "`evidence` is what can be looked up, and the program does: `file` is `path:line` of a file of the project or of the context, \
         `quote` is a passage of a context file, letter by letter, of at least {QUOTE_LETTERS} letters, `source` names where something \
         can be found. What is looked for and not found counts like an `assertion`: nothing. Name an earlier argument by its id, as `A3`: \
         then the other side is shown it whole."
    ));
    if matches!(ask, Ask::Defense | Ask::Reply | Ask::Resolution) {
        let areas = match settings.impact_areas.join(", ") {
            areas if areas.is_empty() => "what your argument touches".to_owned(),
            areas => format!("what your argument touches, out of: {areas}"),
        };
        rules.push(format!(
            "These may be left out: `feasibility` is how feasible you consider the proposal as it now stands, from 1 (hardly) to 5 (easily); \
             `confidence_score` is how sure you are, and without evidence it counts half at most; `impact_areas` is {areas}; `risks` have the \
             names that were used before."
        ));
    }
    rules.push(format!("Of lists, at most {MAX_LIST} entries; `[]` where there is nothing."));
    rules
}

/// Returns the rules for points, which can be kept by their ids once there are any.
fn point_rules(ask: Ask, next: NextIds) -> String {
    let what = if ask == Ask::Proposal {
        "`points` are what you propose, point by point"
    } else {
        "In a resolution `points` are what should hold, at least one and at most 20"
    };
    let mut text = format!(
        "{what}: each one claim that can be agreed with or not on its own, so what hangs together by \"and\" is two points. `importance` is 3 \
         where the rest falls with the point, 1 for a convenience."
    );
    if ask != Ask::Proposal {
        text.push_str(" `code_change_required`: whether code has to change if it is followed.");
    }
    if next.point > 1 {
        let next = next.point;
        let _ = write!(
            text,
            " A point that holds as it stands is kept by its id, `{{\"keep\": \"P1\"}}`; with an amendment, `{{\"keep\": \"P1\", \"add\": \"<what is \
             added>\"}}`; reworded, `{{\"id\": \"P1\", \"claim\": \"<the new wording>\"}}`. New points have no id: the program numbers them in the \
             order written, from P{next} on."
        );
    } else {
        text.push_str(
            " Points have no id: the program numbers them in the order written, from P1 on.",
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::debate::model::MAX_POINTS;

    #[test]
    fn the_limits_that_are_told_hold_and_no_template_is_an_answer() {
        let settings = super::super::testing::settings();
        let next = NextIds { concern: 7, point: 12 };
        let told = text(Ask::Resolution, &settings, next);
        assert!(told.contains(&format!("at most {MAX_POINTS}: each")), "{told}");
        for ask in Ask::ALL {
            let template = ask.block().template();
            assert!(serde_json::from_str::<serde_json::Value>(&template).is_err(), "{template}");
        }
    }

    /// An argument is asked for what its type owes; a number that is told is not taken.
    #[test]
    fn each_type_is_asked_for_what_it_owes() {
        let settings = super::super::testing::settings();
        let next = NextIds { concern: 7, point: 12 };
        for (ask, has, has_not) in [
            (Ask::Proposal, "\"points\"", "\"addresses\""),
            (Ask::Proposal, "\"type\": \"proposal\"", "\"concerns\""),
            (Ask::Proposal, "from P12 on", "feasibility"),
            (Ask::Challenge, "\"concerns\": [{\"text\": \"<one concern>\"}, ...]", "\"points\""),
            (Ask::Challenge, "from C7 on", "C1"),
            (Ask::Defense, "\"addresses\"", "\"concerns\""),
            (Ask::Defense, "\"feasibility\"", "\"points\""),
            (Ask::Reply, "\"type\": \"<type>\"", "references"),
            (Ask::Resolution, "\"code_change_required\"", "\"concerns\""),
            (Ask::Resolution, "\"keep\"", "yours to shape"),
        ] {
            let told = text(ask, &settings, next);
            assert!(told.contains(has), "{ask:?} lacks {has}: {told}");
            assert!(!told.contains(has_not), "{ask:?} has {has_not}: {told}");
        }
        let first = NextIds { concern: 1, point: 1 };
        assert!(!text(Ask::Proposal, &settings, first).contains("\"keep"));
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
