//! The request for a critique.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Deserialize;

use super::one_line;
use crate::app::run::flags::Caller;
use crate::app::run::options::RunOptions;
use crate::error::Error;
use crate::protocol::discuss::Severity;

/// The request for a critique: the artifact, and how to criticise it.
///
/// A client's paths are resolved first, so that no tool reads one from its arguments.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
pub struct Request {
    /// The file as typed; `-` is standard input. `None` for the preset's artifact.
    #[serde(skip)]
    pub artifact: Option<PathBuf>,
    /// product, technical, quality, risk, coverage, or others.
    #[serde(default)]
    #[schemars(length(max = 9), inner(length(max = 64)))]
    pub perspectives: Vec<String>,
    /// A configured round: DISCUSS-002.
    #[schemars(length(max = 64))]
    pub preset: Option<String>,
    /// The file to check the artifact against.
    #[serde(skip)]
    pub context: Option<PathBuf>,
    /// Names the record.
    #[schemars(length(max = 56))]
    pub round_id: Option<String>,
    /// The folder for records and follow-ups, as typed; `None` for the project's own.
    #[serde(skip)]
    pub folder: Option<PathBuf>,
    /// Write what the verdict requires into the session folder.
    #[serde(default)]
    pub apply_policy: bool,
    /// Who asks.
    pub role: Option<String>,
    /// Its task.
    pub task_id: Option<String>,
    /// The minimum severity for a negative answer; `None`: medium.
    #[serde(skip)]
    pub fail_on: Option<Severity>,
    /// Options common to all runs.
    #[serde(skip)]
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
