//! Each tool's arguments become a request of [`crate::app`], and its result an [`Answer`].

mod agents;

use tokio::sync::watch;

use super::answer::{Answer, Progress};
use super::arguments::Arguments;
use super::server::Server;
use super::tool::Tool;

/// Answers a call whose arguments were checked.
pub(super) async fn answer(
    server: &Server,
    tool: &'static Tool,
    arguments: Arguments,
    progress: &watch::Sender<Progress>,
) -> Answer {
    match tool.name {
        "list_agents" => agents::list(server).await,
        other => Answer::Refused(format!("`{other}` has no use case: a bug")),
    }
}

/// Runs something that reads files, away from the thread that answers.
async fn aside(work: impl FnOnce() -> Answer + Send + 'static) -> Answer {
    tokio::task::spawn_blocking(work).await.unwrap_or_else(|_| {
        Answer::Refused("a broken invariant of debate-agent ended the call: a bug; its message stands on the server's standard error".to_owned())
    })
}
