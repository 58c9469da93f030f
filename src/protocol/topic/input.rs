//! Everything a dialogue depends on.

use serde::{Deserialize, Serialize};

use crate::protocol::Seated;
use crate::protocol::debate::Brief;
use crate::protocol::debate::consensus::Basis;
use crate::protocol::share::Share;

/// A dialogue's input: the same input and the same replies give the same outcome.
#[derive(Debug, Clone, PartialEq)]
pub struct Input {
    /// What is debated.
    pub brief: Brief,
    /// Who proposes.
    pub proposer: Seated,
    /// Who reviews.
    pub reviewer: Seated,
    /// Who rules when they cannot agree; `None` for nobody.
    pub expert: Option<Seated>,
    /// How it is run.
    pub settings: Settings,
    /// The session's boundary around untrusted text.
    pub boundary: String,
    /// The session's seed.
    pub seed: u64,
}

/// How a dialogue is run (`spec/topic-debate.md`, section `topic`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settings {
    /// Rounds at most, the expert's included; 1 to 10.
    pub max_rounds: u32,
    /// At or above it a position is adopted.
    pub consensus_threshold: Share,
    /// Below it an expert is asked; between the two it is `partial`.
    pub expert_threshold: Share,
    /// From round 2 on: below the expert's threshold, a rise by less than this is a deadlock.
    pub deadlock_rise: Share,
    /// What decides.
    pub consensus: Basis,
    /// Whether a person is asked for a remark between rounds.
    pub pause: bool,
    /// Whether anything that would be normalised is a defect instead.
    pub strict: bool,
    /// Bytes of one block.
    pub block_bytes: usize,
}
