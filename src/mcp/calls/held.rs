//! What all tools that hold a debate have in common: a budget that only the user sets, a thread of its own, and the wait.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::watch;

use super::{aside, block_on, refusal};
use crate::app::RunOptions;
use crate::app::workspace::{Surroundings, Workspace};
use crate::config::key::KeyPath;
use crate::config::load::Flag;
use crate::config::trust::Use;
use crate::error::Error;
use crate::kernel::Usd;
use crate::mcp::answer::{Answer, Progress};
use crate::mcp::hold::hold;
use crate::mcp::runs::{Context, Work};
use crate::mcp::server::Server;
use crate::report::Reporter;

/// A debate that is to be held.
pub(super) struct Held {
    /// The tool that asks for it.
    pub(super) tool: &'static str,
    /// Where.
    pub(super) around: Surroundings,
    /// What the client's arguments set in the configuration.
    pub(super) flags: Vec<Flag>,
    /// Who is asked.
    pub(super) used: Use,
    /// How long the call waits for it.
    pub(super) wait: Duration,
}

impl Held {
    /// Holds it: `work` asks the agents, on the thread of the run.
    pub(super) async fn by<W>(
        self,
        server: &Server,
        progress: &watch::Sender<Progress>,
        work: W,
    ) -> Answer
    where
        W: FnOnce(&Workspace, RunOptions, Vec<Box<dyn Reporter>>) -> Result<Value, Error>
            + Send
            + 'static,
    {
        let Self { tool, around, flags, used, wait } = self;
        let rehearse = server.rehearse();
        let used = if rehearse { Use::Rehearsal } else { used };
        let (checked, first) = (around.clone(), flags.clone());
        let allowed = aside(move || allowed(checked, first, used)).await;
        let most = match allowed {
            Ok(most) => most,
            Err(refused) => return refused,
        };
        let here = around.clone();
        let work: Work = Box::new(move |context: Context| {
            let Context { stops, reporters, budget } = context;
            let mut flags = flags;
            // What the user configured stays what it is, and keeps its trust, unless less is left.
            if budget < most {
                flags.push(flag("mcp.budget_usd", ["limits", "budget_usd"], json!(budget)));
            }
            let options = RunOptions { rehearse, ..RunOptions::default() };
            Workspace::open(around, flags)
                .and_then(|workspace| work(&workspace.stopped_by(stops), options, reporters))
                .map_or_else(refusal, Answer::Result)
        });
        match server.runs().start(tool, here, None, most, work) {
            Ok(run) => hold(run, wait, progress).await,
            Err(refused) => refused,
        }
    }
}

/// The budget of the configuration, after the check that the project may bring it: what is lent to a run is above the
/// project's own word afterwards, and would hide it from that check.
fn allowed(around: Surroundings, flags: Vec<Flag>, used: Use) -> Result<Usd, Answer> {
    let workspace = Workspace::open(around, flags).map_err(refusal)?;
    (workspace.require_trusted_keys(used)).map_err(refusal)?;
    Ok(workspace.effective.config.limits.budget_usd)
}

/// A value that a client's field sets in the configuration, so that an error about it names the field.
pub(super) fn flag<const N: usize>(field: &str, path: [&str; N], value: Value) -> Flag {
    Flag { name: format!("`{field}`"), path: KeyPath::of(path), value }
}

/// How long a client waits.
pub(super) fn seconds(wait: u32) -> Duration {
    Duration::from_secs(wait.into())
}

/// Runs a use case to its end, on this thread.
///
/// # Errors
/// The use case's, or there is no runtime.
pub(super) fn finished<T>(of: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
    block_on(of)?
}
