//! Whether one of two short texts denies what the other says: "we should cache" against "we should not cache".
//!
//! # Theory of operation
//!
//! Both texts are split into clauses: at the ends of sentences, at commas and semicolons, and before words like
//! "because". Each content word of a clause gets a *sign*. A word that denies the whole clause ("should **not**",
//! "**never**", "**avoid**", "**reject**") flips the signs of all its words; one that denies what follows it
//! ("**without** a cache", "**rather than** Python", "prefer Go **over** Python", "**from** our own rooms to the
//! cloud") flips the signs of those. Two such words cancel out, as they do in the language. "Not only", "no more
//! than" and the like deny nothing.
//!
//! A clause of one text is compared with each clause of the other that shares most of its words (by stem; see
//! `CLOSE`). They clash if at least one in three of the shared words have opposite signs; a pair of opposites, one in
//! each clause (enable and disable, public and private), flips all signs of one of them once more.
//!
//! # Limits
//!
//! It knows words, not meaning: a denial in other words ("Redis is a mistake"), in numbers ("one region", "two
//! regions") or in a language other than English goes unnoticed, and convoluted phrases may be taken for a denial.
//! Both rates are measured over pairs of sentences (`embedding/README.md`). It is a safeguard in addition to the
//! stances, which agents state themselves.

use std::collections::{BTreeMap, BTreeSet};

use rust_stemmers::{Algorithm, Stemmer};

mod words;

use words::Role;

/// Bytes of a text that are read.
const TEXT_BYTES: usize = 16 << 10;

/// Maximum number of clauses read of a text.
const CLAUSES: usize = 128;

/// Minimum overlap of two clauses for their signs to be compared, in percent of all words in either (twice the shared
/// words over both counts: Dice's index).
const CLOSE: usize = 60;

/// Prefixes that turn a word into its opposite.
const PREFIXES: [&str; 4] = ["un", "non", "dis", "de"];

/// Whether one of two texts denies what the other says.
pub fn negates(first: &str, second: &str) -> bool {
    let (first, second) = (clauses(first), clauses(second));
    // A single common word is enough only if there is nothing else: "merge it", "do not merge it".
    let least = if first.len() == 1 && second.len() == 1 { 1 } else { 2 };
    first.iter().any(|one| second.iter().any(|other| one.clashes_with(other, least)))
}

/// The content of a clause, and which of it is denied.
#[derive(Debug, Default, PartialEq, Eq)]
struct Clause {
    /// Its content words by stem; `true`: denied.
    signs: BTreeMap<String, bool>,
    /// Words that have an opposite: the pair's number, and the side.
    opposites: BTreeSet<(usize, bool)>,
}

impl Clause {
    /// Whether they share most of their words, and deny enough of them.
    fn clashes_with(&self, other: &Self, least: usize) -> bool {
        let (mut shared, mut differ) = (0, 0);
        for (word, sign) in &self.signs {
            if let Some(others) = other.signs.get(word) {
                shared += 1;
                differ += usize::from(sign != others);
            }
        }
        if shared < least {
            return false;
        }
        let turned = self.turned(other);
        let opposed = if turned.is_multiple_of(2) { differ } else { shared - differ };
        let all = self.signs.len() + other.signs.len();
        // Opposites are words of both clauses too, though spelled differently.
        let common = 2 * (shared + turned);
        100 * common >= CLOSE * all && 3 * opposed >= shared
    }

    /// Returns the number of pairs of opposites with one word in each clause.
    fn turned(&self, other: &Self) -> usize {
        // A clause with both words of a pair says nothing about it.
        let listed = (self.opposites.iter())
            .filter(|(pair, side)| {
                let there = |side| other.opposites.contains(&(*pair, side));
                there(!side) && !there(*side) && !self.opposites.contains(&(*pair, !side))
            })
            .count();
        let prefixed = |one: &Self, other: &Self| {
            let words = (one.signs.keys()).filter(|word| !other.signs.contains_key(*word));
            words
                .filter(|word| {
                    PREFIXES.iter().any(|prefix| {
                        word.strip_prefix(prefix).is_some_and(|word| {
                            other.signs.contains_key(word) && !one.signs.contains_key(word)
                        })
                    })
                })
                .count()
        };
        listed + prefixed(self, other) + prefixed(other, self)
    }
}

/// Splits a text into clauses and gives their words signs.
fn clauses(text: &str) -> Vec<Clause> {
    let text = &text[..text.floor_char_boundary(TEXT_BYTES)];
    let stemmer = Stemmer::create(Algorithm::English);
    let mut found = Vec::new();
    // A denial on its own ("not, however, ...") belongs to what follows.
    let mut carried = false;
    for words in words::split(text) {
        let SignedClause { clause, denied } = sign(&words, carried, &stemmer);
        carried = clause.signs.is_empty() && denied;
        if !clause.signs.is_empty() {
            found.push(clause);
            if found.len() == CLAUSES {
                break;
            }
        }
    }
    found
}

struct SignedClause {
    clause: Clause,
    /// Whether the whole clause is denied.
    denied: bool,
}

/// Gives the words of one clause signs.
fn sign(words: &[String], carried: bool, stemmer: &Stemmer) -> SignedClause {
    let mut whole = carried;
    // Content words in order, and whether a part of the clause denies them.
    let mut content: Vec<(&str, bool)> = Vec::new();
    let mut part = false;
    let mut in_part = 0;
    let mut from: Option<usize> = None;
    let mut at = 0;
    while at < words.len() {
        let (role, length) = words::role(words, at);
        match role {
            Role::Whole => whole = !whole,
            // "Never without tests" is "only with tests": the two cancel out.
            Role::Without if whole => whole = false,
            Role::Rest | Role::Without => (part, in_part) = (true, 0),
            Role::Favour => (part, in_part) = (whole, 0),
            Role::From => from = Some(content.len()),
            Role::Replaced => from = Some(0),
            Role::To => {
                // "From X to Y", "replace X with Y": X is given up.
                for (_, denied) in content.iter_mut().skip(from.take().unwrap_or(usize::MAX)) {
                    *denied = !*denied;
                }
                part &= in_part == 0;
            }
            Role::Preposition => part &= in_part == 0,
            Role::Nothing => {}
            Role::Content => {
                content.push((&words[at], part));
                in_part += 1;
            }
        }
        at += length;
    }
    let mut clause = Clause::default();
    for (word, denied) in content {
        clause.signs.insert(stemmer.stem(word).into_owned(), denied != whole);
    }
    // Small words have opposites too: up and down are not content words.
    for word in words {
        clause.opposites.extend(words::opposite(&stemmer.stem(word)));
    }
    SignedClause { clause, denied: whole }
}

#[cfg(test)]
mod tests;
