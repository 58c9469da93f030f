//! What a tool call comes to: a result, or why nothing was started.

use serde_json::Value;

use crate::error::Error;

/// The answer to a call.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Answer {
    /// The structured content, which is what the tool's output schema says.
    Result(Value),
    /// Nothing came of it: one sentence that says what and why, then how to mend it.
    Refused(String),
}

impl Answer {
    /// Refuses because of a field.
    pub(crate) fn field(name: &str, why: impl std::fmt::Display) -> Self {
        Self::Refused(format!("`{name}`: {why}"))
    }
}

impl From<Error> for Answer {
    fn from(error: Error) -> Self {
        Self::Refused(error.sentence())
    }
}

/// How far a call is, for a client that wants to know.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Progress {
    /// Grows with everything that happens.
    pub(crate) done: u32,
    /// What happened last, as one line.
    pub(crate) message: String,
}
