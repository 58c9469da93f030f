//! Everything a panel depends on.

use serde::{Deserialize, Serialize};

use crate::protocol::Seated;
use crate::protocol::debate::Brief;

/// A panel's input: the same input and the same replies give the same outcome.
#[derive(Debug, Clone, PartialEq)]
pub struct Input {
    /// What is debated.
    pub brief: Brief,
    /// Who sits in seats `s1`, `s2`, ...; three or more. An agent may hold two.
    pub seats: Vec<Seated>,
    /// Who judges when they cannot settle it.
    pub judge: Judge,
    /// How it is run.
    pub settings: Settings,
    /// The session's boundary around untrusted text.
    pub boundary: String,
    /// The session's seed: the order in which answers are shown comes from it.
    pub seed: u64,
}

/// Who judges what the panel cannot settle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Judge {
    /// Nobody: it stays split.
    Nobody,
    /// An agent in the seat `judge`.
    Named(Seated),
    /// The seat whose vendor has the fewest votes in play: nobody else is there, and the result says so.
    Seat,
}

/// How a panel is run (`spec/topic-debate.md`, section `panel`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settings {
    /// Cross rounds at most; 0 to 5.
    pub max_rounds: u32,
    /// Whether a person is asked for a remark between rounds.
    pub pause: bool,
    /// Whether anything that would be normalised is a defect instead.
    pub strict: bool,
    /// Bytes of one block.
    pub block_bytes: usize,
}
