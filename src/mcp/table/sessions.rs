//! The tools for runs that take longer than a client waits.

use super::fields::{SESSION, WAIT};
use crate::mcp::tool::{Effect, Output, Tool};

pub(super) const STATUS: Tool = Tool {
    name: "session_status",
    title: "Session status",
    description: "Tells at once how far a session is. Costs nothing. Poll it every 30 s or so.",
    fields: &[SESSION],
    output: Output::Session,
    effect: Effect::Reads,
};

pub(super) const RESULT: Tool = Tool {
    name: "session_result",
    title: "Session result",
    description: "Returns what came of a session, and waits for one that runs here. Asks nobody, costs nothing.",
    fields: &[SESSION, WAIT],
    output: Output::Session,
    effect: Effect::Reads,
};

pub(super) const RESUME: Tool = Tool {
    name: "session_resume",
    title: "Resume a session",
    description: "Goes on with a session that is `resumable`: only what is missing is asked, and paid. A closed one: its result, for nothing.",
    fields: &[SESSION, WAIT],
    output: Output::Session,
    effect: Effect::Asks,
};

pub(super) const CANCEL: Tool = Tool {
    name: "session_cancel",
    title: "Cancel a session",
    description: "Stops a session that this server runs. What was answered is kept: session_resume goes on with it.",
    fields: &[SESSION],
    output: Output::Session,
    effect: Effect::Stops,
};
