//! `eval`: measures debates on cases whose answers are known.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::format::Format;
use super::options::Global;
use super::output::Output;
use super::{block_on, surroundings};
use crate::app::eval::{self, Request};
use crate::error::Error;
use crate::exit::ExitStatus;
use crate::report::ToPage as _;

#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    after_long_help = "\
Each case runs once, in a repository of its own. What each seat answered alone, all
of them together, most of them, and the whole debate are scored from the stored
session, without further calls. The same command continues where it was stopped.
Your own configuration and --config count, the current project's does not.

Examples:
  debate-agent eval cases --rehearse                 the whole run for free
  debate-agent eval cases --budget 20                for all cases together
  debate-agent eval cases --shard 1/4 --out results  a part, on this machine
  debate-agent eval merge results/shard-*            one table of all parts
  debate-agent eval cases --held-out --format markdown"
)]
pub(crate) struct EvalArgs {
    #[command(subcommand)]
    command: Option<EvalCommand>,
    /// The folder of cases: one folder each, with a case.json.
    #[arg(required = true)]
    cases: Option<PathBuf>,
    #[command(flatten)]
    request: Request,
}

#[derive(Debug, Subcommand)]
enum EvalCommand {
    /// Score the folders of several shards together; nobody is asked.
    Merge {
        /// The folders of the shards.
        #[arg(required = true, value_name = "DIR")]
        folders: Vec<PathBuf>,
    },
}

pub(super) fn eval(global: &Global, args: &EvalArgs, output: &Output) -> Result<ExitStatus, Error> {
    let around = surroundings(global)?;
    let reporters = |name: &str| {
        output.notice(&format!("case {name}"));
        vec![output.reporter()]
    };
    let (document, status) = match &args.command {
        Some(EvalCommand::Merge { folders }) => block_on(eval::merge(&around, folders))??,
        None => {
            let from = around.dir.join(args.cases.as_deref().unwrap_or(&around.dir));
            block_on(eval::run(&around, &from, &args.request, &reporters))??
        }
    };
    match output.format() {
        Format::Markdown => output.result_as(&document.markdown(), status),
        Format::Html => output.result_as(&document.html(), status),
        _ => output.either(&document, status, |look| document.render(look)),
    }
}
