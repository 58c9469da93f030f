//! What a debate needs before it can run.

use super::book::OnAmbiguous;
use super::rules::Rules;
use super::workspace::Workspace;
use crate::agent::roster::Roster;
use crate::protocol::backlog::model::Opportunity;
use crate::skill::SkillSet;

/// A debate that is ready to run.
pub(crate) struct Setup<'a> {
    pub(crate) workspace: &'a Workspace,
    pub(crate) roster: Roster,
    pub(crate) skills: SkillSet,
    pub(crate) rules: Rules,
    pub(crate) opportunities: Vec<Opportunity>,
    pub(crate) on_ambiguous: OnAmbiguous,
    pub(crate) accept_drift: bool,
}
