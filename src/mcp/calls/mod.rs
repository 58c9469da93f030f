//! Each tool's arguments become a request of [`crate::app`], and its result an [`Answer`].
//!
//! # Theory of operation
//!
//! ```text
//!   arguments ─ places: where ─┬─ aside: a thread of the pool, for what reads files only
//!                              └─ held: a run, whose thread opens the workspace, asks, and makes the compact result
//! ```
//!
//! A client's numbers and words are those of the request, as the command line makes it too. What of them sets the configuration
//! is judged by the same ranges; errors name the client's field. Budgets, programs, roots and trust are never a
//! client's: nothing of its arguments reaches them.

mod agents;
mod backlog;
mod change;
mod discuss;
mod one;
mod review;
mod session;
mod sessions;
mod topic;

use serde_json::{Map, Value};
use tokio::sync::watch;

use super::answer::{Answer, Progress};
use super::places::AllowedPlaces;
use super::server::Server;
use super::table::{self, NoArguments, ToolCall};
use crate::app::block_on;
use crate::error::Error;
use crate::text::sanitize;

/// Calls a tool; `None`: there is none of this name. Dropped before it is ready, the call is cancelled.
pub(super) async fn call(
    server: &Server,
    name: &str,
    given: Map<String, Value>,
    progress: &watch::Sender<Progress>,
) -> Option<Answer> {
    let tool = table::tool(name)?;
    let answered = match (tool.input.read)(tool, given) {
        Ok(tool_call) => answer(Call { server, progress }, tool_call).await,
        Err(refused) => Err(refused),
    };
    Some(answered.unwrap_or_else(|refused| refused))
}

/// Answers a call whose arguments were read.
async fn answer(call: Call<'_>, tool_call: ToolCall) -> Result<Answer, Answer> {
    // Without them nobody knows what may be spent and read.
    call.server.settings()?;
    match tool_call {
        ToolCall::Agents(NoArguments {}) => agents::list(call.server).await,
        ToolCall::Diff(arguments) => change::read_diff(&call, arguments).await,
        ToolCall::Call(arguments) => one::run_agent(&call, arguments).await,
        ToolCall::Review(arguments) => review::debate_review(&call, arguments).await,
        ToolCall::Outline(arguments) => topic::debate_plan(&call, arguments).await,
        ToolCall::Full(arguments) => review::debate_360(&call, arguments).await,
        ToolCall::Topic(arguments) => topic::debate_topic(&call, arguments).await,
        ToolCall::Backlog(arguments) => backlog::prioritize(&call, arguments).await,
        ToolCall::Discuss(arguments) => discuss::discuss(&call, arguments).await,
        ToolCall::Status(arguments) => sessions::status(&call, arguments).await,
        ToolCall::Result(arguments) => sessions::result(&call, arguments).await,
        ToolCall::Resume(arguments) => sessions::resume(&call, arguments).await,
        ToolCall::Cancel(arguments) => sessions::cancel(&call, arguments).await,
    }
}

/// A call, with what its tool needs besides the arguments.
struct Call<'a> {
    server: &'a Server,
    progress: &'a watch::Sender<Progress>,
}

impl Call<'_> {
    /// Asks where something is, away from the thread that answers: a path may lie on a file system that hangs.
    ///
    /// # Errors
    /// What `ask` says.
    async fn placed<T: Send + 'static>(
        &self,
        ask: impl FnOnce(&AllowedPlaces) -> Result<T, Answer> + Send + 'static,
    ) -> Result<T, Answer> {
        let roots = self.server.settings().map_err(refusal)?.roots.clone();
        let around = self.server.around().clone();
        aside(move || ask(&AllowedPlaces::new(&around, &roots))).await
    }
}

/// Runs something that reads files, away from the thread that answers.
///
/// # Errors
/// What `work` says, or that it broke.
async fn aside<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Answer> + Send + 'static,
) -> Result<T, Answer> {
    super::aside::aside(work).await.unwrap_or_else(|| {
        Err(Answer::Refused("a broken invariant of debate-agent ended the call: a bug; its message stands on the server's standard error".to_owned()))
    })
}

/// The fields that an error of a use case can be about, by the error's name.
const FIELDS: [(&str, &str); 17] = [
    ("unknown_path", "path"),
    ("outside", "path"),
    ("unknown_ref", "base"),
    ("no_merge_base", "base"),
    ("shallow", "base"),
    ("panel", "agents"),
    ("participants", "participants"),
    ("preset", "preset"),
    ("perspectives", "perspectives"),
    ("unknown_agent", "agent"),
    ("artifact", "artifact"),
    ("context", "context"),
    ("opportunities", "opportunities"),
    ("round_id", "round_id"),
    ("role", "role"),
    ("task_id", "task_id"),
    ("expert", "expert"),
];

/// Says an error of a use case to a client: with the field that it is about, and without advice about options, which
/// it has not; what the user alone can do is said to be the user's.
fn refusal(mut error: Error) -> Answer {
    let of = |(code, _): &&(&str, &str)| {
        // `artifact_missing`, `context_not_json`.
        let rest = error.code.strip_prefix(code);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('_'))
    };
    let field = FIELDS.iter().find(of).map(|(_, field)| *field);
    error.hints = if error.code == "untrusted" {
        vec![
            "the user has to look at it, and to run `debate-agent trust` there in a terminal"
                .to_owned(),
        ]
    } else {
        error.hints.iter().filter_map(|hint| advice(hint)).collect()
    };
    let sentence = sanitize::line(&error.sentence(), 4_000);
    match field {
        Some(field) => Answer::field(field, sentence),
        None => Answer::Refused(sentence),
    }
}

/// What is left of a hint: all of it, or the command in it that the user can run. The options of another command line
/// than that help nobody here.
fn advice(hint: &str) -> Option<String> {
    if !hint.contains("--") {
        return Some(hint.to_owned());
    }
    let (_, rest) = hint.split_once("`debate-agent ")?;
    let (command, _) = rest.split_once('`')?;
    Some(format!("only the user can, in a terminal: `debate-agent {command}`"))
}

#[cfg(test)]
mod tests;
