//! The common part of all tools that run a debate: a budget that only the user sets, a thread per run, and the wait.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Call, aside, block_on, refusal};
use crate::app::workspace::{StartContext, Workspace};
use crate::app::{Caller, UseCase};
use crate::config::key::KeyPath;
use crate::config::load::Flag;
use crate::config::trust::AgentUse;
use crate::error::Error;
use crate::kernel::Usd;
use crate::mcp::answer::Answer;
use crate::mcp::runs::{Context, RunTask};
use crate::mcp::wait::wait_for;

impl Call<'_> {
    /// Runs a client's request on the thread of a run and waits for it; `answer` turns its result into the client's
    /// answer.
    ///
    /// # Errors
    /// The reason why the run cannot start.
    pub(super) async fn run_session<R, A>(
        &self,
        around: StartContext,
        mut request: R,
        wait: Option<Wait>,
        answer: A,
    ) -> Result<Answer, Answer>
    where
        R: UseCase + Send + 'static,
        A: FnOnce(&Workspace, Result<R::Output, Error>) -> Result<Value, Error> + Send + 'static,
    {
        let rehearse = self.server.rehearse();
        request.options().rehearse = rehearse;
        request.check(Caller::Client).map_err(refusal)?;
        let mut flags = request.flags(Caller::Client);
        let used = if rehearse { AgentUse::Rehearsal } else { R::USE };
        let (checked, first) = (around.clone(), flags.clone());
        let most = aside(move || allowed(checked, first, used)).await?;
        let here = around.clone();
        let work: RunTask = Box::new(move |context: Context| {
            let Context { stops, reporters, budget } = context;
            // The user's configured budget and its trust stay as they are, unless less is left.
            if budget < most {
                let path = KeyPath::of(["limits", "budget_usd"]);
                flags.push(Flag {
                    name: "`mcp.budget_usd`".to_owned(),
                    path,
                    value: json!(budget),
                });
            }
            Workspace::open(around, flags)
                .and_then(|workspace| {
                    let workspace = workspace.stopped_by(stops);
                    let read = request.read(&workspace);
                    let ended = read.and_then(|()| block_on(request.run(&workspace, reporters))?);
                    answer(&workspace, ended)
                })
                .map_or_else(refusal, Answer::Result)
        });
        let run = self.server.runs().start(self.tool.name, here, None, most, work)?;
        Ok(wait_for(run, seconds(wait), self.progress).await)
    }
}

/// The budget of the configuration, after the check that the project may set it: the amount lent to a run overrides
/// the project's own value afterwards, and would hide it from that check.
fn allowed(around: StartContext, flags: Vec<Flag>, used: AgentUse) -> Result<Usd, Answer> {
    let workspace = Workspace::open(around, flags).map_err(refusal)?;
    (workspace.require_trusted_keys(used)).map_err(refusal)?;
    Ok(workspace.effective.config.limits.budget_usd)
}

/// Wait this many seconds (default 45), then poll.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
pub(super) struct Wait(#[schemars(range(max = 3_600))] pub(super) u32);

/// Returns how long a call waits. Common clients give up after 60 s.
pub(super) fn seconds(wait: Option<Wait>) -> Duration {
    Duration::from_secs(wait.map_or(45, |Wait(seconds)| seconds).into())
}
