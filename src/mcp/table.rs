//! The tools. Every word in here is a constant: no configuration, no file and no agent can change what a client's model reads.
//!
//! Descriptions are written for the model that decides whether to call: what the tool does, what it costs, what it
//! returns, when another one is the right one.

mod debates;
mod fields;
mod sessions;

use super::tool::{Effect, Output, Tool};
use fields::{AGENTS, PATH, text};

/// All tools, in the order in which clients list them.
pub(crate) const TOOLS: &[Tool] = &[
    LIST_AGENTS,
    READ_DIFF,
    RUN_AGENT,
    debates::REVIEW,
    PLAN,
    debates::FULL,
    debates::TOPIC,
    debates::BACKLOG,
    debates::DISCUSS,
    sessions::STATUS,
    sessions::RESULT,
    sessions::RESUME,
    sessions::CANCEL,
];

/// Returns a tool by name.
pub(crate) fn tool(name: &str) -> Option<&'static Tool> {
    TOOLS.iter().find(|tool| tool.name == name)
}

const LIST_AGENTS: Tool = Tool {
    name: "list_agents",
    title: "List agents",
    description: "Lists the AI CLIs that can be asked here, and who debates by default. Asks nobody, costs nothing.",
    fields: &[],
    output: Output::Agents,
    effect: Effect::Reads,
};

const READ_DIFF: Tool = Tool {
    name: "read_diff",
    title: "Read the change",
    description: "Shows what a review would show to its agents, and what it would leave out and why: all that differs from HEAD, untracked files included, or a part. Asks nobody, costs nothing.",
    fields: &[
        fields::flag("staged", false, "Only what is staged."),
        text("base", fields::REF, "Compare with where this branch was left: main."),
        PATH,
    ],
    output: Output::Diff,
    effect: Effect::Reads,
};

const RUN_AGENT: Tool = Tool {
    name: "run_agent",
    title: "Ask one agent",
    description: "Asks one agent once; nobody checks its answer. Costs money, may take minutes. Off unless the user's own configuration allows it.",
    fields: &[
        text("agent", fields::NAME, "Its name, from list_agents.").required(),
        text("prompt", fields::PROMPT, "What it is asked.").required(),
        text("context", fields::TEXT, "Material, shown to it as data."),
    ],
    output: Output::Call,
    effect: Effect::Asks,
};

const PLAN: Tool = Tool {
    name: "debate_plan",
    title: "Lay out a debate",
    description: "Lays out how a debate would go, phase by phase. Asks nobody, costs nothing, decides nothing. To hold it: debate_topic. To plan a task: debate_360, mode plan.",
    fields: &[
        text("topic", fields::TEXT, "What is to be debated.").required(),
        AGENTS,
        fields::choice(
            "mode",
            &["adversarial", "consensus", "collaborative"],
            "adversarial",
            "How it is led.",
        ),
        fields::whole("rounds", 1, 5, Some(2), "Rounds before the synthesis."),
    ],
    output: Output::Outline,
    effect: Effect::Reads,
};

#[cfg(test)]
mod tests;
