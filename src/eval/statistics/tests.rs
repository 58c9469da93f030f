//! Published and computed values (`tests/eval/check_statistics.py` prints them), and the cover of the intervals.

use super::*;

const ONE: [Counted; 10] = [
    (2., 3.),
    (0., 2.),
    (4., 5.),
    (2., 2.),
    (0., 1.),
    (2., 5.),
    (4., 4.),
    (2., 4.),
    (0., 3.),
    (2., 3.),
];
const OTHER: [Counted; 10] = [
    (0., 2.),
    (0., 3.),
    (2., 5.),
    (2., 3.),
    (0., 1.),
    (0., 4.),
    (2., 4.),
    (2., 5.),
    (0., 2.),
    (2., 4.),
];

fn near(one: f64, other: f64, within: f64) -> bool {
    (one - other).abs() <= within
}

#[test]
fn mcnemar_is_that_of_scipy() {
    // The first row: Agresti 2002, table 10.1.
    for (only_one, only_other, p) in
        [(86, 150, 3.715_936e-5), (1, 9, 0.021_484_38), (5, 5, 1.0), (0, 6, 0.031_25), (0, 0, 1.0)]
    {
        let ours = mcnemar(only_one, only_other);
        assert!(near(ours, p, 1e-6 * p), "{only_one} {only_other}: {ours}");
    }
}

#[test]
fn small_samples_have_wider_intervals_as_published() {
    // Hesterberg 2015, section 4.4.
    for (cases, share) in
        [(5, 0.000_954), (10, 0.008_551), (20, 0.015_881), (40, 0.020_258), (100, 0.023_064)]
    {
        assert!(near(outer(cases), share, 1e-6), "{cases}: {}", outer(cases));
    }
}

#[test]
fn figures_and_differences_are_those_of_scipy() {
    let found = figure(&ONE).unwrap();
    assert!(near(found.value, 0.5625, 1e-9), "{found:?}");
    assert!(near(found.low, 0.296, 0.02) && near(found.high, 0.788, 0.02), "{found:?}");
    let found = difference(&ONE, &OTHER).unwrap();
    assert!(near(found.figure.value, 0.259_47, 1e-6), "{found:?}");
    assert!(near(found.p, 0.0231, 0.008), "{found:?}");
    let same = difference(&ONE, &ONE).unwrap();
    assert!(near(same.figure.value, 0.0, 1e-12) && near(same.p, 1.0, 1e-12), "{same:?}");
}

#[test]
fn nothing_to_divide_by_is_no_figure() {
    assert_eq!((figure(&[]), figure(&[(0., 0.)])), (None, None));
    assert_eq!(difference(&[(0., 0.)], &[(0., 1.)]), None);
    let one = figure(&[(1., 2.)]).unwrap();
    assert!(near(one.low, one.high, 0.0), "one case says nothing of others: {one:?}");
}

/// `examples/eval_coverage.rs` does the same for more cases and figures.
#[test]
fn intervals_of_thirty_cases_cover_the_truth() {
    let mut rng = Rng::with_seed(3);
    let covers = |_: &u32| {
        let right = |rng: &mut Rng| f64::from(u8::from(rng.u32(0..10) < 7));
        let cases: Vec<Counted> = (0..30).map(|_| (right(&mut rng), 1.0)).collect();
        figure(&cases).is_some_and(|found| (found.low..=found.high).contains(&0.7))
    };
    let covered = (0..400_u32).filter(covers).count();
    assert!((372..=392).contains(&covered), "{covered} of 400");
}
