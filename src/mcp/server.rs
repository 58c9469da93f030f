//! The server behind the wire: finds the tool, checks the arguments, lets it run.

use serde_json::{Map, Value};
use tokio::sync::watch;

use super::answer::{Answer, Progress};
use super::arguments::Arguments;
use super::calls;
use super::runs::Runs;
use super::table;
use crate::app::workspace::Surroundings;
use crate::protocol::Usd;

/// One server process.
#[derive(Debug)]
pub(crate) struct Server {
    /// Where it was started.
    around: Surroundings,
    runs: Runs,
    /// Built-in stand-ins answer, nobody is asked (`mcp serve --rehearse`).
    rehearse: bool,
}

impl Server {
    pub(crate) fn new(around: Surroundings, rehearse: bool) -> Self {
        Self {
            around,
            runs: Runs::new(Usd::from_micros(10_000_000)),
            rehearse,
        }
    }

    /// Where it was started.
    pub(crate) fn around(&self) -> &Surroundings {
        &self.around
    }

    pub(crate) fn settings(&self) -> Result<crate::config::mcp::McpConfig, crate::error::Error> {
        let workspace = crate::app::workspace::Workspace::open(self.around.clone(), Vec::new())?;
        Ok(workspace.effective.config.mcp.clone())
    }

    /// Whether built-in stand-ins answer.
    pub(crate) fn rehearse(&self) -> bool {
        self.rehearse
    }

    /// The runs, for whoever ends the server.
    pub(crate) fn runs(&self) -> &Runs {
        &self.runs
    }

    /// Calls a tool; `None`: there is none of this name. Dropped before it is ready, the call is cancelled.
    pub(crate) async fn call(
        &self,
        name: &str,
        given: Map<String, Value>,
        progress: &watch::Sender<Progress>,
    ) -> Option<Answer> {
        let tool = table::tool(name)?;
        Some(match Arguments::check(tool, given) {
            Ok(arguments) => calls::answer(self, tool, arguments, progress).await,
            Err(refused) => refused,
        })
    }
}
