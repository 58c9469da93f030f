//! `outline`: lays a debate out, without asking anybody.

use clap::{Args, ValueEnum};
use serde_json::json;

use super::options::Global;
use super::output::Output;
use super::run::flag;
use super::workspace;
use crate::app::outline::{self, Request};
use crate::error::Error;
use crate::exit::ExitStatus;
use crate::protocol::outline::Mode;
use crate::report;

#[derive(Debug, Args)]
#[command(after_help = "\
Nobody is asked, and no agent needs to be installed.

Examples:
  debate-agent outline 'Should the cache be write-through?'
  debate-agent outline 'REST or gRPC?' --mode consensus --agents claude,gemini
  debate-agent outline 'One repository or many?' --rounds 3 --json")]
pub(crate) struct OutlineArgs {
    /// What is to be debated.
    pub(crate) topic: String,
    /// How it is led (default: `debate.default_mode`, adversarial).
    #[arg(long, value_name = "MODE")]
    pub(crate) mode: Option<ModeArg>,
    /// Rounds between the positions and the synthesis.
    #[arg(long, value_name = "N", default_value_t = 2, allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..=5))]
    pub(crate) rounds: u32,
    /// Who debates, in this order (default: `debate.default_agents`).
    #[arg(long, value_name = "AGENT,...", value_delimiter = ',')]
    pub(crate) agents: Vec<String>,
}

/// How a debate is led.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ModeArg {
    /// Each agent challenges the next.
    Adversarial,
    /// All agents look for common ground.
    Consensus,
    /// Each agent builds on the one before.
    Collaborative,
}

impl From<ModeArg> for Mode {
    fn from(mode: ModeArg) -> Self {
        match mode {
            ModeArg::Adversarial => Self::Adversarial,
            ModeArg::Consensus => Self::Consensus,
            ModeArg::Collaborative => Self::Collaborative,
        }
    }
}

pub(super) fn outline(
    global: &Global,
    args: OutlineArgs,
    output: &Output,
) -> Result<ExitStatus, Error> {
    let path = ["debate", "default_agents"];
    let flags = match &args.agents[..] {
        [] => Vec::new(),
        agents => vec![flag("--agents", path, json!(agents))],
    };
    let workspace = workspace(global, flags)?;
    let request = Request {
        topic: args.topic,
        mode: args.mode.map(Mode::from),
        rounds: args.rounds,
    };
    let outline = outline::outline(&workspace, &request)?;
    if output.json {
        return output.document(&outline, ExitStatus::Success);
    }
    output.result(&report::outline::render(&outline, output.look()))
}
