//! The tools. Every word in here is a constant: no configuration, no file and no agent can change what a client's model reads.

use super::tool::{Effect, Output, Tool};

/// All tools, in the order in which clients list them.
pub(crate) const TOOLS: &[Tool] = &[Tool {
    name: "list_agents",
    title: "List agents",
    description: "Lists the AI CLIs that debate-agent knows here, which of them can be run, and who debates by default. Asks and spends nothing.",
    fields: &[],
    output: Output::Agents,
    effect: Effect::Reads,
}];

/// Returns a tool by name.
pub(crate) fn tool(name: &str) -> Option<&'static Tool> {
    TOOLS.iter().find(|tool| tool.name == name)
}
