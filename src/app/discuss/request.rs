//! What a critique is asked for.

use std::path::PathBuf;

use super::one_line;
use crate::app::run::flags::Caller;
use crate::app::run::options::RunOptions;
use crate::error::Error;
use crate::protocol::discuss::Severity;

/// What is to be criticised, and how.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// Files and folders, as typed; `-` is standard input. None: the preset's.
    pub artifacts: Vec<PathBuf>,
    /// Who reads them; empty for the preset's or the configuration's.
    pub perspectives: Vec<String>,
    /// A round that is known by name.
    pub preset: Option<String>,
    /// What they are checked against.
    pub context: Option<PathBuf>,
    /// The round's id; `None`: made up, or the preset's name.
    pub round_id: Option<String>,
    /// The folder for records and follow-ups, as typed; `None`: among the project's.
    pub folder: Option<PathBuf>,
    /// Do what the policy says about the result.
    pub apply_policy: bool,
    /// Who asks, for the message to a coordinator.
    pub role: Option<String>,
    /// For which task, for the same message.
    pub task_id: Option<String>,
    /// The severity from which on the answer is "no"; `None`: medium.
    pub fail_on: Option<Severity>,
    /// The rest.
    pub run: RunOptions,
}

impl Request {
    /// Refuses what cannot be meant, before anything is read.
    ///
    /// # Errors
    /// Role or task are blank, longer than 64 bytes, or hold control characters; the error names them as their caller does.
    pub fn check(&self, caller: Caller) -> Result<(), Error> {
        one_line(caller, "role", self.role.as_deref())?;
        one_line(caller, "task_id", self.task_id.as_deref())
    }
}
