//! The stages of a protocol, for people who watch.

use super::task_of;

/// A stage: turns of one task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stage {
    /// The task in the ids of its turns, as in `r2/cross/s1`; empty for every task without a stage of its own.
    pub task: &'static str,
    /// What it is called: `cross-examination`.
    pub name: &'static str,
    /// What a seat does in it: `judges the others' findings`.
    pub verb: &'static str,
}

impl Stage {
    pub const fn new(task: &'static str, name: &'static str, verb: &'static str) -> Self {
        Self { task, name, verb }
    }

    /// Returns the stage of a turn.
    pub fn of<'a>(stages: &'a [Self], turn: &str) -> Option<&'a Self> {
        let task = task_of(turn);
        stages.iter().find(|stage| stage.task == task || stage.task.is_empty())
    }
}
