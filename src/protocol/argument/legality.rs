//! Legal moves: the table of successors, and the agents that may speak for each side.
//!
//! | after | may come |
//! |---|---|
//! | nothing, in a round | proposal by the primary |
//! | proposal by the primary | challenge by the adversary |
//! | challenge by the adversary | defense by the primary |
//! | defense by the primary | counter by the adversary, or resolution by the adversary |
//! | counter by the adversary | resolution by the primary |
//! | a resolution | nothing: its round is to be evaluated |
//!
//! The same rules apply to an agent's turn, an argument from a file and a person at the terminal. That no side speaks
//! twice in a row follows from the table, and a test checks it.

use std::fmt;

use crate::protocol::debate::typed::{ArgumentType, Side};

/// A type of argument by a side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Move {
    /// The type of the argument.
    pub kind: ArgumentType,
    /// The side that makes it.
    pub side: Side,
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a {} by the {}", self.kind.name(), self.side.name())
    }
}

const fn by(side: Side, kind: ArgumentType) -> Move {
    Move { kind, side }
}

const OPENING: [Move; 1] = [by(Side::Primary, ArgumentType::Proposal)];
const AFTER_PROPOSAL: [Move; 1] = [by(Side::Adversary, ArgumentType::Challenge)];
const AFTER_CHALLENGE: [Move; 1] = [by(Side::Primary, ArgumentType::Defense)];
const AFTER_DEFENSE: [Move; 2] =
    [by(Side::Adversary, ArgumentType::Counter), by(Side::Adversary, ArgumentType::Resolution)];
const AFTER_COUNTER: [Move; 1] = [by(Side::Primary, ArgumentType::Resolution)];

/// Returns the moves that may follow; `None` is the beginning of a round. An impossible move has no successors.
pub const fn successors(last: Option<Move>) -> &'static [Move] {
    use ArgumentType::{Challenge, Counter, Defense, Proposal, Resolution};
    use Side::{Adversary, Primary};
    let Some(last) = last else {
        return &OPENING;
    };
    match (last.kind, last.side) {
        (Proposal, Primary) => &AFTER_PROPOSAL,
        (Challenge, Adversary) => &AFTER_CHALLENGE,
        (Defense, Primary) => &AFTER_DEFENSE,
        (Counter, Adversary) => &AFTER_COUNTER,
        (Resolution, Primary | Adversary)
        | (Proposal | Defense, Adversary)
        | (Challenge | Counter, Primary) => &[],
    }
}

/// The two sides, each with the agents that speak for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parties {
    primary: Vec<String>,
    adversary: Vec<String>,
}

impl Parties {
    /// Names the agents of the two sides.
    ///
    /// # Errors
    /// The names are the same, or one is empty.
    pub fn new(primary: &str, adversary: &str) -> Result<Self, Illegal> {
        if primary.trim().is_empty() || adversary.trim().is_empty() {
            return Err(Illegal::Nameless);
        }
        if primary == adversary {
            return Err(Illegal::Same(primary.to_owned()));
        }
        Ok(Self { primary: vec![primary.to_owned()], adversary: vec![adversary.to_owned()] })
    }

    /// Returns the agent that was originally named for a side.
    pub fn named(&self, side: Side) -> &str {
        self.of(side).first().map_or("", String::as_str)
    }

    /// Returns the side that an agent speaks for, if any.
    pub fn side_of(&self, agent: &str) -> Option<Side> {
        let speaks = |side: &Side| self.of(*side).iter().any(|name| name == agent);
        Side::ALL.into_iter().find(speaks)
    }

    /// Lets an agent speak for a side whose own agent failed.
    ///
    /// # Errors
    /// The agent speaks for the other side.
    pub fn stand_in(&mut self, side: Side, agent: &str) -> Result<(), Illegal> {
        match self.side_of(agent) {
            Some(known) if known == side => Ok(()),
            Some(_) => Err(Illegal::Same(agent.to_owned())),
            None if agent.trim().is_empty() => Err(Illegal::Nameless),
            None => {
                match side {
                    Side::Primary => self.primary.push(agent.to_owned()),
                    Side::Adversary => self.adversary.push(agent.to_owned()),
                }
                Ok(())
            }
        }
    }

    const fn of(&self, side: Side) -> &Vec<String> {
        match side {
            Side::Primary => &self.primary,
            Side::Adversary => &self.adversary,
        }
    }
}

/// Reasons for which an argument is not legal.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Illegal {
    /// One of the agents' names is empty.
    #[error("both sides need an agent's name")]
    Nameless,
    /// The same agent is on both sides.
    #[error("`{0}` cannot argue with itself: name two different agents")]
    Same(String),
    /// The agent speaks for neither side.
    #[error(
        "`{agent}` does not argue here: `{primary}` is the primary and `{adversary}` the adversary"
    )]
    Stranger {
        /// The agent that made the attempt.
        agent: String,
        /// The agent of the side that proposes.
        primary: String,
        /// The agent of the side that challenges.
        adversary: String,
    },
    /// Another move comes first.
    #[error("{tried} is not due: {}", possible(may))]
    NotNow {
        /// The move that was attempted.
        tried: Move,
        /// The moves that are possible.
        may: &'static [Move],
    },
}

/// Describes the moves that may come now, for people.
pub fn possible(may: &[Move]) -> String {
    let named: Vec<String> = may.iter().map(Move::to_string).collect();
    match named.as_slice() {
        [] => "the round has its resolution, and nothing follows it in that round".to_owned(),
        named => format!("now comes {}", named.join(", or ")),
    }
}

/// Checks whether an agent may make an argument of this type after `last`; returns its side.
///
/// # Errors
/// The agent speaks for neither side, or the table does not permit the move.
pub fn check(
    parties: &Parties,
    last: Option<Move>,
    kind: ArgumentType,
    agent: &str,
) -> Result<Side, Illegal> {
    let side = parties.side_of(agent).ok_or_else(|| Illegal::Stranger {
        agent: agent.to_owned(),
        primary: parties.named(Side::Primary).to_owned(),
        adversary: parties.named(Side::Adversary).to_owned(),
    })?;
    let tried = Move { kind, side };
    let may = successors(last);
    if may.contains(&tried) { Ok(side) } else { Err(Illegal::NotNow { tried, may }) }
}

#[cfg(test)]
mod tests {
    //! The whole table: every state, every type, every speaker.

    use super::*;
    use ArgumentType::{Challenge, Counter, Defense, Proposal, Resolution};
    use Side::{Adversary, Primary};

    /// The preceding argument, if any; the type; the side.
    type Row = (Option<(ArgumentType, Side)>, ArgumentType, Side);

    /// The rules of the specification, written out by hand: the preceding argument, then what may follow.
    const ALLOWED: [Row; 6] = [
        (None, Proposal, Primary),
        (Some((Proposal, Primary)), Challenge, Adversary),
        (Some((Challenge, Adversary)), Defense, Primary),
        (Some((Defense, Primary)), Counter, Adversary),
        (Some((Defense, Primary)), Resolution, Adversary),
        (Some((Counter, Adversary)), Resolution, Primary),
    ];

    fn parties() -> Parties {
        Parties::new("claude", "gemini").unwrap()
    }

    #[test]
    fn every_state_type_and_speaker_is_as_the_table_says() {
        let mut states = vec![None];
        for kind in ArgumentType::ALL {
            states.extend(Side::ALL.map(|side| Some((kind, side))));
        }
        let (mut allowed, mut refused) = (0, 0);
        for state in states {
            for kind in ArgumentType::ALL {
                for (agent, side) in [
                    ("claude", Some(Primary)),
                    ("gemini", Some(Adversary)),
                    ("codex", None),
                    ("Claude", None),
                    ("", None),
                ] {
                    let last = state.map(|(kind, side)| Move { kind, side });
                    let judged = check(&parties(), last, kind, agent);
                    let listed = side.filter(|side| ALLOWED.contains(&(state, kind, *side)));
                    assert_eq!(judged.as_ref().ok().copied(), listed, "{state:?} {kind:?} {agent}");
                    match judged {
                        Ok(side) => {
                            allowed += 1;
                            // No side speaks twice in a row.
                            assert!(state.is_none_or(|(_, before)| before != side));
                        }
                        Err(Illegal::Stranger { agent: named, .. }) => {
                            refused += 1;
                            assert!(side.is_none() && named == agent);
                        }
                        Err(Illegal::NotNow { tried, may }) => {
                            refused += 1;
                            assert_eq!(Some(tried.side), side);
                            assert_eq!(may, successors(last));
                        }
                        Err(other) => panic!("{other}"),
                    }
                }
            }
        }
        assert_eq!((allowed, refused), (6, 11 * 5 * 5 - 6));
    }

    #[test]
    fn a_refusal_says_what_may_come() {
        let after = |kind, side| Some(Move { kind, side });
        for (last, kind, agent, message) in [
            (
                None,
                Challenge,
                "gemini",
                "a challenge by the adversary is not due: now comes a proposal by the primary",
            ),
            (
                after(Resolution, Adversary),
                Proposal,
                "claude",
                "a proposal by the primary is not due: the round has its resolution, and nothing follows it in that round",
            ),
            (
                None,
                Proposal,
                "codex",
                "`codex` does not argue here: `claude` is the primary and `gemini` the adversary",
            ),
        ] {
            let refused = check(&parties(), last, kind, agent).unwrap_err();
            assert_eq!(refused.to_string(), message);
        }
    }

    #[test]
    fn two_that_differ_argue_and_a_stand_in_is_of_one_side() {
        assert_eq!(
            Parties::new("claude", "claude").unwrap_err().to_string(),
            "`claude` cannot argue with itself: name two different agents"
        );
        assert_eq!(Parties::new("claude", " "), Err(Illegal::Nameless));
        let mut parties = parties();
        assert_eq!(parties.stand_in(Adversary, "claude"), Err(Illegal::Same("claude".to_owned())));
        assert_eq!(parties.stand_in(Adversary, ""), Err(Illegal::Nameless));
        assert_eq!(parties.side_of("codex"), None);
        assert_eq!(parties.stand_in(Adversary, "codex"), Ok(()));
        assert_eq!(parties.stand_in(Adversary, "codex"), Ok(()));
        assert_eq!(parties.side_of("codex"), Some(Adversary));
        assert_eq!(parties.side_of("gemini"), Some(Adversary));
        assert_eq!(parties.stand_in(Primary, "codex"), Err(Illegal::Same("codex".to_owned())));
        assert_eq!((parties.named(Primary), parties.named(Adversary)), ("claude", "gemini"));
    }
}
