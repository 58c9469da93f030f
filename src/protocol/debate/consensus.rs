//! How far two sides agree: stances decide, the likeness of the texts is recorded beside (`spec/topic-debate.md`, consensus measure).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::model::{Point, Position, Stances};
use crate::protocol::share::Share;
use crate::text::similarity::score::{self, TextScore};

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
    /// Whether `other` stands in the answer that `stances` stand in. Where it does not (a joint draft is answered
    /// with stances alone), it is what that side held before, and agreeing to its opposite is a change of mind.
    pub same_answer: bool,
    /// What decides.
    pub basis: Basis,
    /// At or above it is consensus.
    pub threshold: Share,
}

/// What the stances on some points come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tally {
    /// The mean of agree 1, partly 0.5, disagree and no stance 0, weighted by importance.
    pub score: Share,
    /// The share of the points, by weight, that have a stance.
    pub covered: Share,
}

/// Returns what the stances on some points come to; `None` without points. A stance on anything else counts nothing.
pub fn tally(points: &[Point], stances: &Stances) -> Option<Tally> {
    let (mut halves, mut covered, mut whole) = (0, 0, 0);
    for point in points {
        // Outside of 1 to 3 is a reader's mistake; it must not make a point count nothing, or all.
        let weight = u64::from(point.importance.clamp(1, 3));
        whole += weight;
        if let Some(said) = stances.on(&point.id) {
            covered += weight;
            halves += weight * said.stance.halves();
        }
    }
    Some(Tally {
        score: Share::of(halves, 2 * whole)?,
        covered: Share::of(covered, whole)?,
    })
}

/// Measures how far two sides agree.
pub fn check(compared: Compared<'_>) -> Check {
    let tally = tally(&compared.position.points, compared.stances);
    let stance_score = tally.map(|tally| tally.score);
    let covered = tally.map_or(Share::ZERO, |tally| tally.covered);
    let text = score::text_score(&text(compared.position), &text(compared.other));
    let text_score = (text.as_ref()).map(|text| Share::thousandths(text.score));
    let (decisive, enough) = match compared.basis {
        Basis::Stance => (stance_score, covered >= COVERED),
        Basis::Text => (text_score, true),
    };
    Check {
        decisive,
        stance_score,
        text_score,
        basis: compared.basis,
        covered,
        text: text.map(parts),
        polarity_conflict: None,
        threshold: compared.threshold,
        reached: enough && decisive.is_some_and(|decisive| decisive >= compared.threshold),
    }
}

/// Returns what of a position is compared as text: its summary, its claims and their reasons.
fn text(position: &Position) -> String {
    let points = (position.points.iter()).flat_map(|point| [&*point.claim, &*point.reasoning]);
    let mut text = String::new();
    for part in std::iter::once(&*position.summary).chain(points) {
        text.push_str(part);
        text.push('\n');
    }
    text
}

fn parts(score: TextScore) -> TextParts {
    TextParts {
        keywords: Share::thousandths(score.keywords),
        semantic: Share::thousandths(score.semantic),
        keyword_weight: Share::thousandths(score::KEYWORD_WEIGHT),
        semantic_weight: Share::thousandths(score::SEMANTIC_WEIGHT),
        embedding: score.embedding.to_owned(),
    }
}
