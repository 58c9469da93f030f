//! What a review is asked for.

use std::path::PathBuf;

use crate::app::change;
use crate::app::run::options::RunOptions;
use crate::protocol::review::Severity;

/// What is to be reviewed, and how.
#[derive(Debug, Clone)]
pub struct Request {
    /// What to look at in particular; may be empty.
    pub question: String,
    /// Which change.
    pub scope: change::Request,
    /// The agents in the order of their seats; empty for `debate.default_agents`.
    pub agents: Vec<String>,
    /// One critique at most, no composition, no validation.
    pub single_round: bool,
    /// No cross-examination.
    pub no_critique: bool,
    /// An earlier result, whose findings are known: the file's name and bytes.
    pub baseline: Option<(String, Vec<u8>)>,
    /// An empty change is no error.
    pub allow_empty: bool,
    /// Where the report goes.
    pub out: Option<PathBuf>,
    /// A remaining finding of this severity or worse makes the exit code 1.
    pub fail_on: Severity,
    /// The rest.
    pub options: RunOptions,
}
