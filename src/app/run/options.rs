//! The options common to all debating commands.

use crate::kernel::Usd;

/// The options common to all debating commands.
#[derive(Debug, Clone, Default)]
pub struct RunOptions {
    /// Whether built-in stand-ins play every role.
    pub rehearse: bool,
    /// The budget; overrides the configuration's.
    pub budget: Option<Usd>,
    /// The time limit of one attempt in seconds; overrides the configuration's.
    pub timeout: Option<u64>,
    /// Whether limits that name their end are waited for.
    pub wait: bool,
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
