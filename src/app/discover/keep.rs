//! Writes to the backlog: findings, suggested fixes and the debate's decisions, with one atomic write each.

use chrono::{DateTime, Utc};

use super::context::Context;
use crate::app::backlog;
use crate::app::run::signals;
use crate::app::run::workspace::Workspace;
use crate::discovery::features;
use crate::discovery::finding::{AgentName, AgentRun};
use crate::discovery::merge::{MergeResult, merge};
use crate::discovery::store::BacklogError;
use crate::engine::switch::Switch;
use crate::error::backlog_error;
use crate::error::{Error, Kind};
use crate::kernel::{Ended, Halt, Limit, Stop};
use crate::protocol::backlog::model::Opportunity;
use crate::protocol::inquiry::Outcome;

/// Merges the findings into the store. Returns the merge result and all items as this run sees them.
///
/// The ideas of a rehearsal are part of the result but are not stored.
pub(super) fn keep_findings(
    workspace: &Workspace,
    runs: &[AgentRun],
    now: DateTime<Utc>,
    rehearse: bool,
) -> Result<(MergeResult, Vec<Opportunity>), Error> {
    let settings = &workspace.effective.config.discovery;
    let kept = backlog::store(workspace).change(|items| {
        let merged = merge(items, runs, settings, now);
        let mut seen = items.clone();
        merged.apply(&mut seen);
        if rehearse {
            let real: Vec<AgentRun> = (runs.iter())
                .filter(|run| run.agent != AgentName::FeatureOpportunities)
                .cloned()
                .collect();
            merge(items, &real, settings, now).apply(items);
        } else {
            items.clone_from(&seen);
        }
        Ok::<_, BacklogError>((merged, seen))
    });
    kept.map_err(backlog_error)
}

/// Writes suggested fixes to the items that still exist and have none: a later fix is never overwritten.
pub(super) fn keep_fixes(
    workspace: &Workspace,
    outcome: &Outcome,
    rehearse: bool,
) -> Result<(), Error> {
    if rehearse || outcome.result.fixes().next().is_none() {
        return Ok(());
    }
    let now = workspace.env().now();
    backlog::store(workspace)
        .change(|items| {
            for (id, fix) in outcome.result.fixes() {
                let found = items.iter_mut().find(|item| item.opportunity_id == id);
                if let Some(item) = found.filter(|item| item.suggested_fix.is_none()) {
                    item.suggested_fix = Some(fix.to_owned());
                    item.updated_at = now;
                }
            }
            Ok::<_, BacklogError>(())
        })
        .map_err(backlog_error)
}

/// Writes the answers of an inquiry that was resumed, or that ended before its answers were written.
///
/// # Errors
/// The store or the tree cannot be read or written.
pub(crate) async fn keep_answers(
    workspace: &Workspace,
    outcome: &Outcome,
    rehearse: bool,
) -> Result<(), Error> {
    keep_fixes(workspace, outcome, rehearse)?;
    if !rehearse && outcome.result.features().is_some() {
        let (switch, now) = (Switch::default(), workspace.env().now());
        let context = Context::read(workspace, &switch, now);
        let context = signals::during(&workspace.stops, &switch, None, context).await??;
        if let Some(Stop::Cancelled(signal)) = switch.stopped() {
            // The tree was read only in part and does not show what is really there. The session contains the
            // answers.
            let what = "stopped before the answers were written to the backlog";
            return Err(Error::new(Kind::Interrupted(signal), what).hint(
                "`debate-agent sessions resume` on the session writes them, without asking anybody",
            ));
        }
        let run = found(AgentRun::new(AgentName::FeatureOpportunities), outcome, &context);
        keep_findings(workspace, &[run], now, false)?;
    }
    Ok(())
}

/// Turns the analyst's answer into findings. A missing answer is a failure, never "no ideas".
pub(super) fn found(mut agent: AgentRun, outcome: &Outcome, context: &Context<'_>) -> AgentRun {
    if let Some(said) = outcome.result.features() {
        let proposed = features::findings(said, &context.tree);
        // An idea that is not repeated may still be valid, because the analyst is told the known ones. So no source
        // counts as examined.
        agent.findings = proposed.findings;
        agent.warnings.extend(proposed.warnings);
        agent.read.push("a summary of the repository".to_owned());
        return agent;
    }
    let why = match (outcome.outcome, outcome.result.failures.first()) {
        (_, Some((_, failure))) => format!("{}: {}", failure.class.name(), failure.message),
        (Ended::Stopped(Halt::Budget), None) => Limit::Budget.reason().to_owned(),
        (_, None) => "stopped before the analyst answered".to_owned(),
    };
    agent.failed(why)
}
