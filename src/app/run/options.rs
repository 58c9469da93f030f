//! The options common to all debating commands.

use clap::Args;

use crate::app::number::setting;
use crate::kernel::Usd;

/// The options common to all debating commands.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Run options")]
pub struct RunOptions {
    /// Maximum to spend, in US dollars.
    #[arg(long, value_name = "USD", help_heading = None, allow_negative_numbers = true)]
    pub budget: Option<Usd>,
    /// Play it with stand-ins: nobody is asked.
    #[arg(long, help_heading = None)]
    pub rehearse: bool,
    /// Time limit of one attempt in seconds, over every configured one.
    #[arg(long, value_name = "SECONDS", hide_short_help = true, allow_negative_numbers = true, value_parser = setting::<u64>("limits.timeout_seconds"))]
    pub timeout: Option<u64>,
    /// Wait for limits that name their end, however long that takes.
    #[arg(long, hide_short_help = true)]
    pub wait: bool,
    /// Agents for single roles; a later one counts above an earlier one.
    #[arg(skip)]
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
