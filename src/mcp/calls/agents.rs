//! `list_agents`: the agents that are available for a debate.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::{Call, aside, refusal};
use crate::app::agents;
use crate::app::workspace::Workspace;
use crate::mcp::answer::Answer;
use crate::mcp::tool::{Effect, Output, Tool, input};
use crate::text::sanitize;

pub(in crate::mcp) const LIST_AGENTS: Tool = Tool {
    name: "list_agents",
    title: "List agents",
    description: "Lists the AI CLIs that can be asked here, and who debates by default. Asks nobody, costs nothing.",
    input: input!(NoArguments, list),
    output: Output::Agents,
    effect: Effect::Reads,
};

#[derive(Debug, Deserialize, JsonSchema)]
struct NoArguments {}

/// Lists the agents of the start directory's configuration.
async fn list(call: &Call<'_>, _: NoArguments) -> Result<Answer, Answer> {
    let around = call.server.around().clone();
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
