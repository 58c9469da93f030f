//! The checks of an agent and their results.

use schemars::JsonSchema;
use serde::Serialize;

/// What is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CheckSubject {
    /// Is there a program that may be run?
    Program,
    /// Which version is it?
    Version,
    /// Is it logged in?
    Login,
    /// Does it have the flags that the profile uses?
    Flags,
    /// How much of its vendor's quota was used, as it reported last?
    Quota,
    /// Does it answer?
    Live,
    /// Is there a sandbox for the tests of `review --prove`?
    Sandbox,
    /// Is there a command that runs one test, and does it start in the sandbox?
    Tests,
}

/// How a check ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Good.
    Ok,
    /// Worth knowing; the agent can be used, or nobody can tell.
    Warning,
    /// The agent can't be used.
    Failed,
}

/// One check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Check {
    /// What was looked at.
    pub what: CheckSubject,
    /// How it ended.
    pub status: Status,
    /// What was found.
    pub message: String,
    /// How to fix it; always there when the check failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mend: Option<String>,
}
