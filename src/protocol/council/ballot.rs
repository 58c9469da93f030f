//! The votes on decisions of a composer or a merge.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The votes on a finding that the validators voted against keeping.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RejectedKeepVotes {
    /// Votes for keeping it.
    pub approves: u32,
    /// Votes against keeping it.
    pub rejects: u32,
}
