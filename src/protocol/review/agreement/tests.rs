//! Tests of [`super`].

use super::*;
use crate::protocol::review::model::Severity;
use crate::protocol::review::samples::group;

#[test]
fn each_pair_has_its_shared_agreed_disagreed_and_open_groups() {
    let of = |authors: &[(usize, &str)], judged: &[(usize, &str, Stance)]| {
        group("F1", Severity::P1, authors, judged)
    };
    let (zero, one, two) = ((0, "red"), (1, "blue"), (2, "red"));
    let groups = [
        of(&[zero, one], &[(2, "red", Stance::Agree)]),
        of(&[zero], &[(1, "blue", Stance::Disagree)]),
        of(&[one], &[(0, "red", Stance::Agree), (2, "red", Stance::Unsure)]),
        of(&[two], &[]),
        // An author's judgement is none.
        of(&[zero], &[(0, "red", Stance::Disagree)]),
    ];
    let matrix = matrix(&groups, &[(0, "ada"), (1, "bob"), (2, "cyd")]);
    let counts: Vec<_> = matrix
        .iter()
        .map(|pair| {
            let names = (pair.one.as_str(), pair.other.as_str());
            (names, [pair.shared, pair.agreed, pair.disagreed, pair.open])
        })
        .collect();
    let expected = [
        (("ada", "bob"), [1, 1, 1, 1]),
        (("ada", "cyd"), [0, 1, 0, 3]),
        (("bob", "cyd"), [0, 1, 0, 2]),
    ];
    assert_eq!(counts, expected);
    assert!(super::matrix(&groups, &[(0, "ada")]).is_empty());
}
