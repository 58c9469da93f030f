//! What every debating command is told besides its input.

use crate::kernel::Usd;
use crate::words;

/// What every debating command is told besides its input.
#[derive(Debug, Clone, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub struct RunOptions {
    /// Built-in stand-ins play every role.
    pub rehearse: bool,
    /// Refuse every reply that would need normalising.
    pub strict: bool,
    /// Take complete answers of failed calls.
    pub salvage: bool,
    /// Champion and critic may be of one vendor.
    pub allow_same_vendor: bool,
    /// What to do with a call that may have been paid.
    pub on_ambiguous: OnAmbiguous,
    /// Work without a lock where there is none.
    pub no_lock: bool,
    /// What of it is sent to the configured sinks.
    pub sending: SinkMode,
    /// Most that may be spent, above the configuration's.
    pub budget: Option<Usd>,
    /// Seconds that one attempt may take, above the configuration's.
    pub timeout: Option<u64>,
    /// Most agents at the same time, above the configuration's.
    pub max_parallel: Option<u32>,
    /// The CLIs are not asked whether they are logged in.
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
    /// What to do with a call that was cut off by a crash and may have been paid.
    pub enum OnAmbiguous, usually Rerun {
        /// Charge its reservation and make it again, with a warning.
        Rerun = "rerun",
        /// Stop with exit code 4 and let the user decide.
        Fail = "fail",
    }
}

/// What of a run is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SinkMode {
    /// Nothing of it.
    pub off: bool,
    /// The issue that it belongs to.
    pub issue: Option<u64>,
}
