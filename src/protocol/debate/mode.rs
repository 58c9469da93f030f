//! How a debate is led.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::contract::field::Word;

/// How a debate is led.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Each challenges the next.
    Adversarial,
    /// All look for common ground.
    Consensus,
    /// Each builds on the one before.
    Collaborative,
}

impl Mode {
    /// All.
    pub const ALL: [Self; 3] = [Self::Adversarial, Self::Consensus, Self::Collaborative];

    /// Returns the name as it stands in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Adversarial => "adversarial",
            Self::Consensus => "consensus",
            Self::Collaborative => "collaborative",
        }
    }
}

impl Word for Mode {
    const WORDS: &'static [Self] = &Self::ALL;

    fn word(self) -> &'static str {
        self.name()
    }
}
