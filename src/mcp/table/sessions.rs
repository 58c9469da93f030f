//! The tools for runs that take longer than a client waits.

use super::fields::{SESSION, WAIT};
use crate::declare;
use crate::mcp::tool::{Effect, Output, Tool, input};

declare! {
    /// The arguments of `session_status` and `session_cancel`.
    #[derive(Debug)]
    pub(crate) struct SessionArguments {
        pub(crate) session_id: String = SESSION,
    }
}

declare! {
    /// The arguments of `session_result` and `session_resume`.
    #[derive(Debug)]
    pub(crate) struct WaitArguments {
        pub(crate) session_id: String = SESSION,
        pub(crate) wait_seconds: u32 = WAIT,
    }
}

pub(super) const STATUS: Tool = Tool {
    name: "session_status",
    title: "Session status",
    description: "Tells at once how far along a session is. Costs nothing. Poll it every 30 s or so.",
    input: input!(Status(SessionArguments)),
    output: Output::Session,
    effect: Effect::Reads,
};

pub(super) const RESULT: Tool = Tool {
    name: "session_result",
    title: "Session result",
    description: "Returns a session's result, and waits for one that is running here. Asks nobody, costs nothing.",
    input: input!(Result(WaitArguments)),
    output: Output::Session,
    effect: Effect::Reads,
};

pub(super) const RESUME: Tool = Tool {
    name: "session_resume",
    title: "Resume a session",
    description: "Continues a session that is `resumable`: only what is missing is asked and paid for. For a closed one: its result, for free.",
    input: input!(Resume(WaitArguments)),
    output: Output::Session,
    effect: Effect::Asks,
};

pub(super) const CANCEL: Tool = Tool {
    name: "session_cancel",
    title: "Cancel a session",
    description: "Stops a session that this server is running. What was answered is kept: session_resume continues it.",
    input: input!(Cancel(SessionArguments)),
    output: Output::Session,
    effect: Effect::Stops,
};
