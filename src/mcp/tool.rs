//! The definition of a tool: words, its arguments, and what a call of it does. All of it is constant.

use std::pin::Pin;

use serde_json::{Map, Value};

use super::answer::Answer;
use super::calls::Call;

#[derive(Debug, Clone, Copy)]
pub(crate) struct Tool {
    /// For example `debate_review`.
    pub(crate) name: &'static str,
    pub(crate) title: &'static str,
    /// For the model that decides whether to call it.
    pub(crate) description: &'static str,
    pub(crate) input: Input,
    /// Returns the schema of its structured content.
    pub(crate) output: fn() -> Map<String, Value>,
    /// The effect of a call, for the client's hints.
    pub(crate) effect: Effect,
}

/// The arguments of a tool: one type, for the schema that clients see and for the reading of a call.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Input {
    pub(crate) schema: fn() -> Map<String, Value>,
    /// Reads the arguments of a call, and answers it.
    pub(crate) call: for<'a> fn(Call<'a>, Map<String, Value>) -> Answering<'a>,
}

/// A call on its way.
pub(crate) type Answering<'a> = Pin<Box<dyn Future<Output = Result<Answer, Answer>> + Send + 'a>>;

/// Makes the [`Input`] of a tool: `input!(TopicArguments, debate_topic)`.
macro_rules! input {
    ($arguments:ty, $answer:path) => {
        $crate::mcp::tool::Input {
            schema: $crate::mcp::schema::input::<$arguments>,
            call: |call, given| {
                Box::pin(async move {
                    let taken = $crate::mcp::arguments::read::<$arguments>(call.tool, given)?;
                    $answer(&call, taken).await
                })
            },
        }
    };
}
pub(super) use input;

/// The effect of a tool, as hints to the client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effect {
    Reads,
    /// Asks agents, which costs money, and keeps a session.
    Asks,
    /// Ends a run.
    Stops,
}
