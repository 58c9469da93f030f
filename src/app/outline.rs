//! `outline`: lays out a debate for the configured agents. Runs no agent; none needs to be installed.

use crate::app::run::flags::{Caller, Flags};
use crate::app::run::options::RunOptions;
use crate::app::run::workspace::Workspace;
use crate::config::load::Flag;
use crate::error::{Error, Kind};
use crate::protocol::debate::Mode;
use crate::protocol::outline::{self, Outline, OutlineError};

/// The request for an outline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// The topic of the debate.
    pub topic: String,
    /// The mode; `None` for the configuration's `debate.default_mode`.
    pub mode: Option<Mode>,
    /// Rounds between the positions and the synthesis.
    pub rounds: u32,
    /// The agents that debate; empty for the configuration's `debate.default_agents`.
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
    outline::outline(workspace.env().session_id(), &topic, mode, request.rounds, agents).map_err(
        |error| {
            let hint = match &error {
                OutlineError::NoTopic => "for example `debate-agent outline 'REST or gRPC?'`",
                OutlineError::Agents(_) | OutlineError::Twice(_) => {
                    "name them with `--agents claude,codex`, or in `debate.default_agents`"
                }
                OutlineError::Rounds(_) => "`--max-rounds 2` is the default",
            };
            Error::new(Kind::Usage, error.to_string()).hint(hint)
        },
    )
}
