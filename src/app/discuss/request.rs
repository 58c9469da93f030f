//! The request for a critique.

use std::path::PathBuf;

use super::one_line;
use crate::app::run::flags::Caller;
use crate::app::run::options::RunOptions;
use crate::error::Error;
use crate::protocol::discuss::Severity;

/// The request for a critique: the artifact, and how to criticise it.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// The file as typed; `-` is standard input. `None` for the preset's artifact.
    pub artifact: Option<PathBuf>,
    /// The perspectives; empty for the preset's or the configuration's.
    pub perspectives: Vec<String>,
    /// The name of a preset.
    pub preset: Option<String>,
    /// The file to check the artifact against.
    pub context: Option<PathBuf>,
    /// The round's id; `None` for the preset's name or a generated one.
    pub round_id: Option<String>,
    /// The folder for records and follow-ups, as typed; `None` for the project's own.
    pub folder: Option<PathBuf>,
    /// Whether to carry out the policy's follow-up.
    pub apply_policy: bool,
    /// The caller's role, for the message to a coordinator.
    pub role: Option<String>,
    /// The task's id, for the same message.
    pub task_id: Option<String>,
    /// The minimum severity for a negative answer; `None`: medium.
    pub fail_on: Option<Severity>,
    /// Options common to all runs.
    pub run: RunOptions,
}

impl Request {
    /// Refuses invalid values before anything is read.
    ///
    /// # Errors
    /// The role or the task is blank, longer than 64 bytes, or contains control characters; the error uses the
    /// caller's own name for the field.
    pub fn check(&self, caller: Caller) -> Result<(), Error> {
        one_line(caller, "role", self.role.as_deref())?;
        one_line(caller, "task_id", self.task_id.as_deref())
    }
}
