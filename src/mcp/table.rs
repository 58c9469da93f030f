//! The tools. Every word in this table is a constant: no configuration, file or agent can change the text that a
//! client's model reads.
//!
//! Descriptions are written for the model that decides whether to call: what the tool does, its cost, its result, and
//! when another tool is the right one.

mod debates;
mod fields;
mod sessions;

pub(crate) use debates::{
    BacklogArguments, DiscussArguments, FullArguments, FullMode, ReviewArguments, TopicArguments,
};
pub(crate) use sessions::{SessionArguments, WaitArguments};

use super::tool::{Effect, Output, Tool, input};
use crate::contract::exact::{flag, text, whole, word};
use crate::declare;
use crate::protocol::debate::Mode;
use fields::{AGENTS, PATH};

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

#[derive(Debug)]
pub(crate) enum ToolCall {
    /// `list_agents`.
    Agents(NoArguments),
    /// `read_diff`.
    Diff(DiffArguments),
    /// `run_agent`.
    Call(CallArguments),
    /// `debate_review`.
    Review(ReviewArguments),
    /// `debate_plan`.
    Outline(OutlineArguments),
    /// `debate_360`.
    Full(FullArguments),
    /// `debate_topic`.
    Topic(TopicArguments),
    /// `prioritize_backlog`.
    Backlog(BacklogArguments),
    /// `discuss_artifact`.
    Discuss(DiscussArguments),
    /// `session_status`.
    Status(SessionArguments),
    /// `session_result`.
    Result(WaitArguments),
    /// `session_resume`.
    Resume(WaitArguments),
    /// `session_cancel`.
    Cancel(SessionArguments),
}

pub(crate) fn tool(name: &str) -> Option<&'static Tool> {
    TOOLS.iter().find(|tool| tool.name == name)
}

declare! {
    #[derive(Debug)]
    pub(crate) struct NoArguments {}
}

const LIST_AGENTS: Tool = Tool {
    name: "list_agents",
    title: "List agents",
    description: "Lists the AI CLIs that can be asked here, and who debates by default. Asks nobody, costs nothing.",
    input: input!(Agents(NoArguments)),
    output: Output::Agents,
    effect: Effect::Reads,
};

declare! {
    /// The arguments of `read_diff`.
    #[derive(Debug)]
    pub(crate) struct DiffArguments {
        pub(crate) staged: bool = flag().usually(false).about("Only what is staged."),
        pub(crate) base: Option<String> = text(fields::REF)
            .optional()
            .about("Compare with the merge base of this branch: main."),
        pub(crate) path: Option<String> = PATH,
    }
}

const READ_DIFF: Tool = Tool {
    name: "read_diff",
    title: "Read the change",
    description: "Shows what a review would show to its agents, and what it would leave out and why: everything that differs from HEAD, untracked files included, or a part. Asks nobody, costs nothing.",
    input: input!(Diff(DiffArguments)),
    output: Output::Diff,
    effect: Effect::Reads,
};

declare! {
    /// The arguments of `run_agent`.
    #[derive(Debug)]
    pub(crate) struct CallArguments {
        pub(crate) agent: String = text(fields::NAME).about("Its name, from list_agents."),
        pub(crate) prompt: String = text(fields::PROMPT).about("What it is asked."),
        pub(crate) context: Option<String> = text(fields::TEXT)
            .optional()
            .about("Material, shown to it as data."),
    }
}

const RUN_AGENT: Tool = Tool {
    name: "run_agent",
    title: "Ask one agent",
    description: "Asks one agent once; nobody checks its answer. Costs money, may take minutes. Off unless the user's own configuration allows it.",
    input: input!(Call(CallArguments)),
    output: Output::Call,
    effect: Effect::Asks,
};

declare! {
    /// The arguments of `debate_plan`.
    #[derive(Debug)]
    pub(crate) struct OutlineArguments {
        pub(crate) topic: String = text(fields::TEXT).about("What is to be debated."),
        pub(crate) agents: Vec<String> = AGENTS,
        pub(crate) mode: Mode = word().usual_word("adversarial").about("How it is conducted."),
        pub(crate) rounds: u32 = whole(1, 5).usually(2).about("Rounds before the synthesis."),
    }
}

const PLAN: Tool = Tool {
    name: "debate_plan",
    title: "Lay out a debate",
    description: "Lays out how a debate would go, phase by phase. Asks nobody, costs nothing, decides nothing. To hold it: debate_topic. To plan a task: debate_360, mode plan.",
    input: input!(Outline(OutlineArguments)),
    output: Output::Outline,
    effect: Effect::Reads,
};

#[cfg(test)]
mod tests;
