//! The definition of a tool: words and the declaration of its arguments, all of them constants.

use serde_json::{Map, Value};

use super::answer::Answer;
use super::table::ToolCall;
use crate::contract::field::Item;

#[derive(Debug, Clone, Copy)]
pub(crate) struct Tool {
    /// For example `debate_review`.
    pub(crate) name: &'static str,
    pub(crate) title: &'static str,
    /// For the model that decides whether to call it.
    pub(crate) description: &'static str,
    /// The arguments that may be given.
    pub(crate) input: Input,
    pub(crate) output: Output,
    /// The effect of a call, for the client's hints.
    pub(crate) effect: Effect,
}

/// The input of a tool: one declaration, for the schema that clients see and for the parser of a call.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Input {
    pub(crate) item: &'static Item,
    /// Reads the arguments of a call, or refuses them.
    pub(crate) read: fn(&Tool, Map<String, Value>) -> Result<ToolCall, Answer>,
}

/// Makes the [`Input`] of a tool: `input!(Review(ReviewArguments))`.
macro_rules! input {
    ($call:ident($arguments:ty)) => {
        $crate::mcp::tool::Input {
            item: <$arguments as $crate::contract::Declaration>::ITEM,
            read: |tool, given| {
                let taken = $crate::mcp::arguments::read::<$arguments>(tool, given);
                taken.map($crate::mcp::table::ToolCall::$call)
            },
        }
    };
}
pub(super) use input;

/// The shape of a tool's answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Output {
    /// The shared result of every tool that answers with a session.
    Session,
    Agents,
    Diff,
    Outline,
    /// One agent's answer.
    Call,
}

/// The effect of a tool, as hints to the client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effect {
    Reads,
    /// Asks agents, which costs money, and keeps a session.
    Asks,
    /// Ends a run.
    Stops,
}
