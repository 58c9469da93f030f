//! Consensus between two sides: stances decide, the likeness of the texts is recorded (`docs/debate.md`, consensus
//! measure).
//!
//! # Theory of operation
//!
//! A check looks at the points of one position, at the other side's stance on each, and at the texts of both sides'
//! positions (summary, claims, reasons).
//!
//! *The stance score* is the mean over all points of agree 1, partly 0.5 and disagree 0, each weighted by the point's
//! importance. A point without a stance counts as disagree; a stance on anything else is ignored. *Covered* is the
//! share of the points that have a stance, by the same weights: below 80% there is no consensus, whatever the score.
//!
//! *The text score* is 0.4 times the share of keywords in both texts plus 0.6 times the likeness of their meaning
//! ([`score::text_score`]); there is none if a text cannot be read. It distinguishes one subject from another, but
//! not an opinion from its contrary.
//!
//! *A conflict* is a contradiction between stances and texts. The first that applies is recorded:
//!
//! | conflict | condition | stops a consensus by text (by stances: none) |
//! |---|---|---|
//! | `alike_but_opposed` | the text score is 0.70 or more (by text: or reaches the threshold) and the stance score is below 0.5 | yes |
//! | `agreed_but_unlike` | the stance score reaches the threshold and the text score is below 0.195 | yes; honest paraphrases may look like it |
//!
//! All numbers are whole thousandths, rounded down before they are compared: rounding never lifts a score to a
//! threshold.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::model::{Point, Position, Stances};
use crate::kernel::share::Share;
use crate::text::similarity::score::{self, TextScore};
use crate::words;

/// The minimum share of the points, by weight, that need a stance for a consensus.
pub const COVERED: Share = Share::thousandths(800);

/// Text score from which on texts are alike (`docs/debate.md`, `conflict`).
pub const ALIKE: Share = Share::thousandths(700);

/// Text score below which texts are unlike: half-way between the most alike unrelated pair of the fitting half (0.14)
/// and its least alike paraphrase (0.25; `crates/core/src/text/embedding/README.md`).
pub const UNLIKE: Share = Share::thousandths(195);

/// Stance score below which stances are opposed.
const OPPOSED: Share = Share::thousandths(500);

words! {
    /// What decides.
    #[derive(Hash)]
    pub enum Basis, usually Stance {
        /// The stances.
        Stance = "stance",
        /// The similarity of the texts: the formula of the source system.
        Text = "text",
    }
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
    pub conflict: Option<Conflict>,
    /// At or above this, there is consensus.
    pub threshold: Share,
    /// Whether it is consensus.
    pub reached: bool,
}

/// What a text score is made of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TextParts {
    /// The share of keywords that both texts have.
    pub keywords: Share,
    /// The similarity of their meaning.
    pub semantic: Share,
    /// Weight of the keywords, 0.4.
    pub keyword_weight: Share,
    /// Weight of the meaning, 0.6.
    pub semantic_weight: Share,
    /// What measured the meaning: `minilm-128`.
    pub embedding: String,
}

/// How two signals clash.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Conflict {
    /// The texts are alike, but the stances disagree.
    AlikeButOpposed,
    /// The stances agree, but the texts have nothing in common.
    AgreedButUnlike,
}

impl Conflict {
    pub const fn sentence(self) -> &'static str {
        match self {
            Self::AlikeButOpposed => {
                "the two texts are alike, but the stances disagree: read what they disagree on before you trust either"
            }
            Self::AgreedButUnlike => {
                "the stances agree, but the two texts have little in common: check whether both mean the same"
            }
        }
    }
}

/// The two sides to compare, and the terms of the comparison.
#[derive(Debug, Clone, Copy)]
pub struct Comparison<'a> {
    /// The position whose points were judged.
    pub position: &'a Position,
    /// The other side's stances on them.
    pub stances: &'a Stances,
    /// The other side's own position.
    pub other: &'a Position,
    /// The score that decides.
    pub basis: Basis,
    /// The score at or above which there is consensus.
    pub threshold: Share,
}

/// The result of the stances on some points.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tally {
    /// The mean of agree 1, partly 0.5, disagree and no stance 0, weighted by importance.
    pub score: Share,
    /// The share of the points, by weight, that have a stance.
    pub covered: Share,
}

/// Returns the result of the stances on some points; `None` without points. A stance on anything else is ignored.
pub fn tally(points: &[Point], stances: &Stances) -> Option<Tally> {
    let (mut halves, mut covered, mut whole) = (0, 0, 0);
    for point in points {
        // A value outside 1 to 3 is a reader's mistake; it must not make a point count for nothing, or for
        // everything.
        let weight = u64::from(point.importance.clamp(1, 3));
        whole += weight;
        if let Some(said) = stances.on(&point.id) {
            covered += weight;
            halves += weight * said.stance.halves();
        }
    }
    Some(Tally { score: Share::of(halves, 2 * whole)?, covered: Share::of(covered, whole)? })
}

/// Measures the agreement of two sides.
pub fn check(compared: Comparison<'_>) -> Check {
    let tally = tally(&compared.position.points, compared.stances);
    let stance_score = tally.map(|tally| tally.score);
    let covered = tally.map_or(Share::ZERO, |tally| tally.covered);
    let text = score::text_score(&text(compared.position), &text(compared.other));
    let text_score = (text.as_ref()).map(|text| Share::thousandths(text.score));
    let conflict = conflict(compared, stance_score, text_score);
    let (decisive, counts) = match compared.basis {
        Basis::Stance => (stance_score, covered >= COVERED),
        Basis::Text => (text_score, conflict.is_none()),
    };
    Check {
        decisive,
        stance_score,
        text_score,
        basis: compared.basis,
        covered,
        text: text.map(parts),
        conflict,
        threshold: compared.threshold,
        reached: counts && decisive.is_some_and(|decisive| decisive >= compared.threshold),
    }
}

/// Returns the first conflict that applies, in the order of the table above.
fn conflict(
    compared: Comparison<'_>,
    stance_score: Option<Share>,
    text_score: Option<Share>,
) -> Option<Conflict> {
    let alike = match compared.basis {
        Basis::Stance => ALIKE,
        Basis::Text => ALIKE.min(compared.threshold),
    };
    let (stances, text) = (stance_score?, text_score?);
    if text >= alike && stances < OPPOSED {
        Some(Conflict::AlikeButOpposed)
    } else if text < UNLIKE && stances >= compared.threshold {
        Some(Conflict::AgreedButUnlike)
    } else {
        None
    }
}

/// Returns the text of a position that is compared: its summary, its claims and their reasons.
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

#[cfg(test)]
mod pairs;
#[cfg(test)]
mod pairs_tests;
#[cfg(test)]
mod tests;
