//! Everything a review depends on.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::model::SuppressionReason;
use crate::change::Change;
use crate::kernel::Respondent;

/// A review's input: the same input and the same replies give the same outcome.
#[derive(Debug, Clone, PartialEq)]
pub struct Input {
    /// What the person asks to look at in particular; empty for nothing.
    pub question: String,
    /// What is reviewed.
    pub change: Change,
    /// The platform's and the project's rules for reviewers, as Markdown; may be empty.
    pub rules: Rules,
    /// Findings that are not raised again, by fingerprint.
    pub known: BTreeMap<String, SuppressionReason>,
    /// Who sits in the panel, in the order of the configuration; at least two, no agent twice.
    pub seats: Vec<Respondent>,
    /// How it is run.
    pub settings: Settings,
    /// The session's boundary around untrusted text.
    pub boundary: String,
    /// The session's seed: the order in which findings are shown comes from it.
    pub seed: u64,
}

/// Rules that reviewers are given besides their skill.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Rules {
    /// Of the platforms, our own words.
    pub platform: String,
    /// The project's guidelines, from a file that is trusted; untrusted ones never get here.
    pub guidelines: String,
}

/// How a review is run.
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settings {
    /// One critique at most, no composition and no validation.
    pub single_round: bool,
    /// Whether findings are cross-examined at all.
    pub critique: bool,
    /// Cross-examinations at most, 1 to 5.
    pub max_rounds: u32,
    /// Confidence at which no further round is held, 0 to 100.
    pub confidence: u32,
    /// Whether reviewers can read the repository.
    pub read_repo: bool,
    /// Whether anything that would be normalised is a defect instead.
    pub strict: bool,
    /// Bytes of one block.
    pub block_bytes: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            single_round: false,
            critique: true,
            max_rounds: 3,
            confidence: 80,
            read_repo: false,
            strict: false,
            block_bytes: 1 << 20,
        }
    }
}
