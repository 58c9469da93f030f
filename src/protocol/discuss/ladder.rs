//! The ladder: the severity of what was raised against an artifact, and the recommendation (`docs/discuss.md`).
//!
//! The first row that applies decides:
//!
//! | severity | when | verdict | recommendation |
//! |---|---|---|---|
//! | high | requirements of the context are missing ([`super::requirement`]); or the risk is critical; or two ratings of 2 or less; or the only perspective rates 2 or less | blocked | `revise`; `escalate` at a sign-off gate or after a revision |
//! | medium | the risk is high; or one rating of 2 or less | blocked | `proceed-with-caution` |
//! | low | anything else was raised, or the risk is medium | reached | `proceed` |
//! | none | nothing was raised | reached | `proceed` |
//!
//! A spread of 3 or more and a mean below 3 both need a rating of 2 or less, so neither has a row: they are reported
//! as divergences. The tests count all cases by hand, and check that a worse reply never lowers the severity.

use super::model::{Recommendation, RiskLevel, Severity, Verdict};

/// The highest rating, of 5, that counts against going on (`docs/discuss.md`).
pub const LOW_RATING: u8 = 2;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LadderInput<'a> {
    /// The ratings of all perspectives that answered, 1 to 5.
    pub ratings: &'a [u8],
    /// The worst risk level given by any perspective; `None` if none gives one.
    pub risk: Option<RiskLevel>,
    /// Whether requirements are missing.
    pub gap: bool,
    /// Whether there is a weakness, a suggestion, a risk or a differing view.
    pub raised: bool,
}

impl LadderInput<'_> {
    fn low(&self) -> usize {
        let low = |rating: &&u8| **rating <= LOW_RATING;
        self.ratings.iter().filter(low).count()
    }

    /// Whether the ratings alone reach the highest rung: two low ones, or the only one.
    ///
    /// Without a rating there is nothing to decide by and this should not be called; it returns true, which stops the
    /// artifact.
    pub fn rejected(&self) -> bool {
        self.low() >= 2 || self.low() == self.ratings.len()
    }
}

/// Returns the severity of what was raised against an artifact.
pub fn severity(standing: LadderInput<'_>) -> Severity {
    let risk = standing.risk;
    if standing.gap || risk == Some(RiskLevel::Critical) || standing.rejected() {
        Severity::High
    } else if risk == Some(RiskLevel::High) || standing.low() == 1 {
        Severity::Medium
    } else if standing.raised || risk == Some(RiskLevel::Medium) {
        Severity::Low
    } else {
        Severity::None
    }
}

/// Returns the verdict that a severity leads to.
pub const fn verdict(severity: Severity) -> Verdict {
    match severity {
        Severity::High | Severity::Medium => Verdict::ConsensusBlocked,
        Severity::Low | Severity::None => Verdict::ConsensusReached,
    }
}

/// Returns the recommendation; `sign_off` if a person signs the artifact off, `revisions` is how many revisions of it
/// were requested before.
pub const fn recommendation(severity: Severity, sign_off: bool, revisions: u32) -> Recommendation {
    match severity {
        Severity::High if sign_off || revisions > 0 => Recommendation::Escalate,
        Severity::High => Recommendation::Revise,
        Severity::Medium => Recommendation::ProceedWithCaution,
        Severity::Low | Severity::None => Recommendation::Proceed,
    }
}

#[cfg(test)]
mod tests {
    //! The counts were worked out by hand, as the comments show, and never by the code under test.

    use std::collections::BTreeMap;

    use super::*;

    /// Returns all tuples of `count` ratings from 1 to 5.
    fn tuples(count: u32) -> Vec<Vec<u8>> {
        let all = 0..5_u32.pow(count);
        all.map(|mut number| {
            (0..count)
                .map(|_| {
                    let rating = u8::try_from(number % 5 + 1).unwrap();
                    number /= 5;
                    rating
                })
                .collect()
        })
        .collect()
    }

    /// Counts the severities of all ratings, risk levels and gaps: none, low, medium, high.
    fn counts(perspectives: u32, raised: bool) -> [usize; 4] {
        let mut counts: BTreeMap<Severity, usize> = BTreeMap::new();
        for ratings in tuples(perspectives) {
            for risk in RiskLevel::ALL {
                for gap in [false, true] {
                    let standing = LadderInput { ratings: &ratings, risk: Some(risk), gap, raised };
                    *counts.entry(severity(standing)).or_default() += 1;
                }
            }
        }
        Severity::ALL.map(|severity| counts.get(&severity).copied().unwrap_or_default())
    }

    /// Of n ratings of 1 to 5, k are 2 or less (two values) and n - k are 3 or more (three values) in C(n, k) * 2^k *
    /// 3^(n-k) tuples:
    ///
    /// | n | all | k = 0: 3^n | k = 1: n * 2 * 3^(n-1) | k >= 2: the rest |
    /// |---|---|---|---|---|
    /// | 2 | 25 | 9 | 12 | 4 |
    /// | 3 | 125 | 27 | 54 | 44 |
    /// | 4 | 625 | 81 | 216 | 328 |
    /// | 5 | 3,125 | 243 | 810 | 2,072 |
    /// | sum | 3,900 | 360 | 1,092 | 2,448 |
    ///
    /// Times four risk levels, times a gap or none: 8 * 3,900 = 31,200 cases, 200 + 1,000 + 5,000 + 25,000. Row by
    /// row:
    ///
    /// * high: a gap, with any of four levels: 4 * all; none, and critical: all; none, and one of three other levels:
    ///   3 * (k >= 2). n = 2: 100 + 25 + 12 = 137; n = 3: 500 + 125 + 132 = 757; n = 4: 2,500 + 625 + 984 = 4,109; n
    ///   = 5: 12,500 + 3,125 + 6,216 = 21,841; together 26,844.
    /// * medium: no gap, and high with k <= 1: (k = 0) + (k = 1); or low or medium with k = 1: 2 * (k = 1).
    ///   n = 2: 21 + 24 = 45; n = 3: 81 + 108 = 189; n = 4: 297 + 432 = 729; n = 5: 1,053 + 1,620 = 2,673; together
    ///   3,636.
    /// * the rest: no gap, low or medium, k = 0: 2 * 3^n: 18, 54, 162, 486; together 720. If something was raised,
    ///   all of it is low. If nothing was, half of it is (the level medium), and half is none (the level low): 9, 27,
    ///   81, 243; 360 each.
    ///
    /// 26,844 + 3,636 + 720 = 31,200; blocked 26,844 + 3,636 = 30,480, reached 720.
    #[test]
    fn all_cases_of_two_to_five_perspectives_count_as_worked_out_by_hand() {
        let raised = [2, 3, 4, 5].map(|count| counts(count, true));
        assert_eq!(
            raised,
            [[0, 18, 45, 137], [0, 54, 189, 757], [0, 162, 729, 4_109], [0, 486, 2_673, 21_841]]
        );
        let silent = [2, 3, 4, 5].map(|count| counts(count, false));
        assert_eq!(
            silent,
            [[9, 9, 45, 137], [27, 27, 189, 757], [81, 81, 729, 4_109], [243, 243, 2_673, 21_841]]
        );
        let sum = |counts: [[usize; 4]; 4]| -> [usize; 4] {
            [0, 1, 2, 3].map(|at| counts.iter().map(|counts| counts[at]).sum())
        };
        assert_eq!(sum(raised), [0, 720, 3_636, 26_844]);
        assert_eq!(sum(silent), [360, 360, 3_636, 26_844]);
        assert_eq!(3_636 + 26_844, 30_480);
        assert_eq!(30_480 + 720, 31_200);
    }

    /// One perspective: 5 ratings, 2 of them low, times 8: 40 cases. High: a gap: 4 * 5 = 20; critical: 5; a low
    /// rating with one of three other levels: 3 * 2 = 6: 31. Medium: the level high with 3, 4 or 5: 3. The rest: 2 *
    /// 3 = 6, half of it the level low.
    #[test]
    fn all_cases_of_one_perspective_count_as_worked_out_by_hand() {
        assert_eq!(counts(1, true), [0, 6, 3, 31]);
        assert_eq!(counts(1, false), [3, 3, 3, 31]);
    }

    /// Calls `check` with every case of one to five perspectives: ratings, risk (or none), gap, raised.
    fn each_case(mut check: impl FnMut(LadderInput<'_>)) {
        for count in 1..=5 {
            for ratings in tuples(count) {
                for risk in RiskLevel::ALL.map(Some).into_iter().chain([None]) {
                    for (gap, raised) in
                        [(false, false), (false, true), (true, false), (true, true)]
                    {
                        check(LadderInput { ratings: &ratings, risk, gap, raised });
                    }
                }
            }
        }
    }

    #[test]
    fn no_low_rating_passes_and_every_rung_is_reached() {
        let mut reached = BTreeMap::new();
        each_case(|standing| {
            let severity = severity(standing);
            *reached.entry(severity).or_insert(0) += 1;
            if standing.ratings.iter().any(|rating| *rating <= 2) {
                assert_eq!(verdict(severity), Verdict::ConsensusBlocked, "{standing:?}");
                for (sign_off, revisions) in [(false, 0), (false, 1), (true, 0)] {
                    let next = recommendation(severity, sign_off, revisions);
                    assert_ne!(next, Recommendation::Proceed, "{standing:?}");
                }
            }
        });
        assert_eq!(reached.len(), 4);
        // No perspective answered: nothing that could read as success.
        let nobody = LadderInput { ratings: &[], risk: None, gap: false, raised: false };
        assert_eq!(severity(nobody), Severity::High);
    }

    #[test]
    fn what_is_worse_never_lowers_the_severity() {
        each_case(|standing| {
            let before = severity(standing);
            for at in 0..standing.ratings.len() {
                let mut worse = standing.ratings.to_vec();
                worse[at] = (worse[at] - 1).max(1);
                let ratings = worse.as_slice();
                assert!(severity(LadderInput { ratings, ..standing }) >= before);
            }
            let worse = match standing.risk {
                None => RiskLevel::Low,
                Some(RiskLevel::Low) => RiskLevel::Medium,
                Some(RiskLevel::Medium) => RiskLevel::High,
                Some(RiskLevel::High | RiskLevel::Critical) => RiskLevel::Critical,
            };
            let risk = Some(worse);
            assert!(severity(LadderInput { risk, ..standing }) >= before);
            let gap = true;
            assert!(severity(LadderInput { gap, ..standing }) >= before);
            let raised = true;
            assert!(severity(LadderInput { raised, ..standing }) >= before);
        });
    }

    #[test]
    fn no_risk_level_is_the_same_as_a_low_one() {
        each_case(|standing| {
            if standing.risk.is_none() {
                let low = LadderInput { risk: Some(RiskLevel::Low), ..standing };
                assert_eq!(severity(standing), severity(low));
            }
        });
    }

    /// The reason why the source's other two triggers have no row.
    #[test]
    fn a_wide_spread_and_a_low_mean_both_need_a_low_rating() {
        for ratings in (1..=5).flat_map(tuples) {
            let (least, most) = (ratings.iter().min().unwrap(), ratings.iter().max().unwrap());
            let sum: usize = ratings.iter().map(|rating| usize::from(*rating)).sum();
            if most - least >= 3 || sum < 3 * ratings.len() {
                assert!(*least <= 2, "{ratings:?}");
            }
        }
    }

    #[test]
    fn what_comes_next_follows_severity_gate_and_revisions() {
        use Recommendation::{Escalate, Proceed, ProceedWithCaution, Revise};
        // Severity; recommendation at the first block, at the second, at a gate, at a gate the second time.
        let rows = [
            (Severity::High, [Revise, Escalate, Escalate, Escalate]),
            (Severity::Medium, [ProceedWithCaution; 4]),
            (Severity::Low, [Proceed; 4]),
            (Severity::None, [Proceed; 4]),
        ];
        for (severity, expected) in rows {
            let cases = [(false, 0), (false, 1), (true, 0), (true, 1)];
            let next =
                cases.map(|(sign_off, revisions)| recommendation(severity, sign_off, revisions));
            assert_eq!(next, expected, "{severity}");
        }
        assert_eq!(recommendation(Severity::High, false, u32::MAX), Escalate);
        let verdicts = Severity::ALL.map(verdict);
        let (reached, blocked) = (Verdict::ConsensusReached, Verdict::ConsensusBlocked);
        assert_eq!(verdicts, [reached, reached, blocked, blocked]);
    }
}
