//! The options common to all debating commands.

use crate::kernel::Usd;
use crate::words;

/// The options common to all debating commands.
#[derive(Debug, Clone, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub struct RunOptions {
    /// Whether built-in stand-ins play every role.
    pub rehearse: bool,
    /// Whether to refuse every reply that would need normalising.
    pub strict: bool,
    /// Whether to accept complete answers of failed calls.
    pub salvage: bool,
    /// Whether champion and critic may be of one vendor.
    pub allow_same_vendor: bool,
    /// The handling of a call that may have been paid for.
    pub on_ambiguous: OnAmbiguous,
    /// Whether to work without a lock where the file system has none.
    pub no_lock: bool,
    /// The options for sending the result to the configured sinks.
    pub sending: SinkMode,
    /// The budget; overrides the configuration's.
    pub budget: Option<Usd>,
    /// The time limit of one attempt in seconds; overrides the configuration's.
    pub timeout: Option<u64>,
    /// Maximum agents at the same time; overrides the configuration's.
    pub max_parallel: Option<u32>,
    /// Whether to skip the check of the CLIs' logins.
    pub no_check: bool,
    /// Agents for single roles; a later one counts above an earlier one.
    pub roles: Vec<RoleAgent>,
}

/// An agent for a role.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoleAgent {
    /// The role's name in the configuration.
    pub role: &'static str,
    /// The agent's name in the configuration.
    pub agent: String,
    /// The option that named it, for messages.
    pub option: &'static str,
}

words! {
    /// What to do with a call that was cut off by a crash and may have been charged.
    pub enum OnAmbiguous, usually Rerun {
        /// Charge its reservation and make it again, with a warning.
        Rerun = "rerun",
        /// Stop with exit code 4 and let the user decide.
        Fail = "fail",
    }
}

/// The options for sending a run's result to sinks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SinkMode {
    /// Whether nothing is sent.
    pub off: bool,
    /// The issue that the run belongs to.
    pub issue: Option<u64>,
}
