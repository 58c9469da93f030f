//! The `topic`, `argument` and `panel` sections: how a question is debated in each style (`docs/debate.md`).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::protocol::debate::consensus::Basis;
use crate::protocol::opening::Opening;

/// As the name of an expert: an agent of a third vendor, if there is one.
pub const AUTO: &str = "auto";

/// As an expert's name: no expert.
pub const NONE: &str = "none";

/// The `topic` section: the dialogue, and what all styles share.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(default)]
pub struct TopicConfig {
    /// The two participants, in order; where the second is not installed, the next agent of another vendor steps in.
    pub participants: Vec<String>,
    /// Who rules when they cannot agree: an agent, `none`, or `auto` for one of a third vendor.
    /// `roles.expert.agent`, and for a panel `roles.judge.agent`, take precedence.
    pub expert: String,
    /// Maximum number of rounds, the expert's included.
    #[schemars(range(min = 1, max = 10))]
    #[schemars(extend("x-project" = "above"))]
    pub max_rounds: u32,
    /// Seconds that a round of the dialogue may take. It then ends with what has arrived.
    #[schemars(range(min = 1, max = 86_400))]
    #[schemars(extend("x-project" = "above"))]
    pub round_timeout_seconds: u64,
    /// Consensus at which a position is adopted.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub consensus_threshold: f64,
    /// Consensus below which an expert is asked; not above `consensus_threshold`.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub expert_threshold: f64,
    /// From round 2 on, below the expert's threshold: a smaller rise is a deadlock.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub deadlock_rise: f64,
    /// What decides: `stance`, or `text` for the formula of the source system.
    pub consensus: Basis,
    /// How the dialogue begins: `sequential`, or `blind` for two first positions that do not know each other.
    pub opening: Opening,
}

section!(TopicConfig, "/topic");

/// The `argument` section: typed arguments.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(default)]
pub struct ArgumentConfig {
    /// Maximum number of rounds.
    #[schemars(range(min = 1, max = 10))]
    #[schemars(extend("x-project" = "above"))]
    pub max_rounds: u32,
    /// Agreement score that counts as consensus.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub consensus_threshold: f64,
}

section!(ArgumentConfig, "/argument");

/// The `panel` section: a council.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(default)]
pub struct PanelConfig {
    /// Who sits in it, in order; empty for all usable agents. With fewer than three, agents hold two seats.
    pub participants: Vec<String>,
    /// Maximum number of cross rounds.
    #[schemars(range(min = 0, max = 5))]
    #[schemars(extend("x-project" = "above"))]
    pub max_rounds: u32,
}

section!(PanelConfig, "/panel");
