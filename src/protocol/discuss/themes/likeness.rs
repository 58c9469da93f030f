//! Measures how alike two points are.

use std::collections::{BTreeMap, BTreeSet};

use crate::protocol::discuss::model::PointKind;
use crate::text::embedding::{self, Embedding};
use crate::text::similarity;
use crate::text::similarity::score::{KEYWORD_WEIGHT, SEMANTIC_WEIGHT};

/// Minimum share of common keywords, in thousandths of the keywords that either point has.
const LEAST_SHARED: usize = 200;
/// The same where no meaning is available.
const LEAST_SHARED_ALONE: usize = 600;
/// Minimum likeness of meaning by the table of vectors, in thousandths.
#[cfg(feature = "embedding")]
const LEAST_MEANING: usize = 710;
/// Minimum likeness by letters, in thousandths.
#[cfg(any(test, not(feature = "embedding")))]
pub(super) const LEAST_MEANING_NGRAM: usize = 650;

/// The same between two missing requirements, for either measure: an author who lists requirements tells them apart
/// by a few words, and an absorbed requirement is one that nobody meets.
const LEAST_MEANING_REQUIREMENTS: usize = 850;

/// Likeness of identical texts, in thousandths.
pub(super) const SAME: usize = 1000;

/// Verbs that only introduce what a document states, as stems: one author's "define" is another's "specify".
const STATING: [&str; 20] = [
    "add", "address", "contain", "cover", "defin", "describ", "discuss", "document", "explain",
    "give", "includ", "lack", "list", "mention", "miss", "name", "omit", "provid", "specifi",
    "state",
];

/// A measure of meaning, and the minimum likeness by it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Measure {
    /// Returns the embedding of a text.
    pub(super) embed: fn(&str) -> Option<Embedding>,
    /// The minimum likeness, in thousandths.
    pub(super) least: usize,
}

/// The measure of this build.
pub(super) const MEASURE: Measure = Measure {
    embed: embedding::embed,
    #[cfg(feature = "embedding")]
    least: LEAST_MEANING,
    #[cfg(not(feature = "embedding"))]
    least: LEAST_MEANING_NGRAM,
};

/// Prepares texts for fast comparison, with words as numbers.
pub(super) struct Words {
    measure: Measure,
    known: BTreeMap<String, u32>,
}

/// The features of a point that are compared.
pub(super) struct Traits {
    kind: PointKind,
    /// All its words in order, as stems.
    words: Vec<u32>,
    /// The words that are stating verbs or stop words.
    plain: BTreeSet<u32>,
    /// Its keywords, sorted.
    keywords: Vec<u32>,
    /// Its ids and numbers.
    names: BTreeSet<String>,
    /// The embedding of its text; `None` if the text cannot be embedded.
    meaning: Option<Embedding>,
    /// The minimum likeness of meaning, in thousandths.
    least: usize,
}

impl Words {
    pub(super) fn new(measure: Measure) -> Self {
        Self { measure, known: BTreeMap::new() }
    }

    fn number(&mut self, word: String) -> u32 {
        let next = u32::try_from(self.known.len()).unwrap_or(u32::MAX);
        *self.known.entry(word).or_insert(next)
    }

    pub(super) fn traits(&mut self, kind: PointKind, text: &str) -> Traits {
        let (mut words, mut plain) = (Vec::new(), BTreeSet::new());
        for word in text.split(|sign: char| !sign.is_alphanumeric()) {
            let word = word.to_lowercase();
            if word.is_empty() {
                continue;
            }
            let stem = similarity::keywords([word.as_str()]).pop_first();
            let idle = (stem.as_deref()).is_none_or(|stem| STATING.binary_search(&stem).is_ok());
            let number = self.number(stem.unwrap_or(word));
            words.push(number);
            if idle {
                plain.insert(number);
            }
        }
        let keywords = similarity::keywords([text]).into_iter();
        let mut keywords: Vec<u32> = keywords.map(|word| self.number(word)).collect();
        keywords.sort_unstable();
        Traits {
            kind,
            words,
            plain,
            keywords,
            names: names(text),
            meaning: (self.measure.embed)(text),
            least: self.measure.least,
        }
    }
}

/// Returns the words that contain a digit: `fr-12`, `30`, `p95`.
fn names(text: &str) -> BTreeSet<String> {
    let words = text.split_whitespace();
    words
        .map(|word| word.trim_matches(|sign: char| !sign.is_alphanumeric()))
        .filter(|word| word.contains(char::is_numeric))
        .map(str::to_lowercase)
        .collect()
}

impl Traits {
    /// Returns the likeness of two points in thousandths, if they are about the same thing.
    pub(super) fn alike(&self, other: &Self) -> Option<usize> {
        if self.words == other.words && !self.words.is_empty() {
            return Some(SAME);
        }
        let other_names = !self.names.is_empty()
            && !other.names.is_empty()
            && self.names.is_disjoint(&other.names);
        if other_names || (self.kind == other.kind && self.is_of_the_mould(other)) {
            return None;
        }
        let shared = self.shared(other);
        if shared < LEAST_SHARED {
            return None;
        }
        let meaning = (self.meaning.as_ref())
            .zip(other.meaning.as_ref())
            .map(|(one, other)| thousandths(one.cosine(other)));
        let requirements = PointKind::MissingRequirement;
        let least = if self.kind == requirements && other.kind == requirements {
            self.least.max(LEAST_MEANING_REQUIREMENTS)
        } else {
            self.least
        };
        match meaning {
            Some(meaning) if meaning >= least => {
                let sum =
                    usize::from(KEYWORD_WEIGHT) * shared + usize::from(SEMANTIC_WEIGHT) * meaning;
                Some((sum / 1000).min(SAME - 1))
            }
            None if shared >= LEAST_SHARED_ALONE => Some(shared.min(SAME - 1)),
            Some(_) | None => None,
        }
    }

    /// Returns the share of common keywords, in thousandths, rounded down.
    fn shared(&self, other: &Self) -> usize {
        let (mut shared, mut rest) = (0_usize, other.keywords.iter().peekable());
        for word in &self.keywords {
            while rest.next_if(|next| *next < word).is_some() {}
            shared += usize::from(rest.next_if(|next| *next == word).is_some());
        }
        let all = self.keywords.len() + other.keywords.len() - shared;
        (1000 * shared).checked_div(all).unwrap_or(0)
    }

    /// Whether two sentences follow one pattern with two subjects: "no test plan for the client", "no release plan
    /// for the client".
    ///
    /// They begin with the same words and end with the same words or nothing, the common part is half of each or
    /// more, and the differing parts share no word and contain more than a stating verb.
    fn is_of_the_mould(&self, other: &Self) -> bool {
        let both = || self.words.iter().zip(&other.words);
        let before = both().take_while(|(one, other)| one == other).count();
        let least = self.words.len().min(other.words.len());
        let ends = self.words.iter().rev().zip(other.words.iter().rev());
        let after = ends.take(least - before).take_while(|(one, other)| one == other).count();
        let place = |words: &[u32]| -> Vec<u32> {
            let words = words.get(before..words.len() - after);
            words.unwrap_or_default().to_vec()
        };
        let (one, two) = (place(&self.words), place(&other.words));
        let idle = |words: &[u32], traits: &Self| words.iter().all(|w| traits.plain.contains(w));
        let longest = self.words.len().max(other.words.len());
        before > 0
            && 2 * (before + after) >= longest
            && !idle(&one, self)
            && !idle(&two, other)
            && !one.iter().any(|word| two.contains(word))
    }
}

/// Returns a cosine in thousandths, rounded; a negative one counts as 0.
fn thousandths(number: f64) -> usize {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the number is between 0 and 1000"
    )]
    let thousandths = (number.clamp(0.0, 1.0) * 1000.0).round() as usize;
    thousandths
}
