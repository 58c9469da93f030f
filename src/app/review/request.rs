//! The request for a review.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::app::change;
use crate::app::run::options::RunOptions;
use crate::config::review::PlatformChoice;
use crate::protocol::review::{Compose, PullRequest, Severity, SuppressionReason};

/// The request for a review: the change, and how to review it.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// A particular question to the reviewers; may be empty.
    pub question: String,
    /// The change to review.
    pub scope: change::Request,
    /// The pull request that the change is, if it is one.
    pub pull_request: Option<PullRequest>,
    /// Findings that were dismissed there, by fingerprint.
    pub dismissed: BTreeMap<String, SuppressionReason>,
    /// The agents in the order of their seats; empty for `debate.default_agents`.
    pub agents: Vec<String>,
    /// Maximum cross-examinations.
    pub max_rounds: Option<u32>,
    /// The confidence, in percent, at which no further round is held.
    pub confidence: Option<u32>,
    /// When the winner composes the result.
    pub compose: Option<Compose>,
    /// The platform whose rules the reviewers get.
    pub platform: Option<PlatformChoice>,
    /// Whether the review is undecided when anything is not reviewed, binary, generated and excluded files included.
    pub strict: bool,
    /// The path for the report, as typed.
    pub out: Option<PathBuf>,
    /// Whether grave findings are tested in a sandbox.
    pub prove: bool,
    /// A remaining finding of this severity or worse makes the exit code 1; `None`: P1.
    pub fail_on: Option<Severity>,
    /// Options common to all runs.
    pub options: RunOptions,
}
