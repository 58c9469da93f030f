//! The partner debate: champion, critic and moderator rank a backlog.
//!
//! # Theory of operation
//!
//! [`intake`] turns a file into opportunities or reports exactly what is wrong with it. [`machine::Machine`] then
//! asks one turn per step: the champion argues and ranks by value, the critic objects and ranks by feasibility, the
//! moderator sets dispositions, with reasons, and ranks. After a blind opening ([`Settings::opening`]) champion and
//! critic of round 1 are one step, and neither sees the other; their roles are known to all, so no letters stand for
//! them. [`reply`] judges each reply against [`contract`], and completes by rule only what can be completed without
//! guessing. When the moderator has answered, [`scoring`] measures how stable the
//! ranking is and the machine decides whether the debate is over: the moderator's claim that it is counts only if it
//! passes the check.
//!
//! # States
//!
//! | state | input | next state |
//! |---|---|---|
//! | (start) | fewer than two opportunities | closed: `nothing_to_rank` |
//! | (start) | otherwise, and the opening is sequential | champion of round 1 |
//! | (start) | otherwise, and the opening is blind | both partners of round 1 |
//! | both partners of round 1 | both replies | moderator of round 1 |
//! | both partners of round 1 | both replies, from stand-ins of one vendor that is not allowed to play both | critic of round 1 again, still blind |
//! | critic of round 1 again | critic's reply | moderator of round 1 |
//! | champion of round n | champion's reply | critic of round n |
//! | critic of round n | critic's reply | moderator of round n |
//! | moderator of round n | reply: a claim of consensus that passes the check | closed: `consensus` |
//! | moderator of round n | reply: stop without a claim | closed: `moderator_stop` |
//! | moderator of round n | reply: anything else, n is the last round | closed: `max_rounds` |
//! | moderator of round n | reply: anything else, rounds remain | champion of round n + 1 |
//! | any but closed | a turn's failure | closed: `agent_failure` |
//!
//! A claim of consensus passes the check if it does not ask to continue, the ranking is stable, and no opportunity is at
//! `investigate` without a first step .
//!
//! A stop reports `budget` or `interrupted`, and the session stays open.

mod consensus;
pub(crate) mod contract;
pub(crate) mod input;
pub(crate) mod intake;
pub(crate) mod machine;
pub(crate) mod model;
pub(crate) mod prompt;
pub(crate) mod reply;
pub(crate) mod result;
pub(crate) mod scoring;
pub(crate) mod stored;
#[cfg(test)]
pub(crate) mod testing;
pub(crate) mod time;

pub(crate) use input::{Input, Settings};
pub(crate) use machine::{Machine, Outcome};

use crate::kernel::TurnId;

/// The protocol's name in journals and documents.
pub(crate) const NAME: &str = "backlog";

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Role {
    /// The strategy partner: desirability and value.
    Champion,
    /// The tech partner: feasibility and risk.
    Critic,
    /// The managing director: decides.
    Moderator,
}

impl Role {
    /// All roles, in the order in which they are asked.
    pub(crate) const ALL: [Self; 3] = [Self::Champion, Self::Critic, Self::Moderator];

    /// Returns the role's short name, as used in turn ids and result documents.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Champion => "champion",
            Self::Critic => "critic",
            Self::Moderator => "moderator",
        }
    }

    /// Returns the role's name in the configuration, which is also its skill's name.
    pub(crate) const fn config_name(self) -> &'static str {
        match self {
            Self::Champion => "backlog-champion",
            Self::Critic => "backlog-critic",
            Self::Moderator => "backlog-moderator",
        }
    }

    /// Returns the id of this role's turn in a round: `r2/critic`.
    pub(crate) fn turn_id(self, round: u32) -> TurnId {
        TurnId::in_round(round, self.name())
    }
}
