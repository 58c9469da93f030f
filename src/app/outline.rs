//! `outline`: lays out a debate for the configured agents. Runs no agent; none needs to be installed.

use clap::Args;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::app::run::flags::{Caller, Flags};
use crate::app::run::options::RunOptions;
use crate::app::run::workspace::Workspace;
use crate::config::load::Flag;
use crate::error::{Error, Kind};
use crate::protocol::debate::Mode;
use crate::protocol::outline::{self, Outline, OutlineError};

/// The request for an outline.
#[derive(Debug, Clone, PartialEq, Eq, Args, Deserialize, JsonSchema)]
pub struct Request {
    /// What is to be debated.
    pub topic: String,
    /// How it is conducted; default: as configured.
    #[arg(skip)]
    pub mode: Option<Mode>,
    /// Rounds between the positions and the synthesis (default 2).
    #[arg(long = "max-rounds", value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..=5))]
    #[schemars(description = "Rounds before the synthesis (default 2).", range(min = 1, max = 5))]
    pub rounds: Option<u32>,
    /// The agents that debate, in order (default: `debate.default_agents`).
    #[arg(long, value_name = "AGENT,...", value_delimiter = ',')]
    #[serde(default)]
    #[schemars(description = "The agents, in order; default: the configured ones.")]
    #[schemars(length(min = 2, max = 9), inner(length(max = 64)))]
    pub agents: Vec<String>,
}

impl Request {
    /// Returns the settings that it makes in the configuration.
    pub fn flags(&self, caller: Caller) -> Vec<Flag> {
        let mut flags = Flags::of(caller, &RunOptions::default());
        let agents = Some(&self.agents).filter(|agents| !agents.is_empty());
        flags.set("agents", ["debate", "default_agents"], agents);
        flags.all
    }
}

/// Returns the outline of a debate.
pub fn outline(workspace: &Workspace, request: &Request) -> Result<Outline, Error> {
    let debate = &workspace.effective.config.debate;
    let mode = (request.mode).unwrap_or(debate.default_mode);
    let agents = debate.default_agents.clone();
    let topic = workspace.redactor().text(&request.topic);
    let rounds = request.rounds.unwrap_or(2);
    outline::outline(workspace.env().session_id(), &topic, mode, rounds, agents).map_err(|error| {
        let (code, hint) = match &error {
            OutlineError::NoTopic => {
                ("usage", "for example `debate-agent outline 'REST or gRPC?'`")
            }
            OutlineError::Agents(_) | OutlineError::Twice(_) => {
                ("panel", "name them with `--agents claude,codex`, or in `debate.default_agents`")
            }
            OutlineError::Rounds(_) => ("usage", "`--max-rounds 2` is the default"),
        };
        Error::new(Kind::Usage, error.to_string()).named(code).hint(hint)
    })
}
