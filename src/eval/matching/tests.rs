//! The matching: its rows by hand, that it is a largest one, and that it favours no arm.

use fastrand::Rng;

use super::*;
use crate::protocol::review::Severity;

fn defect(file: &str, from: u32, to: u32) -> Defect {
    let (file, what) = (file.to_owned(), String::new());
    Defect { file, from, to, what, severity: Severity::P1 }
}

fn place(file: &str, line: u32) -> Place {
    Place { file: file.to_owned(), line: Some(line), title: String::new() }
}

#[test]
fn a_finding_is_about_a_defect_near_it_and_about_one_alone() {
    let defects = [defect("a", 10, 12)];
    for (line, is_about) in [(6, false), (7, true), (11, true), (15, true), (16, false)] {
        assert_eq!(matched(&defects, &[place("a", line)])[0].is_some(), is_about, "line {line}");
    }
    assert_eq!(matched(&defects, &[place("b", 11)]), [None]);
    assert_eq!(matched(&defects, &[Place { line: None, ..place("a", 1) }]), [None]);
    assert_eq!(matched(&defects, &[place("a", 11), place("a", 12)]), [Some(0)], "one of two");
    // Only the second finding can be about the second defect, and so the first is about the first.
    let two = [defect("a", 10, 10), defect("a", 14, 14)];
    assert_eq!(matched(&two, &[place("a", 12), place("a", 8)]), [Some(1), Some(0)]);
    assert_eq!(matched(&two, &[place("a", 12)]), [Some(0), None], "one finding is one defect");
}

/// The largest number of pairs, by trying all ways.
fn most(defects: &[Defect], found: &[Place]) -> usize {
    let Some((first, rest)) = defects.split_first() else { return 0 };
    let fitting = (0..found.len()).filter(|at| can_match(first, &found[*at]));
    let with = fitting.map(|at| {
        let others: Vec<Place> = [&found[..at], &found[at + 1..]].concat();
        1 + most(rest, &others)
    });
    with.max().unwrap_or(0).max(most(rest, found))
}

#[test]
fn no_other_matching_has_more_pairs_whatever_the_order() {
    let mut rng = Rng::with_seed(7);
    for _ in 0..2_000 {
        let from = |rng: &mut Rng| rng.u32(1..30);
        let defects: Vec<Defect> = (0..rng.usize(0..5))
            .map(|_| from(&mut rng))
            .map(|from| defect("a", from, from + 2))
            .collect();
        let mut found: Vec<Place> =
            (0..rng.usize(0..6)).map(|_| place("a", from(&mut rng))).collect();
        let pairs = |found: &[Place]| matched(&defects, found).iter().flatten().count();
        let count = pairs(&found);
        assert_eq!(count, most(&defects, &found));
        rng.shuffle(&mut found);
        assert_eq!(pairs(&found), count);
    }
}

/// Arms of equal skill that differ in what should not matter: one says its findings in another order, one names lines
/// that are two off.
#[test]
fn arms_of_equal_skill_get_equal_scores() {
    let mut rng = Rng::with_seed(11);
    let mut right = [0_u32; 3];
    for _ in 0..5_000 {
        let defects = [defect("a", 20, 22), defect("a", 60, 60), defect("b", 5, 9)];
        for (arm, right) in right.iter_mut().enumerate() {
            let mut found: Vec<Place> = (defects.iter())
                .filter(|_| rng.u32(0..10) < 6)
                .map(|defect| place(&defect.file, defect.from))
                .chain((0..2).map(|_| place("a", 100)))
                .collect();
            match arm {
                1 => found.reverse(),
                2 => found.iter_mut().for_each(|place| {
                    place.line = place.line.map(|line| line + 4 * rng.u32(0..2) - 2);
                }),
                _ => {}
            }
            *right += u32::try_from(matched(&defects, &found).iter().flatten().count()).unwrap();
        }
    }
    // 9,000 of 15,000 are expected of each, with a standard deviation of 60.
    assert!(right.iter().all(|right| right.abs_diff(9_000) < 240), "{right:?}");
}
