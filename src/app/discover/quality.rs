//! The code quality agent, off the async runtime.

use std::sync::Arc;

use super::context::Context;
use crate::discovery::finding::{AgentName, AgentRun};
use crate::discovery::quality::{self, MAX_TOTAL_BYTES, Request};

/// Examines the working tree's code and its coverage reports.
pub(crate) async fn run(context: &Context<'_>) -> AgentRun {
    let config = &context.workspace.effective.config;
    let request = Request {
        tree: Arc::clone(&context.tree),
        settings: config.discovery.clone(),
        changed: context.changed.clone(),
        head: context.head,
        debate: Some(context.root.join(&config.paths.debate)),
        budget: MAX_TOTAL_BYTES,
    };
    tokio::task::spawn_blocking(move || quality::look(&request)).await.unwrap_or_else(|error| {
        AgentRun::new(AgentName::CodeQuality)
            .failed(format!("the reading of the sources ended early: {error}"))
    })
}
