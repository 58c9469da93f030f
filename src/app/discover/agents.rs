//! Runs the discovery agents of one run concurrently.

use super::context::Context;
use super::inquiry::{self, InquiryResult};
use super::keep::found;
use super::run::{Run, agent_report, of_one_part};
use super::{failures, quality, stalled};
use crate::app::run::afford::Allowance;
use crate::discovery::features;
use crate::discovery::finding::{AgentName, AgentRun};
use crate::error::{Error, Kind};
use crate::protocol::backlog::model::{Opportunity, OpportunityType};
use crate::protocol::inquiry::Question;
use crate::protocol::inquiry::input::MAX_FEATURES;

/// Maximum titles of known features given to the analyst.
const KNOWN: usize = 50;

/// Runs every requested agent. Also returns the analyst's inquiry, if there was one.
///
/// # Errors
/// State that could not be kept. A failed agent is part of the result.
pub(super) async fn look(
    run: &Run<'_>,
    context: &Context<'_>,
    known: &[Opportunity],
) -> Result<(Vec<AgentRun>, Option<InquiryResult>), Error> {
    let wanted = |agent| run.request.agents.contains(&agent);
    let tell = |run_of: Option<AgentRun>| {
        if let Some(agent) = &run_of {
            run.report_agent(&agent_report(agent));
        }
        run_of
    };
    let failures = async {
        if !wanted(AgentName::TestFailures) {
            return None;
        }
        tell(Some(failures::run(context).await))
    };
    let stalled = async {
        if !wanted(AgentName::StalledWork) {
            return None;
        }
        tell(Some(stalled::run(context, context.git.as_ref()).await))
    };
    let quality = async {
        if !wanted(AgentName::CodeQuality) {
            return None;
        }
        let mut agent = quality::run(context).await;
        agent.skipped.extend(context.left_out.iter().cloned());
        tell(Some(agent))
    };
    let ideas = async {
        if !wanted(AgentName::FeatureOpportunities) {
            return Ok((None, None));
        }
        let (agent, asked) = ideas(run, context, known).await?;
        Ok::<_, Error>((tell(Some(agent)), asked))
    };
    let (failures, stalled, quality, ideas) = tokio::join!(failures, stalled, quality, ideas);
    let (ideas, asked) = ideas?;
    let runs = [failures, stalled, quality, ideas];
    Ok((runs.into_iter().flatten().collect(), asked))
}

/// Asks the analyst for feature ideas.
async fn ideas(
    run: &Run<'_>,
    context: &Context<'_>,
    known: &[Opportunity],
) -> Result<(AgentRun, Option<InquiryResult>), Error> {
    let agent = AgentRun::new(AgentName::FeatureOpportunities);
    let config = &run.workspace.effective.config;
    let budget = config.discovery.feature_budget_usd.min(config.limits.budget_usd);
    let tree = context.tree.as_ref().clone();
    let summary = tokio::task::spawn_blocking(move || features::summary(&tree)).await;
    let summary = summary.map_err(|error| {
        Error::new(Kind::Bug, "the reader of the repository stopped unexpectedly").because(error)
    })?;
    if summary.text.is_empty() {
        return Ok((agent.skipped("the repository contains no file to build on"), None));
    }
    let existing = known
        .iter()
        .filter(|item| item.opportunity_type == OpportunityType::FeatureOpportunity)
        .take(KNOWN)
        .map(|item| item.title.clone())
        .collect();
    let question = Question::Features {
        summary: run.workspace.redactor().text(&summary.text),
        existing,
        limit: config.discovery.max.min(MAX_FEATURES),
    };
    let title = "features of this repository".to_owned();
    let asked = inquiry::ask(run, vec![question], title, Allowance::all(budget)).await;
    let asked = match of_one_part(asked)? {
        Ok(asked) => asked,
        Err(error) => return Ok((agent.failed(error.what), None)),
    };
    Ok((found(agent, &asked.outcome, context), Some(asked)))
}
