//! The pairs of sentences on which the measures are fitted and tested: `pairs.tsv`, beside `similarity.rs` in the
//! core, written for this program.
//!
//! Each line of the file contains class, form (of a contradiction: `negated`, "should" against "should not";
//! `antonym`; `swapped`), domain, and the two sentences. The split into halves was fixed before anything was
//! measured: within each class and form, the first, third, fifth, ... pair may be used to fit a threshold; the
//! second, fourth, ... only to report.

use std::collections::BTreeMap;

/// The relation between the two sentences of a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Class {
    /// The same statement in other words.
    Paraphrase,
    /// "We should" against "we should not".
    Negated,
    /// The opposite through one word: enable, disable.
    Antonym,
    /// The same words with their roles swapped: X over Y, Y over X.
    Swapped,
    /// Statements on different subjects.
    Unrelated,
}

impl Class {
    pub(crate) const ALL: [Self; 5] =
        [Self::Paraphrase, Self::Negated, Self::Antonym, Self::Swapped, Self::Unrelated];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Paraphrase => "paraphrase",
            Self::Negated => "should / should not",
            Self::Antonym => "antonym",
            Self::Swapped => "roles swapped",
            Self::Unrelated => "unrelated",
        }
    }

    /// Whether the two sentences contradict each other.
    pub(crate) const fn contradicts(self) -> bool {
        match self {
            Self::Negated | Self::Antonym | Self::Swapped => true,
            Self::Paraphrase | Self::Unrelated => false,
        }
    }
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Pair {
    pub(crate) class: Class,
    pub(crate) first: &'static str,
    pub(crate) second: &'static str,
    /// Whether the pair belongs to the half on which nothing is fitted.
    pub(crate) held_out: bool,
}

pub(crate) fn pairs() -> Vec<Pair> {
    let mut seen: BTreeMap<Class, usize> = BTreeMap::new();
    include_str!("../../../../crates/core/src/text/similarity/pairs.tsv")
        .lines()
        .map(|line| {
            let fields: Vec<&str> = line.split('\t').collect();
            let [class, form, _domain, first, second] = *fields else {
                panic!("{line:?} has not five fields");
            };
            let class = match (class, form) {
                ("paraphrase", "-") => Class::Paraphrase,
                ("contradiction", "negated") => Class::Negated,
                ("contradiction", "antonym") => Class::Antonym,
                ("contradiction", "swapped") => Class::Swapped,
                ("unrelated", "-") => Class::Unrelated,
                other => panic!("{other:?} is no class"),
            };
            let count = seen.entry(class).or_default();
            *count += 1;
            Pair { class, first, second, held_out: count.is_multiple_of(2) }
        })
        .collect()
}

/// Returns pairs of whole summaries, as agents write them, and whether they contradict each other. They were written
/// after everything was fitted, and serve to measure only, not to tune.
pub(crate) fn summaries() -> Vec<(bool, &'static str, &'static str)> {
    include_str!("../../../../crates/core/src/text/similarity/summaries.tsv")
        .lines()
        .map(|line| {
            let fields: Vec<&str> = line.split('\t').collect();
            match *fields {
                ["same", first, second] => (false, first, second),
                ["contrary", first, second] => (true, first, second),
                _ => panic!("{line:?} is no pair"),
            }
        })
        .collect()
}

#[test]
fn there_are_enough_pairs_in_both_halves_and_none_twice() {
    let pairs = pairs();
    for half in [false, true] {
        let of = |belongs: fn(Class) -> bool| {
            let pairs = pairs.iter().filter(|pair| pair.held_out == half);
            pairs.filter(|pair| belongs(pair.class)).count()
        };
        assert_eq!(of(|class| class == Class::Paraphrase), 18);
        assert_eq!(of(Class::contradicts), 19);
        assert_eq!(of(|class| class == Class::Unrelated), 16);
    }
    let sentences: std::collections::BTreeSet<&str> =
        (pairs.iter().flat_map(|pair| [pair.first, pair.second])).collect();
    assert_eq!(sentences.len(), 2 * pairs.len());
}
