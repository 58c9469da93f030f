//! What a session needs before it can run, whatever its protocol.

use std::collections::BTreeMap;
use std::time::Duration;

use super::calls::CallRules;
use super::options::{OnAmbiguous, SinkMode};
use super::tree_check::Watch;
use super::workspace::Workspace;
use crate::agent::roster::Roster;
use crate::engine::switch::Switch;
use crate::kernel::Usd;
use crate::skill::SkillSet;

/// A session that is ready to run.
pub(crate) struct Setup<'a> {
    pub(crate) workspace: &'a Workspace,
    /// The protocol's name in journals and documents.
    pub(crate) protocol: &'static str,
    pub(crate) roster: Roster,
    pub(crate) skills: SkillSet,
    pub(crate) calls: CallRules,
    /// The most rounds there can be, for the events.
    pub(crate) max_rounds: u32,
    /// What each seat's call reserves before one of its costs is known.
    pub(crate) first_reserve: BTreeMap<String, Usd>,
    /// The most processes that the run may start, whatever they cost.
    pub(crate) most_calls: u32,
    /// How long the agents' turns of one round may take together; `None`: as long as each may take.
    pub(crate) round_timeout: Option<Duration>,
    /// What stops this session together with what else its command runs; `None`: it listens to signals itself.
    pub(crate) switch: Option<&'a Switch>,
    /// What tells whether the repository changed while agents could read it; `None`: they cannot.
    pub(crate) watch: Option<Watch>,
    pub(crate) on_ambiguous: OnAmbiguous,
    pub(crate) sending: SinkMode,
    pub(crate) accept_drift: bool,
}
