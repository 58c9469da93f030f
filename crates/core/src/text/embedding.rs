//! The meaning of a text as a vector: texts with similar meanings point in similar directions.
//!
//! # Theory of operation
//!
//! The built-in table has a vector of 128 numbers for each of 29,523 tokens, distilled from the sentence model
//! all-MiniLM-L6-v2 (by `embedding/distill.py`; `embedding/NOTICE.md` names the sources). A text is split into words,
//! each word into tokens, and the vectors of all tokens are summed: rare tokens weigh more, and word order is lost.
//! That is enough to tell whether two texts are on one subject, even in other words, but not to tell "should" from
//! "should not". `embedding/README.md` has the measurements.
//!
//! The table reads English prose. Another language, code alone, or too few words give no vector: no number is better
//! than a meaningless one. The same text always gives the same vector.
//!
//! Without the feature `embedding` (which saves 4 MB), letter n-grams are used instead, under the name `ngram`.

mod ngram;
#[cfg(feature = "embedding")]
mod readable;
#[cfg(feature = "embedding")]
mod table;
#[cfg(feature = "embedding")]
mod wordpiece;

#[cfg(feature = "embedding")]
use std::sync::LazyLock;

#[cfg(feature = "embedding")]
use self::table::Table;

/// The name of the embedding in records.
#[cfg(feature = "embedding")]
pub const NAME: &str = "minilm-128";
/// The name of the embedding in records.
#[cfg(not(feature = "embedding"))]
pub const NAME: &str = "ngram";

/// Bytes of a text that are read: more adds nothing about its subject.
const TEXT_BYTES: usize = 64 << 10;

#[cfg(feature = "embedding")]
static TABLE: LazyLock<Option<Table>> = LazyLock::new(|| Table::read(table::BUILT_IN));

/// The direction of a text.
#[derive(Debug, Clone, PartialEq)]
pub struct Embedding {
    vector: Vec<f32>,
    /// Computed once, as texts are compared many-to-many.
    length: f64,
}

fn product(one: &[f32], two: &[f32]) -> f64 {
    (one.iter().zip(two)).map(|(one, two)| f64::from(*one) * f64::from(*two)).sum()
}

impl Embedding {
    fn new(vector: Vec<f32>) -> Self {
        let length = product(&vector, &vector).sqrt();
        Self { vector, length }
    }

    /// Returns the cosine of the angle between two directions, -1 to 1.
    pub fn cosine(&self, other: &Self) -> f64 {
        let lengths = self.length * other.length;
        if lengths <= 0.0 {
            return 0.0;
        }
        (product(&self.vector, &other.vector) / lengths).clamp(-1.0, 1.0)
    }
}

/// Returns the direction of a text's first 64 KiB; `None` if it cannot be read.
#[cfg(feature = "embedding")]
pub fn embed(text: &str) -> Option<Embedding> {
    let table = TABLE.as_ref()?;
    let text = read_part(text);
    if !readable::is_prose(table, text) {
        return None;
    }
    let mut sum = table.zero();
    for word in super::similarity::words(text) {
        let pieces = wordpiece::pieces(table, &wordpiece::plain(&word));
        for token in pieces.unwrap_or_default() {
            table.add(token, &mut sum);
        }
    }
    Some(Embedding::new(sum))
}

/// Returns the direction of a text's first 64 KiB; `None` if it has no letters.
#[cfg(not(feature = "embedding"))]
pub fn embed(text: &str) -> Option<Embedding> {
    ngram(read_part(text))
}

/// Returns the direction of a whole text by its letters; `None` if it has none. It is the measure without the table,
/// and the baseline for it.
pub fn ngram(text: &str) -> Option<Embedding> {
    ngram::embed(text).map(Embedding::new)
}

/// Returns the part of a text that is read.
pub(crate) fn read_part(text: &str) -> &str {
    &text[..text.floor_char_boundary(TEXT_BYTES)]
}

#[cfg(test)]
mod tests;
