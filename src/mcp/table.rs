//! The tools; each stands beside its call. Every word that a client's model reads of them is a constant: no
//! configuration, file or agent can change it.
//!
//! Descriptions are written for the model that decides whether to call: what the tool does, its cost, its result, and
//! when another tool is the right one.

use super::calls::{agents, backlog, change, discuss, one, review, sessions, topic};
use super::tool::Tool;

/// All tools, in the order in which clients list them.
pub(crate) const TOOLS: &[Tool] = &[
    agents::LIST_AGENTS,
    change::READ_DIFF,
    one::RUN_AGENT,
    review::REVIEW,
    topic::PLAN,
    review::FULL,
    topic::TOPIC,
    backlog::BACKLOG,
    discuss::DISCUSS,
    sessions::STATUS,
    sessions::RESULT,
    sessions::RESUME,
    sessions::CANCEL,
];

pub(crate) fn tool(name: &str) -> Option<&'static Tool> {
    TOOLS.iter().find(|tool| tool.name == name)
}

#[cfg(test)]
mod tests;
