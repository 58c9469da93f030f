//! What a text means, as a vector: texts that mean similar things point in similar directions.

pub mod ngram;

pub use ngram::NAME;

/// What is read of a text, in bytes: more says nothing new of what it is about.
const TEXT_BYTES: usize = 64 << 10;

/// The direction of a text.
#[derive(Debug, Clone, PartialEq)]
pub struct Embedding(Vec<f32>);

impl Embedding {
    /// Returns the cosine of the angle between two, -1 to 1.
    pub fn cosine(&self, other: &Self) -> f64 {
        let product = |one: &[f32], two: &[f32]| -> f64 {
            (one.iter().zip(two))
                .map(|(one, two)| f64::from(*one) * f64::from(*two))
                .sum()
        };
        let lengths = product(&self.0, &self.0).sqrt() * product(&other.0, &other.0).sqrt();
        if lengths <= 0.0 {
            return 0.0;
        }
        (product(&self.0, &other.0) / lengths).clamp(-1.0, 1.0)
    }
}

/// Returns the direction of a text; `None` where the text cannot be read.
pub fn embed(text: &str) -> Option<Embedding> {
    ngram::embed(read_part(text)).map(Embedding)
}

/// Returns the part of a text that is read: its first 64 KiB.
pub fn read_part(text: &str) -> &str {
    &text[..text.floor_char_boundary(TEXT_BYTES)]
}
