//! `outline`: lays a debate out without asking any agent; with `--run`, runs it as a panel.

use clap::Args;

use super::debate::{MODES, run_debate};
use super::options::{Global, RunArgs};
use super::output::Output;
use super::result::one_stdout;
use super::word::some;
use super::workspace;
use crate::app::outline::{self, Request};
use crate::app::{Caller, Input, topic};
use crate::error::{Error, Kind};
use crate::exit::ExitStatus;
use crate::protocol::debate::Mode;
use crate::protocol::outline::Outline;
use crate::protocol::style::Style;
use crate::report;

#[derive(Debug, Args)]
#[command(after_help = "\
Without --run nobody is asked, and no agent needs to be installed. With it the
debate is held as `debate --style panel` would: the agents answer alone, vote
blind, and meet in as many cross rounds as the outline has rounds; a judge
rules where they cannot settle it. The result is that of `debate`.

Examples:
  debate-agent outline 'Should the cache be write-through?'
  debate-agent outline 'REST or gRPC?' --mode consensus --agents claude,gemini
  debate-agent outline 'One repository or many?' --max-rounds 3 --json
  debate-agent outline 'Which queue?' --agents claude,codex,gemini --run --rehearse")]
pub(crate) struct OutlineArgs {
    /// What is to be debated.
    pub(crate) topic: String,
    /// How it is led (default: `debate.default_mode`, adversarial).
    #[arg(long, value_name = "MODE", value_parser = some(&MODES))]
    pub(crate) mode: Option<Mode>,
    /// Rounds between the positions and the synthesis.
    #[arg(long, alias = "rounds", value_name = "N", default_value_t = 2, allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..=5))]
    pub(crate) max_rounds: u32,
    /// The agents that debate, in order (default: `debate.default_agents`).
    #[arg(long, value_name = "AGENT,...", value_delimiter = ',')]
    pub(crate) agents: Vec<String>,
    /// Hold the debate that is laid out, and print its result.
    #[arg(long)]
    pub(crate) run: bool,
    #[command(flatten)]
    pub(crate) run_args: RunArgs,
}

pub(super) fn outline(
    global: &Global,
    args: OutlineArgs,
    output: &Output,
) -> Result<ExitStatus, Error> {
    if let (false, Some(option)) = (args.run, of_a_run(&args.run_args)) {
        return Err(Error::new(
            Kind::Usage,
            format!("`{option}` applies only to a debate that is held, and an outline asks nobody"),
        )
        .hint("add `--run` to hold it"));
    }
    let request = Request {
        topic: args.topic,
        mode: args.mode,
        rounds: args.max_rounds,
        agents: args.agents,
    };
    let workspace = workspace(global, request.flags(Caller::CommandLine))?;
    let outline = outline::outline(&workspace, &request)?;
    if args.run {
        one_stdout(&args.run_args.call, output)?;
        let request = panel(outline, &args.run_args);
        return run_debate(global, request, (None, false), &args.run_args, output);
    }
    output.either(&outline, ExitStatus::Success, |look| report::outline::render(&outline, look))
}

/// The debate of the outline: its topic, mode and agents, with one cross round per round.
fn panel(outline: Outline, run_args: &RunArgs) -> topic::Request {
    topic::Request {
        style: Some(Style::Panel),
        mode: Some(outline.mode),
        participants: outline.agents,
        max_rounds: Some(outline.rounds),
        run: run_args.options(),
        ..topic::Request::about(Input::typed(&outline.topic))
    }
}

/// Returns a given option that only applies to running a debate.
fn of_a_run(run_args: &RunArgs) -> Option<&'static str> {
    let call = &run_args.call;
    let given = [
        (call.budget.is_some(), "--budget"),
        (call.timeout.is_some(), "--timeout"),
        (call.events.is_some(), "--events"),
        (call.rehearse, "--rehearse"),
        (call.dry_run, "--dry-run"),
        (call.salvage, "--salvage"),
        (run_args.max_parallel.is_some(), "--max-parallel"),
        (run_args.exit_zero, "--exit-zero"),
        (run_args.strict, "--strict"),
        (run_args.no_lock, "--no-lock"),
    ];
    given.into_iter().find_map(|(given, name)| given.then_some(name))
}
