//! What a text means, as a vector: texts that mean similar things point in similar directions.
//!
//! # Theory of operation
//!
//! The built-in table has a vector of 128 numbers for each of 29,523 tokens, distilled from the sentence model
//! all-MiniLM-L6-v2 (`embedding/distill.py` made it, `embedding/NOTICE.md` says from what). A text is cut into words, each word
//! into tokens, and the vectors of all tokens are summed: rare tokens weigh more, and the order of words is lost. That is enough to
//! tell texts on one subject from texts on two, in other words too, and not enough to tell "should" from "should not".
//! `embedding/README.md` has the measurements.
//!
//! The table reads English prose. Of another language, of code alone, and of too few words there is no
//! vector: no number is better than one that means nothing. The same texts always give the same vector.
//!
//! Built without the feature `embedding` (which saves 4 MB) the letters take its place, under the name `ngram`.

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

/// What measures, as records name it.
#[cfg(feature = "embedding")]
pub const NAME: &str = "minilm-128";
/// What measures, as records name it.
#[cfg(not(feature = "embedding"))]
pub const NAME: &str = "ngram";

/// What is read of a text, in bytes: more says nothing new of what it is about.
const TEXT_BYTES: usize = 64 << 10;

#[cfg(feature = "embedding")]
static TABLE: LazyLock<Option<Table>> = LazyLock::new(|| Table::read(table::BUILT_IN));

/// The direction of a text.
#[derive(Debug, Clone, PartialEq)]
pub struct Embedding {
    vector: Vec<f32>,
    /// Computed once: texts are compared many with many.
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

    /// Returns the cosine of the angle between two, -1 to 1.
    pub fn cosine(&self, other: &Self) -> f64 {
        let lengths = self.length * other.length;
        if lengths <= 0.0 {
            return 0.0;
        }
        (product(&self.vector, &other.vector) / lengths).clamp(-1.0, 1.0)
    }
}

/// Returns the direction of a text, of its first 64 KiB; `None` where it cannot be read.
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

/// Returns the direction of a text, of its first 64 KiB; `None` where it has no letters.
#[cfg(not(feature = "embedding"))]
pub fn embed(text: &str) -> Option<Embedding> {
    ngram(read_part(text))
}

/// Returns the direction that the letters of a text give it, of the whole text; `None` where it has none. Without the table
/// this is what measures; with it, what the table is compared with.
pub fn ngram(text: &str) -> Option<Embedding> {
    ngram::embed(text).map(Embedding::new)
}

/// Returns the part of a text that is read.
pub(crate) fn read_part(text: &str) -> &str {
    &text[..text.floor_char_boundary(TEXT_BYTES)]
}

#[cfg(test)]
mod tests;
