//! Votes on the decisions of a composer or a merge.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Votes on that selection: a JSON object.
pub const VALIDATION: &str = "VALIDATION";

/// One vote of a `VALIDATION` block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ballot {
    /// The id of the composer's decision: the group's id.
    pub id: String,
    /// Whether the decision is right.
    pub approve: bool,
    /// Why.
    pub reason: String,
}

/// A `VALIDATION` block.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ValidationSaid {
    /// One entry a decision; those that are missing are no vote.
    pub votes: Vec<Ballot>,
}

/// The votes on a finding whose keep the validators rejected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct KeepRejected {
    /// Votes for keeping it.
    pub approves: u32,
    /// Votes against keeping it.
    pub rejects: u32,
}
