//! `list_agents`: the agents that are available for a debate.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{Call, aside, refusal};
use crate::app::agents;
use crate::app::workspace::Workspace;
use crate::mcp::answer::Answer;
use crate::mcp::schema::output;
use crate::mcp::tool::{Effect, Tool, input};
use crate::text::sanitize;

pub(in crate::mcp) const LIST_AGENTS: Tool = Tool {
    name: "list_agents",
    title: "List agents",
    description: "Lists the AI CLIs that can be asked here, and who debates by default. Asks nobody, costs nothing.",
    input: input!(NoArguments, list),
    output: output::<Agents>,
    effect: Effect::Reads,
};

#[derive(Debug, Deserialize, JsonSchema)]
struct NoArguments {}

#[derive(Debug, Serialize, JsonSchema)]
struct Agents {
    agents: Vec<Agent>,
    default_agents: Vec<String>,
    total: usize,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Agent {
    name: String,
    available: bool,
    is_default: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    vendor: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
}

/// Lists the agents of the start directory's configuration.
async fn list(call: &Call<'_>, _: NoArguments) -> Result<Answer, Answer> {
    let around = call.server.around().clone();
    aside(move || {
        let workspace = Workspace::open(around, Vec::new()).map_err(refusal)?;
        let listing = agents::list(&workspace.effective, &workspace.machine());
        let line = |text: &Option<String>| text.as_deref().map(|text| sanitize::line(text, 500));
        let agents = listing.agents.iter().map(|agent| Agent {
            name: agent.name.clone(),
            available: agent.available,
            is_default: agent.seat.is_some(),
            vendor: line(&agent.vendor),
            model: line(&agent.model),
            problem: line(&agent.problem),
        });
        Ok(Answer::Result(json!(Agents {
            agents: agents.collect(),
            default_agents: workspace.effective.config.debate.default_agents.clone(),
            total: listing.agents.len(),
        })))
    })
    .await
}
