//! How far two sides agree: stances decide, the likeness of the texts is recorded beside (`spec/topic-debate.md`, consensus measure).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::model::{Position, Stances};
use crate::protocol::share::Share;

/// The share of the points, by weight, that need a stance before a consensus counts.
pub const COVERED: Share = Share::thousandths(800);

/// What decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Basis {
    /// The stances.
    #[default]
    Stance,
    /// The likeness of the texts: the formula of the source system.
    Text,
}

/// One measurement, with everything that it was computed from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Check {
    /// What the decision compares: the score of `basis`; `None` where that cannot be computed.
    pub decisive: Option<Share>,
    /// The mean over all points of agree 1, partly 0.5, disagree 0, weighted by importance.
    pub stance_score: Option<Share>,
    /// Keywords and meaning together; `None` where a text cannot be read.
    pub text_score: Option<Share>,
    /// What decides.
    pub basis: Basis,
    /// The share of the points, by weight, that have a stance.
    pub covered: Share,
    /// The parts of `text_score`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<TextParts>,
    /// Where the two signals clash, or the texts contradict each other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub polarity_conflict: Option<Conflict>,
    /// At or above it is consensus.
    pub threshold: Share,
    /// Whether it is consensus.
    pub reached: bool,
}

/// What a text score is made of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TextParts {
    /// The share of keywords that both texts have.
    pub keywords: Share,
    /// The likeness of their meaning.
    pub semantic: Share,
    /// Weight of the keywords, 0.4.
    pub keyword_weight: Share,
    /// Weight of the meaning, 0.6.
    pub semantic_weight: Share,
    /// What measured the meaning: `minilm-128` or `ngram`.
    pub embedding: String,
}

/// How two signals clash.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Conflict {
    /// The texts are alike, and the stances disagree.
    AlikeButOpposed,
    /// The stances agree, and the texts have nothing in common.
    AgreedButUnlike,
    /// One text negates what the other says.
    Negation,
}

/// What is compared.
#[derive(Debug, Clone, Copy)]
pub struct Compared<'a> {
    /// The position whose points were judged.
    pub position: &'a Position,
    /// What the other side thinks of them.
    pub stances: &'a Stances,
    /// The other side's own position.
    pub other: &'a Position,
    /// What decides.
    pub basis: Basis,
    /// At or above it is consensus.
    pub threshold: Share,
}
