//! `list_agents`: who could debate here.

use serde_json::json;

use super::{aside, refusal};
use crate::app::agents;
use crate::app::workspace::Workspace;
use crate::mcp::answer::Answer;
use crate::mcp::server::Server;

/// Lists the agents of the start directory's configuration.
pub(super) async fn list(server: &Server) -> Result<Answer, Answer> {
    let around = server.around().clone();
    aside(move || {
        let workspace = Workspace::open(around, Vec::new()).map_err(refusal)?;
        let listing = agents::list(&workspace.effective, &workspace.machine());
        let agents = listing.agents.iter().map(|agent| {
            json!({
                "name": agent.name,
                "available": agent.available,
                "vendor": agent.vendor,
                "model": agent.model,
                "problem": agent.problem,
                "is_default": agent.seat.is_some(),
            })
        });
        Ok(Answer::Result(json!({
            "agents": agents.collect::<Vec<_>>(),
            "default_agents": workspace.effective.config.debate.default_agents,
            "total": listing.agents.len(),
        })))
    })
    .await
}
