//! What a review is asked for.

use std::path::PathBuf;

use crate::app::change;
use crate::app::input::Input;
use crate::app::run::options::RunOptions;
use crate::config::review::PlatformChoice;
use crate::protocol::review::Severity;

/// What is to be reviewed, and how.
#[derive(Debug, Clone, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
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
    /// Most cross-examinations.
    pub max_rounds: Option<u32>,
    /// Percent at which no further round is held.
    pub confidence: Option<u32>,
    /// Whose rules reviewers are given.
    pub platform: Option<PlatformChoice>,
    /// Reviewers may read the repository.
    pub read_repo: bool,
    /// An earlier result, whose findings are known.
    pub baseline: Option<Input>,
    /// An empty change is no error.
    pub allow_empty: bool,
    /// Where the report goes, as typed.
    pub out: Option<PathBuf>,
    /// A remaining finding of this severity or worse makes the exit code 1; `None`: P1.
    pub fail_on: Option<Severity>,
    /// The rest.
    pub options: RunOptions,
}
