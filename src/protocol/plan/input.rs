//! The input of a planning, and its checks.

use std::collections::BTreeSet;

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};

use super::repository::Repository;
use crate::change::Change;
use crate::kernel::Respondent;
use crate::protocol::context::ContextFile;
use crate::protocol::facts::Facts;
use crate::protocol::prompt::Prompts;

/// Maximum number of seats of a planning: their steps must fit into one prompt.
pub(crate) const MAX_SEATS: usize = 8;

pub(crate) const TASK_BYTES: usize = 64 << 10;

/// Maximum number of cross-examinations (`docs/plan.md`, `--max-rounds`).
pub(crate) const MAX_ROUNDS: u32 = 5;

/// A planning's input: the same input and the same replies give the same outcome.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Input {
    /// The task to be planned, in the user's words.
    pub task: String,
    /// What the person who asked says about the task, and what is assumed (`--facts`).
    pub facts: Facts,
    /// The current change, if planners are shown one (`--with-diff`).
    pub change: Option<Change>,
    /// The files of the repository; `None` outside of one.
    pub repository: Option<Repository>,
    /// Files that all planners are shown (`--file`).
    pub context: Vec<ContextFile>,
    /// The panel, in the order of the configuration: at least two agents, none twice.
    pub seats: Vec<Respondent>,
    pub settings: Settings,
    pub prompts: Prompts,
    /// The session's seed, which determines the order in which steps are shown.
    pub seed: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Settings {
    /// Maximum number of cross-examinations, 1 to [`MAX_ROUNDS`].
    pub max_rounds: u32,
    /// The confidence at which no further round is run, 0 to 100.
    pub confidence: u32,
    /// Whether planners may read the repository with read-only tools (`plan.read_repo`).
    pub read_repo: bool,
    /// The date on which the session was opened, which its agents are told.
    pub today: Option<NaiveDate>,
}

#[cfg(test)]
impl Default for Settings {
    fn default() -> Self {
        Self { max_rounds: 3, confidence: 80, read_repo: false, today: None }
    }
}

/// The reason why an input cannot be planned.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum InputError {
    #[error("the task is empty: say what should be planned")]
    NoTask,
    #[error(
        "the task has {0} bytes, over the limit of {TASK_BYTES}: put the details into files and mention them"
    )]
    TaskTooLong(usize),
    #[error("planning takes 2 to {MAX_SEATS} agents, not {0}")]
    Seats(usize),
    #[error("the agent `{0}` is in the panel twice")]
    Twice(String),
    #[error("`{name}` must be {range}, not {value}")]
    Setting { name: &'static str, range: String, value: u32 },
}

pub(super) fn check(input: &Input) -> Result<(), InputError> {
    if input.task.trim().is_empty() {
        return Err(InputError::NoTask);
    }
    if input.task.len() > TASK_BYTES {
        return Err(InputError::TaskTooLong(input.task.len()));
    }
    if !(2..=MAX_SEATS).contains(&input.seats.len()) {
        return Err(InputError::Seats(input.seats.len()));
    }
    let mut agents = BTreeSet::new();
    if let Some(seat) = (input.seats.iter()).find(|seat| !agents.insert(&seat.agent)) {
        return Err(InputError::Twice(seat.agent.clone()));
    }
    let range = |name, value, least: u32, most: u32| {
        if (least..=most).contains(&value) {
            return Ok(());
        }
        let range = format!("{least} to {most}");
        Err(InputError::Setting { name, range, value })
    };
    range("max_rounds", input.settings.max_rounds, 1, MAX_ROUNDS)?;
    range("confidence", input.settings.confidence, 0, 100)
}
