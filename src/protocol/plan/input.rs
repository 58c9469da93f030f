//! Everything a planning depends on, and what makes an input impossible.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::change::Change;
use crate::kernel::Respondent;
use crate::text::block::BlockLimits;

/// Seats of one planning at most: what they wrote must fit into one prompt.
pub const MAX_SEATS: usize = 8;

/// Bytes of a task at most.
pub const TASK_BYTES: usize = 64 << 10;

/// Cross-examinations at most (`docs/plan.md`, `--max-rounds`).
pub const MAX_ROUNDS: u32 = 5;

/// A planning's input: the same input and the same replies give the same outcome.
#[derive(Debug, Clone, PartialEq)]
pub struct Input {
    /// What is to be planned, in the person's words.
    pub task: String,
    /// The change at hand, if planners are shown one (`--with-diff`).
    pub change: Option<Change>,
    /// Who sits in the panel, in the order of the configuration; at least two, no agent twice.
    pub seats: Vec<Respondent>,
    /// How it is run.
    pub settings: Settings,
    /// The session's boundary around untrusted text.
    pub boundary: String,
    /// The session's seed: the order in which steps are shown comes from it.
    pub seed: u64,
}

/// How a planning is run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settings {
    /// Cross-examinations at most, 1 to [`MAX_ROUNDS`].
    pub max_rounds: u32,
    /// Confidence at which no further round is held, 0 to 100.
    pub confidence: u32,
    /// Whether anything that would be normalised is a defect instead.
    pub strict: bool,
    /// Bytes of one block.
    pub block_bytes: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            max_rounds: 3,
            confidence: 80,
            strict: false,
            block_bytes: BlockLimits::default().block_bytes,
        }
    }
}

/// Why there can be no planning on an input.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InputError {
    /// Nothing is to be planned.
    #[error("the task is empty: say what is to be planned")]
    NoTask,
    /// The task is too long for a prompt.
    #[error(
        "the task has {0} bytes and may have {TASK_BYTES}: put the details into files and name them"
    )]
    TaskTooLong(usize),
    /// One seat cannot examine itself.
    #[error("planning takes 2 to {MAX_SEATS} agents, not {0}")]
    Seats(usize),
    /// Two seats would be one judge.
    #[error("the agent `{0}` sits in the panel twice")]
    Twice(String),
    /// A number out of range.
    #[error("`{name}` must be {range}, not {value}")]
    Setting {
        /// Its name.
        name: &'static str,
        /// What is possible.
        range: String,
        /// What was given.
        value: u32,
    },
}

/// Checks an input before anything is asked.
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
