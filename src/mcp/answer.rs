//! The answer to a tool call: a result, or the reason why nothing was started.

use serde_json::Value;

use crate::error::Error;

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Answer {
    /// The structured content, which matches the tool's output schema.
    Result(Value),
    /// The call was refused: one sentence that gives the reason, then how to fix it.
    Refused(String),
}

impl Answer {
    pub(crate) fn field(name: &str, why: impl std::fmt::Display) -> Self {
        Self::Refused(format!("`{name}`: {why}"))
    }
}

impl From<Error> for Answer {
    fn from(error: Error) -> Self {
        Self::Refused(error.sentence())
    }
}

/// The progress of a call, for a client that asked for it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Progress {
    pub(crate) done: u32,
    /// The last event, as one line.
    pub(crate) message: String,
}
