//! `discover`: finds work, shows it, and asks in a terminal what is to be done with it.

use std::collections::BTreeSet;

use serde_json::json;

use super::args::{DiscoverArgs, DiscoverType};
use super::options::Global;
use super::output::Output;
use super::{block_on, hold, run, triage, workspace};
use crate::app::discover::{self, Request};
use crate::discovery::finding::AgentName;
use crate::error::Error;
use crate::exit::ExitStatus;

/// The agents that look for it.
fn agents(kind: DiscoverType) -> Vec<AgentName> {
    match kind {
        DiscoverType::Test => vec![AgentName::TestFailures],
        DiscoverType::Stalled => vec![AgentName::StalledWork],
        DiscoverType::Quality => vec![AgentName::CodeQuality],
        DiscoverType::Feature => vec![AgentName::FeatureOpportunities],
        DiscoverType::All => vec![
            AgentName::TestFailures,
            AgentName::StalledWork,
            AgentName::CodeQuality,
            AgentName::FeatureOpportunities,
        ],
    }
}

pub(super) fn discover(
    global: &Global,
    args: &DiscoverArgs,
    output: &Output,
) -> Result<ExitStatus, Error> {
    hold::one_stdout(&args.run.hold.call, output)?;
    let mut flags = run::flags(&args.run)?;
    if let Some(max) = args.max {
        flags.push(run::flag("--max", ["discovery", "max"], json!(max)));
    }
    if let Some(rounds) = args.max_rounds {
        let path = ["backlog", "max_rounds"];
        flags.push(run::flag("--max-rounds", path, json!(rounds)));
    }
    let workspace = workspace(global, flags)?;
    let types: &[DiscoverType] =
        if args.types.is_empty() { &[DiscoverType::Test] } else { &args.types };
    let request = Request {
        agents: (types.iter().copied().flat_map(agents)).collect::<BTreeSet<_>>(),
        deep: args.deep,
        no_debate: args.no_debate,
        options: run::options(&args.run),
    };
    if args.run.hold.call.dry_run {
        let plan = run::with_trust(&workspace, &request.options, || {
            discover::dry_run(&workspace, &request)
        })?;
        return hold::show_plan(&plan, output);
    }
    let finished = run::with_trust(&workspace, &request.options, || {
        let reporters = run::reporters(&workspace, &args.run.hold.call, None, output)?;
        block_on(discover::discover(&workspace, &request, reporters))?
    })?;
    let document = &finished.document;
    let status = hold::show(
        document,
        |look| document.render(look),
        finished.status.with_exit_zero(args.run.hold.exit_zero),
        &args.run.hold.call,
        output,
    )?;
    if args.run.hold.call.events.is_none() && triage::wanted(document, output) {
        triage::triage(&workspace, document, output)?;
    }
    Ok(status)
}
