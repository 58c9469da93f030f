//! Agents: the policy for asking one CLI.

pub mod attempts;
