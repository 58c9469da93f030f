//! The tools: each with its words, its arguments, how they become a request of [`crate::app`], and its result an
//! [`Answer`].
//!
//! # Theory of operation
//!
//! ```text
//!   arguments ─ places: where ─┬─ aside: a thread of the pool, for what reads files only
//!                              └─ run_session: its thread opens the workspace, asks, and makes the compact result
//! ```
//!
//! A client's numbers and words are those of the request, the same that the command line makes. Those that set the
//! configuration are checked against the same ranges; errors name the client's field. Budgets, programs, roots and
//! trust are out of a client's reach: none of its arguments gets to them.

pub(super) mod agents;
pub(super) mod backlog;
pub(super) mod change;
pub(super) mod discuss;
pub(super) mod one;
pub(super) mod review;
mod session;
pub(super) mod sessions;
pub(super) mod topic;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};
use tokio::sync::watch;

use super::answer::{Answer, Progress};
use super::places::AllowedPlaces;
use super::server::Server;
use super::table;
use super::tool::Tool;
use crate::app::block_on;
use crate::app::facts::{self, FactsRequest};
use crate::error::Error;
use crate::protocol::clarify::Mode;
use crate::protocol::facts::{FACT_CHARS, MAX_FACTS};
use crate::text::sanitize;

/// Calls a tool; `None`: there is no tool of this name. Dropping the future before it is ready cancels the call.
pub(super) async fn call(
    server: &Server,
    name: &str,
    given: Map<String, Value>,
    progress: &watch::Sender<Progress>,
) -> Option<Answer> {
    let tool = table::tool(name)?;
    // Without the settings it is unknown what may be spent and read.
    let answered = match server.settings() {
        Ok(_) => (tool.input.call)(Call { tool, server, progress }, given).await,
        Err(error) => Err(error.into()),
    };
    Some(answered.unwrap_or_else(|refused| refused))
}

/// A call and everything its tool needs beyond the arguments.
pub(super) struct Call<'a> {
    pub(super) tool: &'static Tool,
    server: &'a Server,
    progress: &'a watch::Sender<Progress>,
}

impl Call<'_> {
    /// Resolves a location away from the thread that answers: a path may be on a file system that hangs.
    ///
    /// # Errors
    /// Those of `ask`.
    async fn placed<T: Send + 'static>(
        &self,
        ask: impl FnOnce(&AllowedPlaces) -> Result<T, Answer> + Send + 'static,
    ) -> Result<T, Answer> {
        let roots = self.server.settings().map_err(refusal)?.roots.clone();
        let around = self.server.around().clone();
        aside(move || ask(&AllowedPlaces::new(&around, &roots))).await
    }
}

/// The agents of one debate; default: the configured ones.
#[derive(Debug, Default, Deserialize, JsonSchema)]
struct Agents(
    // A single agent is not a debate, and a panel has at most nine seats.
    #[schemars(length(min = 2, max = 9), inner(length(max = 64)))] Vec<String>,
);

/// What a client's user said of a debate or a plan, and whether it is asked for.
#[derive(Debug, Default, Deserialize, JsonSchema)]
struct Told {
    /// What the user says of it.
    #[serde(default)]
    #[schemars(length(max = MAX_FACTS), inner(length(max = FACT_CHARS)))]
    facts: Vec<String>,
    /// First list missing facts as assumptions: one more call.
    #[serde(default)]
    clarify: bool,
}

impl From<Told> for FactsRequest {
    /// As `--clarify=list`: no client can be asked while a tool runs.
    fn from(Told { facts, clarify }: Told) -> Self {
        Self { stated: Some(facts::listed(&facts)), clarify: clarify.then_some(Mode::List) }
    }
}

/// Runs file-reading work away from the thread that answers.
///
/// # Errors
/// Those of `work`, or a panic in it.
async fn aside<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Answer> + Send + 'static,
) -> Result<T, Answer> {
    super::aside::aside(work).await.unwrap_or_else(|| {
        Err(Answer::Refused("a broken invariant of debate-agent ended the call: a bug; its message is on the server's standard error".to_owned()))
    })
}

/// Codes of errors that are about an argument of another name.
const FIELDS: [(&str, &str); 7] = [
    ("unknown_path", "path"),
    ("outside", "path"),
    ("unknown_ref", "base"),
    ("no_merge_base", "base"),
    ("shallow", "base"),
    ("panel", "agents"),
    ("unknown_agent", "agent"),
];

/// Codes of errors that are about the argument of this name.
const OWN: [&str; 10] = [
    "participants",
    "preset",
    "perspectives",
    "artifact",
    "context",
    "opportunities",
    "round_id",
    "role",
    "task_id",
    "expert",
];

/// Translates an error of a use case for a client: with the field that it is about, and without advice about
/// command-line options, which a client does not have; steps open only to the user are addressed to the user.
fn refusal(mut error: Error) -> Answer {
    let of = |(code, _): &(&str, &str)| {
        // `artifact_missing`, `context_not_json`.
        let rest = error.code.strip_prefix(code);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('_'))
    };
    let mut all = FIELDS.into_iter().chain(OWN.map(|name| (name, name)));
    let field = all.find(of).map(|(_, field)| field);
    error.hints = if error.code == "untrusted" {
        vec![
            "the user has to review it and run `debate-agent trust` there in a terminal".to_owned(),
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

/// The usable part of a hint: all of it, or the command in it that the user can run. Options of another command line
/// than that are useless to a client.
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
