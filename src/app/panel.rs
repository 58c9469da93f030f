//! Who takes part in a session: agents and skills, after the check that the project may bring them.

use super::book::OnAmbiguous;
use super::roles::Roles;
use super::workspace::Workspace;
use crate::agent::roster::{Agent, Roster, RosterError};
use crate::config::trust::Use;
use crate::error::{Error, Kind};
use crate::protocol::Usd;
use crate::protocol::backlog::model::RoundWarning;
use crate::report::plan::PlannedCall;
use crate::skill::SkillSet;
use crate::text::Note;

/// What every debating command is told besides its input.
#[derive(Debug, Clone, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub struct RunOptions {
    /// Built-in stand-ins play every role.
    pub rehearse: bool,
    /// Refuse every reply that would need normalising.
    pub strict: bool,
    /// Take complete answers of failed calls.
    pub salvage: bool,
    /// Champion and critic may be of one vendor.
    pub allow_same_vendor: bool,
    /// What to do with a call that may have been paid.
    pub on_ambiguous: OnAmbiguous,
    /// Work without a lock where there is none.
    pub no_lock: bool,
}

/// Loads skills and agents, after the check that the project may bring them.
pub(crate) fn cast(
    workspace: &Workspace,
    options: &RunOptions,
    roles: Roles,
) -> Result<(SkillSet, Roster), Error> {
    workspace.around.refuse_nesting()?;
    let names: Vec<&str> = roles.iter().map(|(_, role)| *role).collect();
    let skills = workspace.skills(&names)?;
    let used = if options.rehearse {
        Use::Rehearsal
    } else {
        Use::Agents
    };
    workspace.require_trust(&skills, used)?;
    let roster = if options.rehearse {
        let seats: Vec<&str> = roles.iter().map(|(seat, _)| *seat).collect();
        Roster::rehearsal(&seats, &super::asker::guard()?)
    } else {
        let config = &workspace.effective.config;
        Roster::resolve(
            roles,
            &config.agents,
            &config.roles,
            &workspace.machine(),
            config.limits.allow_dangerous,
        )
        .map_err(roster_error)?
    };
    Ok((skills, roster))
}

/// Describes one call before it is made. `bytes`: of the skill, and of the prompt.
pub(crate) fn planned(
    agent: &Agent,
    turn: String,
    seat: &str,
    bytes: (usize, usize),
    at_least: bool,
    first_reserve: Usd,
) -> PlannedCall {
    PlannedCall {
        turn,
        role: seat.to_owned(),
        agent: agent.name.clone(),
        vendor: agent.vendor.clone(),
        program: agent.program.display().to_string(),
        model: agent.model.clone(),
        timeout_seconds: agent.timeout.as_secs(),
        skill_bytes: count(bytes.0),
        prompt_bytes: count(bytes.1),
        prompt_is_at_least: at_least,
        reserve_usd: agent.declared_cost.unwrap_or(first_reserve),
    }
}

fn count(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}

/// Turns a note into a result's warning.
pub(crate) fn warning(note: &Note) -> RoundWarning {
    RoundWarning {
        code: note.code.clone(),
        turn: None,
        message: note.message.clone(),
    }
}

/// Turns an unusable agent into the error for the edge.
#[expect(clippy::needless_pass_by_value, reason = "it is given to `map_err`")]
pub(crate) fn roster_error(error: RosterError) -> Error {
    let (kind, code) = match &error {
        RosterError::UnknownAgent { .. }
        | RosterError::NoAgent { .. }
        | RosterError::NameDiffers { .. }
        | RosterError::Relative { .. }
        | RosterError::NoEffort { .. } => (Kind::Config, "agent_config"),
        RosterError::CannotRead { .. } => (Kind::Config, "cannot_read_repo"),
        RosterError::Dangerous { .. } => (Kind::Config, "dangerous_flags"),
        RosterError::NotFound { .. } => (Kind::Environment, "agent_not_found"),
        RosterError::NotExecutable { .. } => (Kind::Environment, "agent_not_executable"),
        RosterError::InWorkspace { .. } | RosterError::Replaceable { .. } => {
            (Kind::Trust, "agent_place")
        }
    };
    let mapped = Error::new(kind, error.to_string()).named(code);
    if kind == Kind::Environment {
        return mapped.hint("`--rehearse` shows a whole debate without any CLI");
    }
    mapped
}
