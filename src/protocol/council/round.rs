//! A council's progress after each round.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How sure the panel was after a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RoundRecord {
    /// 0 for the independent reviews, then the cross-examinations.
    pub round: u32,
    /// 0 to 100.
    pub confidence: u32,
    /// Groups that are settled.
    pub settled: u32,
    /// All groups.
    pub groups: u32,
    /// Turns of this round that were answered.
    pub answered: u32,
    /// Turns of this round that were asked.
    pub asked: u32,
}
