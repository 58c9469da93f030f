//! Pairs of findings as two reviewers write them: one fault in two wordings, and two faults at one place.

use std::sync::LazyLock;

use super::Words;
use super::tests::{by, grouped, of};

/// Each line: `same` or `apart`, and the title and the text of the one finding and of the other.
const PAIRS: &str = include_str!("pairs.tsv");

pub(super) type Pair = [(&'static str, &'static str); 2];

fn class(of: &str) -> Vec<Pair> {
    let lines = PAIRS.lines().map(|line| line.split('\t').collect::<Vec<_>>());
    let pair = |fields: Vec<&'static str>| match fields[..] {
        [class, one, first, other, second] => {
            (class == of).then_some([(one, first), (other, second)])
        }
        _ => panic!("{fields:?} are not five"),
    };
    lines.filter_map(pair).collect()
}

/// One fault, as described by two reviewers.
pub(super) static SAME: LazyLock<Vec<Pair>> = LazyLock::new(|| class("same"));

/// Two faults within the same few lines. The first four share their names with each other, and much of their subject.
pub(super) static APART: LazyLock<Vec<Pair>> = LazyLock::new(|| class("apart"));

/// Returns the likeness of each pair, percent, in ascending order, and how many groups each pair makes.
fn pairs(pairs: &[Pair]) -> (Vec<usize>, Vec<usize>) {
    let both = pairs.iter().map(|[(one, first), (other, second)]| {
        let one = of(one, first, Some(12), None);
        let other = of(other, second, Some(14), None);
        let mut words = Words::default();
        let (a, b) = (words.traits(&by(0, one.clone())), words.traits(&by(1, other.clone())));
        (a.likeness(&b), grouped(&[one, other]).len())
    });
    let (mut shares, groups): (Vec<usize>, Vec<usize>) = both.unzip();
    shares.sort_unstable();
    (shares, groups)
}

#[test]
fn one_fault_in_two_words_is_one_group_and_two_faults_at_one_place_are_two() {
    let ((same, one), (apart, two)) = (pairs(&SAME), pairs(&APART));
    assert_eq!(same, [20, 21, 33, 33, 33, 36, 38, 42, 47, 58]);
    assert_eq!(apart, [0, 0, 0, 0, 0, 0, 4, 4, 11, 12, 14, 22]);
    // Two pairs have too little in common to be recognised; they stay two findings.
    assert_eq!(one.iter().filter(|groups| **groups == 1).count(), 8);
    assert_eq!(two, vec![2; APART.len()]);
}
