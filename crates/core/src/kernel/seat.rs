//! A seat in a result: who held it, and whether it answered.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The agent name and vendor of a person. A person has no program, costs nothing, and never counts as a second
/// vendor; no configured agent may have this name.
pub const HUMAN: &str = "human";

/// How a seat's attendance ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SeatStatus {
    /// It answered every time it was asked; in a code review, a review of it counts.
    Answered,
    /// It was asked and had no valid reply.
    Failed,
    /// Another agent answered for it at least once.
    FellBack,
    /// It was asked, and has not answered: its call was cut off, or is still running.
    Asked,
    /// It was never asked.
    Skipped,
}

/// A role's place in the panel and whether it answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Seat {
    /// `champion`, `critic`, `moderator`.
    pub role: String,
    /// The agent's name.
    pub agent: String,
    /// Its vendor.
    pub vendor: String,
    /// Whether it answered.
    pub status: SeatStatus,
    /// Why not: class and message. In a code review also beside an answer: which turns of it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
    /// Who answered instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fell_back_to: Option<String>,
}
