//! `plan`: several agents plan a task, blind to each other; rules merge what they agree on.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use super::change::ScopeArgs;
use super::hold::{self, Format};
use super::options::{Global, PanelArgs};
use super::output::Output;
use super::run::{self, flag};
use super::{block_on, workspace};
use crate::app::planning::{self, Request};
use crate::config::load::Flag;
use crate::error::{Error, Kind};
use crate::exit::ExitStatus;
use crate::report::page::ToPage as _;
use crate::report::plan_result::PlanDocument;

#[derive(Debug, Args)]
#[command(after_help = "\
Each agent plans alone, then judges the others' steps without knowing whose they are.
The best plan is the base; steps of others that were agreed on are added; the program
checks the dependencies. The others then accept or reject each step.

Examples:
  debate-agent plan 'Move the session store to SQLite' --rehearse
  debate-agent plan 'Finish what this branch began' --with-diff --base main
  debate-agent plan - --json < task.md > plan.json")]
pub(crate) struct PlanArgs {
    /// What is to be done; `-` reads it from standard input.
    pub(crate) task: String,
    /// Show the planners the change that differs from HEAD, or that of the scope.
    #[arg(long)]
    pub(crate) with_diff: bool,
    /// With --with-diff: the files and folders to look at; none are all.
    #[arg(value_name = "PATH", requires = "with_diff")]
    pub(crate) paths: Vec<PathBuf>,
    /// Most cross-examinations (default 3).
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..=5))]
    pub(crate) max_rounds: Option<u32>,
    /// Confidence in percent at which no further round is held (default 80).
    #[arg(long, value_name = "PERCENT", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(0..=100))]
    pub(crate) confidence: Option<u32>,
    /// How the result is printed.
    #[arg(long, value_name = "FORMAT")]
    pub(crate) format: Option<Format>,
    /// Write the reports into this directory instead of .debate/.
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    // Behind the others: their headings would stand over what follows them.
    #[command(flatten)]
    pub(crate) scope: ScopeArgs,
    #[command(flatten)]
    pub(crate) panel: PanelArgs,
}

pub(super) fn plan(global: &Global, args: &PlanArgs, output: &Output) -> Result<ExitStatus, Error> {
    let call = &args.panel.hold.call;
    hold::one_result(call, args.format, output)?;
    if args.scope.is_given() && !args.with_diff {
        return Err(Error::new(
            Kind::Usage,
            "a scope is named, but the planners are not shown a change",
        )
        .hint("add --with-diff, or leave the scope out"));
    }
    let workspace = workspace(global, flags(args))?;
    let request = Request {
        task: task(&workspace, &args.task)?,
        scope: (args.with_diff).then(|| args.scope.request(&workspace, &args.paths)).transpose()?,
        agents: args.panel.agents.clone(),
        out: (args.out.as_deref()).map(|out| super::below(&workspace, out)),
        options: run::hold_options(&args.panel.hold),
    };
    hold::warn(&workspace, output);
    if call.dry_run {
        let plan = run::with_trust(&workspace, &request.options, || {
            block_on(planning::dry_run(&workspace, &request))?
        })?;
        return hold::show_plan(&plan, output);
    }
    let finished = run::with_trust(&workspace, &request.options, || {
        let reporters = run::reporters(&workspace, call, None, output)?;
        block_on(planning::plan(&workspace, &request, reporters))?
    })?;
    let status = finished.status.with_exit_zero(args.panel.hold.exit_zero);
    let document = &finished.document;
    let pages =
        hold::Pages { document, render: PlanDocument::render, markdown: PlanDocument::markdown };
    pages.print(args.format, status, call, output)
}

/// Longest task, in bytes: it stands in every prompt.
const MOST_TASK: u64 = 100_000;

/// Reads the task; one that is empty or too long is refused before anybody is asked.
fn task(workspace: &crate::app::workspace::Workspace, given: &str) -> Result<String, Error> {
    let text = if given == "-" {
        let (name, bytes) = run::read_file(workspace, given.as_ref(), MOST_TASK + 1, "a task")?;
        String::from_utf8(bytes)
            .map_err(|_| Error::new(Kind::Input, format!("{name} is not UTF-8")))?
    } else {
        given.to_owned()
    };
    let text = text.trim().to_owned();
    if text.is_empty() {
        return Err(Error::new(Kind::Usage, "the task is empty")
            .hint("say what is to be done: `debate-agent plan 'Add paging to the list'`"));
    }
    if text.len() as u64 > MOST_TASK {
        return Err(Error::new(Kind::Usage, format!("the task is longer than {MOST_TASK} bytes"))
            .hint("put what is long into files, and name them in the task"));
    }
    Ok(text)
}

/// What the command line sets in the configuration.
fn flags(args: &PlanArgs) -> Vec<Flag> {
    let mut flags = run::hold_flags(&args.panel.hold);
    if let Some(rounds) = args.max_rounds {
        flags.push(flag("--max-rounds", ["plan", "max_rounds"], json!(rounds)));
    }
    if let Some(percent) = args.confidence {
        flags.push(flag("--confidence", ["plan", "confidence"], json!(percent)));
    }
    flags
}
