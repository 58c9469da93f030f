//! Measures how alike two points are.

use std::collections::{BTreeMap, BTreeSet};

use crate::protocol::discuss::model::PointKind;
use crate::text::similarity;

/// Minimum share of common keywords, in thousandths of the keywords that either point has.
const LEAST_SHARED: usize = 450;

/// The same between two missing requirements: an author who lists requirements tells them apart by a few words, and an
/// absorbed requirement is one that nobody meets.
const LEAST_SHARED_REQUIREMENTS: usize = 750;

/// Likeness of identical texts, in thousandths.
pub(super) const SAME: usize = 1000;

/// Words by which one suggestion denies another: "do not cache it".
const DENYING: [&str; 7] = ["avoid", "don", "dont", "never", "no", "not", "without"];

/// Verbs that only introduce what a document states, as stems: one author's "define" is another's "specify".
const STATING: [&str; 20] = [
    "add", "address", "contain", "cover", "defin", "describ", "discuss", "document", "explain",
    "give", "includ", "lack", "list", "mention", "miss", "name", "omit", "provid", "specifi",
    "state",
];

/// Prepares texts for fast comparison, with words as numbers.
#[derive(Default)]
pub(super) struct Words {
    known: BTreeMap<String, u32>,
}

/// The features of a point that are compared.
pub(super) struct Traits {
    kind: PointKind,
    /// All its words in order, as stems.
    words: Vec<u32>,
    /// The words that are stating verbs or stop words.
    plain: BTreeSet<u32>,
    keywords: Vec<u32>,
    /// Its ids and numbers.
    names: BTreeSet<String>,
    /// Whether it has a word of [`DENYING`].
    denies: bool,
}

impl Words {
    fn number(&mut self, word: String) -> u32 {
        let next = u32::try_from(self.known.len()).unwrap_or(u32::MAX);
        *self.known.entry(word).or_insert(next)
    }

    pub(super) fn traits(&mut self, kind: PointKind, text: &str) -> Traits {
        let (mut words, mut plain, mut denies) = (Vec::new(), BTreeSet::new(), false);
        for word in text.split(|sign: char| !sign.is_alphanumeric()) {
            let word = word.to_lowercase();
            if word.is_empty() {
                continue;
            }
            denies |= DENYING.contains(&word.as_str());
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
        Traits { kind, words, plain, keywords, names: names(text), denies }
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
        let suggestions = self.kind == PointKind::Suggestion && self.kind == other.kind;
        if other_names
            || (suggestions && self.denies != other.denies)
            || (self.kind == other.kind && self.is_of_the_mould(other))
        {
            return None;
        }
        let shared = self.shared(other);
        let requirements = PointKind::MissingRequirement;
        let least = if self.kind == requirements && other.kind == requirements {
            LEAST_SHARED_REQUIREMENTS
        } else {
            LEAST_SHARED
        };
        (shared >= least).then(|| shared.min(SAME - 1))
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
