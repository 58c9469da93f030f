//! `list_agents`: the agents that are available for a debate.

use serde_json::json;

use super::{aside, refusal};
use crate::app::agents;
use crate::app::workspace::Workspace;
use crate::mcp::answer::Answer;
use crate::mcp::server::Server;
use crate::text::sanitize;

/// Lists the agents of the start directory's configuration.
pub(super) async fn list(server: &Server) -> Result<Answer, Answer> {
    let around = server.around().clone();
    aside(move || {
        let workspace = Workspace::open(around, Vec::new()).map_err(refusal)?;
        let listing = agents::list(&workspace.effective, &workspace.machine());
        let agents = listing.agents.iter().map(|agent| {
            let mut entry = json!({
                "name": agent.name,
                "available": agent.available,
                "is_default": agent.seat.is_some(),
            });
            let texts =
                [("vendor", &agent.vendor), ("model", &agent.model), ("problem", &agent.problem)];
            for (name, text) in texts {
                if let Some(text) = text {
                    entry[name] = sanitize::line(text, 500).into();
                }
            }
            entry
        });
        Ok(Answer::Result(json!({
            "agents": agents.collect::<Vec<_>>(),
            "default_agents": workspace.effective.config.debate.default_agents,
            "total": listing.agents.len(),
        })))
    })
    .await
}
