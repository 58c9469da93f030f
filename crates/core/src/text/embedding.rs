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

mod readable;
mod table;
mod wordpiece;

use std::sync::LazyLock;

use self::table::Table;

pub const NAME: &str = "minilm-128";

/// Bytes of a text that are read: more adds nothing about its subject.
const TEXT_BYTES: usize = 64 << 10;

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

pub(crate) fn read_part(text: &str) -> &str {
    &text[..text.floor_char_boundary(TEXT_BYTES)]
}

#[cfg(test)]
mod tests;
