//! `discover`: finds work, shows it, and asks in a terminal what is to be done with it.

use std::collections::BTreeSet;

use clap::{Args, ValueEnum};
use serde_json::json;

use super::args::{Global, RunArgs};
use super::output::Output;
use super::{block_on, review, run, workspace};
use crate::app::discover::{self, Request};
use crate::discovery::finding::AgentName;
use crate::error::Error;
use crate::exit::ExitStatus;

#[derive(Debug, Args)]
#[command(after_help = "\
What is found is kept in .swarm/backlog (see `debate-agent backlog`). Found again,
an item keeps its id and what you decided about it. More than five open items are
ranked by the partner debate, unless --no-debate.

Examples:
  debate-agent discover                             failing tests, from reports
  debate-agent discover --type all --no-debate      everything; nobody is asked
                                                    but the feature analyst
  debate-agent discover --type quality --rehearse   the whole way for nothing
  debate-agent discover --type test --deep --budget 1.00")]
pub(crate) struct DiscoverArgs {
    /// What to look for; may be given several times [default: test].
    #[arg(long = "type", value_name = "TYPE", value_delimiter = ',')]
    types: Vec<Kind>,
    /// Ask an agent for a suggested fix of each item that is found.
    #[arg(long)]
    deep: bool,
    /// Most items to keep (default 10).
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..=1000))]
    max: Option<u32>,
    /// Hold no debate, however much is found. The feature analyst is asked all the same.
    #[arg(long)]
    no_debate: bool,
    /// Most rounds of the debate (default 3).
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..=20))]
    max_rounds: Option<u32>,
    #[command(flatten)]
    run: RunArgs,
}

/// What to look for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Kind {
    /// Failing tests, from reports or `discovery.test_command`.
    Test,
    /// Branches, pull requests and features that nobody went on with.
    Stalled,
    /// Complex functions, uncovered and long files, modules without tests.
    Quality,
    /// Ideas of an AI CLI.
    Feature,
    /// All of them.
    All,
}

impl Kind {
    fn agents(self) -> Vec<AgentName> {
        match self {
            Self::Test => vec![AgentName::TestFailures],
            Self::Stalled => vec![AgentName::StalledWork],
            Self::Quality => vec![AgentName::CodeQuality],
            Self::Feature => vec![AgentName::FeatureOpportunities],
            Self::All => vec![
                AgentName::TestFailures,
                AgentName::StalledWork,
                AgentName::CodeQuality,
                AgentName::FeatureOpportunities,
            ],
        }
    }
}

pub(super) fn discover(
    global: &Global,
    args: &DiscoverArgs,
    output: &Output,
) -> Result<ExitStatus, Error> {
    run::one_stdout(&args.run.call, output)?;
    let mut flags = run::flags(&args.run)?;
    if let Some(max) = args.max {
        flags.push(run::flag("--max", ["discovery", "max"], json!(max)));
    }
    if let Some(rounds) = args.max_rounds {
        let path = ["backlog", "max_rounds"];
        flags.push(run::flag("--max-rounds", path, json!(rounds)));
    }
    let workspace = workspace(global, flags)?;
    let types: &[Kind] = if args.types.is_empty() {
        &[Kind::Test]
    } else {
        &args.types
    };
    let request = Request {
        agents: (types.iter().flat_map(|kind| kind.agents())).collect::<BTreeSet<_>>(),
        deep: args.deep,
        no_debate: args.no_debate,
        options: run::options(&args.run),
    };
    if args.run.call.dry_run {
        let plan = run::with_trust(&workspace, &request.options, || {
            discover::dry_run(&workspace, &request)
        })?;
        return if output.json {
            output.document(&plan, ExitStatus::Success)
        } else {
            output.result(&crate::report::plan::render(&plan, output.look()))
        };
    }
    let finished = run::with_trust(&workspace, &request.options, || {
        let reporters = run::reporters(&workspace, &args.run.call, None, output)?;
        block_on(discover::discover(&workspace, &request, reporters))?
    })?;
    let document = &finished.document;
    let status = run::show(
        document,
        |look| document.render(look),
        finished.status.with_exit_zero(args.run.exit_zero),
        &args.run.call,
        output,
    )?;
    if args.run.call.events.is_none() && review::wanted(document, output) {
        review::review(&workspace, document, output)?;
    }
    Ok(status)
}
