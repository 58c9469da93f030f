//! Intervals and tests for figures that are ratios of sums over cases.
//!
//! `tests/eval/check_statistics.py` compares them with SciPy. The seed is fixed: equal sessions give equal tables.

use fastrand::Rng;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use statrs::distribution::{Binomial, ContinuousCDF as _, DiscreteCDF as _, Normal, StudentsT};

/// Draws of a bootstrap and of a permutation test.
const DRAWS: usize = 2_000;
const SEED: u64 = 41;

/// What one case adds to the two sums of a ratio: found and reported for a precision, right and 1 for an accuracy.
pub type Counted = (f64, f64);

/// A figure with its interval of 95%.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Figure {
    pub value: f64,
    pub low: f64,
    pub high: f64,
}

/// The difference of two arms over the same cases.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Difference {
    /// The first minus the second, with its interval.
    #[serde(flatten)]
    pub figure: Figure,
    /// How often chance alone makes a difference as large: two-sided.
    pub p: f64,
}

/// Returns the ratio of the two sums; `None` if the second is 0.
pub fn ratio<'a>(cases: impl IntoIterator<Item = &'a Counted>) -> Option<f64> {
    let add = |sum: Counted, case: &Counted| (sum.0 + case.0, sum.1 + case.1);
    let (above, below) = cases.into_iter().fold((0.0, 0.0), add);
    (below > 0.0).then(|| above / below)
}

/// Returns the ratio over cases with its interval.
pub fn figure(cases: &[Counted]) -> Option<Figure> {
    drawn(cases.len(), &|at| ratio(at.iter().map(|at| &cases[*at])))
}

/// Compares two arms over the same cases: the interval by the same draws for both, and a permutation test that swaps
/// the arms within cases.
pub fn difference(one: &[Counted], other: &[Counted]) -> Option<Difference> {
    let pairs = one.len().min(other.len());
    let of = |at: &[usize]| {
        Some(ratio(at.iter().map(|at| &one[*at]))? - ratio(at.iter().map(|at| &other[*at]))?)
    };
    let figure = drawn(pairs, &of)?;
    let mut rng = Rng::with_seed(SEED);
    let mut as_large = 1_u32;
    for _ in 0..DRAWS {
        let mut swapped: (Vec<Counted>, Vec<Counted>) = (Vec::new(), Vec::new());
        for pair in one.iter().zip(other) {
            let (first, second) = if rng.bool() { pair } else { (pair.1, pair.0) };
            swapped.0.push(*first);
            swapped.1.push(*second);
        }
        let by_chance = ratio(&swapped.0).zip(ratio(&swapped.1)).map(|(one, other)| one - other);
        // Differences that are equal but for rounding are equal.
        let is_large = by_chance.is_none_or(|by| by.abs() >= figure.value.abs() - 1e-9);
        as_large += u32::from(is_large);
    }
    // The data's own arrangement is one of them (Phipson and Smyth 2010).
    Some(Difference { figure, p: f64::from(as_large) / (count(DRAWS) + 1.0) })
}

/// McNemar's exact test: two-sided, of the cases that only the one and only the other arm has right.
pub fn mcnemar(only_one: u64, only_other: u64) -> f64 {
    let all = only_one + only_other;
    Binomial::new(0.5, all)
        .map_or(1.0, |binomial| (2.0 * binomial.cdf(only_one.min(only_other))).min(1.0))
}

/// Returns a statistic of `cases` cases with its interval: the percentiles of a bootstrap over cases, a little further
/// out where there are few (Hesterberg 2015, "expanded percentile"), since a plain one is then too narrow.
fn drawn(cases: usize, of: &dyn Fn(&[usize]) -> Option<f64>) -> Option<Figure> {
    let value = of(&(0..cases).collect::<Vec<_>>())?;
    let mut rng = Rng::with_seed(SEED);
    let mut draws: Vec<f64> = (0..DRAWS)
        .filter_map(|_| of(&(0..cases).map(|_| rng.usize(0..cases)).collect::<Vec<_>>()))
        .collect();
    draws.sort_by(f64::total_cmp);
    let beyond = outer(cases);
    let at = |share: f64| percentile(&draws, share);
    Some(Figure { value, low: at(beyond)?, high: at(1.0 - beyond)? })
}

/// Returns the share of draws beyond each end of an interval of 95%.
fn outer(cases: usize) -> f64 {
    let n = count(cases);
    let student = StudentsT::new(0.0, 1.0, n - 1.0).map(|student| student.inverse_cdf(0.025));
    let z = student.map_or(f64::NEG_INFINITY, |t| t * (n / (n - 1.0)).sqrt());
    Normal::standard().cdf(z)
}

fn percentile(sorted: &[f64], share: f64) -> Option<f64> {
    let at = share * (count(sorted.len()) + 1.0) - 1.0;
    let mut draws = sorted.iter().zip(0_u32..);
    let nearest = draws.find(|(_, index)| f64::from(*index) + 0.5 > at);
    nearest.map(|(draw, _)| draw).or(sorted.last()).copied()
}

fn count(number: usize) -> f64 {
    f64::from(crate::kernel::count(number))
}

#[cfg(test)]
mod tests;
