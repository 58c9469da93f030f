//! The checks before discovery examines anything.

use super::failures;
use super::run::Request;
use crate::app::run::roles::DEBATE;
use crate::app::run::workspace::Workspace;
use crate::config::trust::AgentUse;
use crate::discovery::finding::AgentName;
use crate::error::Error;
use crate::protocol::inquiry::Role;

/// Refuses what can be refused in advance: nesting and missing trust, for every agent that may be asked.
pub(super) fn preflight(workspace: &Workspace, request: &Request) -> Result<(), Error> {
    // Findings are written even if no agent is asked.
    workspace.require_trusted_keys(AgentUse::Folders)?;
    if request.agents.contains(&AgentName::TestFailures) {
        failures::check_trust(workspace)?;
    }
    let mut roles: Vec<&str> = Vec::new();
    if request.agents.contains(&AgentName::FeatureOpportunities) {
        roles.push(Role::Analyst.config_name());
    }
    if request.deep {
        roles.push(Role::Advisor.config_name());
    }
    if !request.no_debate {
        roles.extend(DEBATE.iter().map(|(_, role)| *role));
    }
    if roles.is_empty() {
        return Ok(());
    }
    workspace.around.refuse_nesting()?;
    let used = if request.options.rehearse { AgentUse::Rehearsal } else { AgentUse::Agents };
    workspace.require_trust(&workspace.skills(&roles)?, used)
}
