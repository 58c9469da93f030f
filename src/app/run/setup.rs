//! The parts of a session that is ready to run, whatever its protocol.

use std::time::Duration;

use super::calls::CallRules;
use super::tree_check::Watch;
use super::workspace::Workspace;
use crate::agent::roster::Roster;
use crate::engine::switch::Switch;
use crate::kernel::{Stage, Usd};
use crate::skill::SkillSet;

pub(crate) struct Setup<'a> {
    pub(crate) workspace: &'a Workspace,
    pub(crate) protocol: &'static str,
    pub(crate) roster: Roster,
    pub(crate) skills: SkillSet,
    pub(crate) calls: CallRules,
    /// The protocol's stages, for the events.
    pub(crate) stages: &'static [Stage],
    /// Maximum number of turns, for the events.
    pub(crate) most_turns: u32,
    /// Maximum number of rounds, for the events.
    pub(crate) max_rounds: u32,
    /// The reservation for each seat's call before the cost of one is known.
    pub(crate) first_reserve: fn(&str) -> Usd,
    /// Maximum number of processes that the run may start, whatever they cost.
    pub(crate) most_calls: u32,
    /// The time limit for the agents' turns of one round together; `None` if only each turn is limited.
    pub(crate) round_timeout: Option<Duration>,
    /// The switch of a command with several parts, which stops them all; `None`: the session handles signals itself.
    pub(crate) switch: Option<&'a Switch>,
    /// The check whether the repository changed while agents could read it; `None` if they cannot.
    pub(crate) watch: Option<Watch>,
    pub(crate) accept_drift: bool,
}
