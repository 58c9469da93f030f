//! `outline`: lays a debate out without asking any agent; with `--run`, runs it as a panel.

use clap::Args;

use super::debate::run_debate;
use super::options::{CallArgs, Global};
use super::output::Output;
use super::workspace;
use crate::app::outline::{self, Request};
use crate::app::{Caller, Input, RunOptions, topic};
use crate::error::{Error, Kind};
use crate::exit::ExitStatus;
use crate::protocol::debate::Style;
use crate::protocol::outline::Outline;
use crate::report;

#[derive(Debug, Args)]
#[command(after_long_help = "\
Without --run nobody is asked, and no agent needs to be installed. With it the
debate is held as `debate --style panel` would: the agents answer alone, vote
blind, and meet in as many cross rounds as the outline has rounds; a judge
rules where they cannot settle it. The result is that of `debate`.

Examples:
  debate-agent outline 'Should the cache be write-through?'
  debate-agent outline 'REST or gRPC?' --set debate.default_mode=consensus --agents claude,gemini
  debate-agent outline 'One repository or many?' --max-rounds 3 --json
  debate-agent outline 'Which queue?' --agents claude,codex,gemini --run --rehearse")]
pub(crate) struct OutlineArgs {
    #[command(flatten)]
    pub(crate) request: Request,
    /// Hold the debate that is laid out, and print its result.
    #[arg(long)]
    pub(crate) run: bool,
    #[command(flatten)]
    pub(crate) options: RunOptions,
    #[command(flatten)]
    pub(crate) call: CallArgs,
}

pub(super) fn outline(
    global: &Global,
    args: OutlineArgs,
    output: &Output,
) -> Result<ExitStatus, Error> {
    if let (false, Some(option)) = (args.run, of_a_run(&args)) {
        return Err(Error::new(
            Kind::Usage,
            format!("`{option}` applies only to a debate that is held, and an outline asks nobody"),
        )
        .hint("add `--run` to hold it"));
    }
    let workspace = workspace(global, args.request.flags(Caller::CommandLine))?;
    let outline = outline::outline(&workspace, &args.request)?;
    if args.run {
        let request = panel(outline, args.options);
        return run_debate(global, request, &args.call, output);
    }
    output.either(&outline, ExitStatus::Success, |look| report::outline::render(&outline, look))
}

/// The debate of the outline: its topic, mode and agents, with one cross round per round.
fn panel(outline: Outline, run: RunOptions) -> topic::Request {
    topic::Request {
        style: Some(Style::Panel),
        mode: Some(outline.mode),
        participants: outline.agents,
        max_rounds: Some(outline.rounds),
        run,
        ..topic::Request::about(Input::words(outline.topic))
    }
}

/// Returns a given option that only applies to running a debate.
fn of_a_run(OutlineArgs { options, call, .. }: &OutlineArgs) -> Option<&'static str> {
    let given = [
        (options.budget.is_some(), "--budget"),
        (options.timeout.is_some(), "--timeout"),
        (options.wait, "--wait"),
        (call.events.is_some(), "--events"),
        (options.rehearse, "--rehearse"),
        (call.dry_run, "--dry-run"),
    ];
    given.into_iter().find_map(|(given, name)| given.then_some(name))
}
