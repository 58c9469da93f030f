//! The source system's similarity measure: 0.4 times the shared keywords plus 0.6 times the similarity of meaning.
//!
//! It says that two texts are on the same subject. It cannot tell "we should" from "we should not".
//!
//! All shares are whole thousandths, so that the same texts give the same decision everywhere, and the score can be
//! recomputed from its parts.

use super::{jaccard, keywords};
use crate::text::embedding;

/// Weight of the keywords, in thousandths (`docs/debate.md`, consensus measure).
pub const KEYWORD_WEIGHT: u16 = 400;

/// Weight of the meaning, in thousandths.
pub const SEMANTIC_WEIGHT: u16 = 600;

/// A score and its parts, in thousandths.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextScore {
    /// The weighted sum, rounded down.
    pub score: u16,
    /// The share of common keywords.
    pub keywords: u16,
    /// The similarity of meaning.
    pub semantic: u16,
    /// The embedding that measured the meaning.
    pub embedding: &'static str,
}

/// Returns the similarity of two texts; `None` if the embedding cannot read one of them.
pub fn text_score(first: &str, second: &str) -> Option<TextScore> {
    let (one, other) = (embedding::embed(first)?, embedding::embed(second)?);
    let keywords = thousandths(jaccard(
        &keywords([embedding::read_part(first)]),
        &keywords([embedding::read_part(second)]),
    ));
    let semantic = thousandths(one.cosine(&other));
    let sum = u32::from(KEYWORD_WEIGHT) * u32::from(keywords)
        + u32::from(SEMANTIC_WEIGHT) * u32::from(semantic);
    Some(TextScore {
        score: u16::try_from(sum / 1000).unwrap_or(1000),
        keywords,
        semantic,
        embedding: embedding::NAME,
    })
}

/// Returns the nearest number of thousandths; a negative number gives 0.
fn thousandths(number: f64) -> u16 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the number is between 0 and 1000"
    )]
    let thousandths = (number.clamp(0.0, 1.0) * 1000.0).round() as u16;
    thousandths
}
