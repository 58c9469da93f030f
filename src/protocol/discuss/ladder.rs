//! The ladder: how much stands against an artifact, and what should be done next (`spec/discuss.md`).
//!
//! The first row that holds decides:
//!
//! | severity | when | verdict | recommendation |
//! |---|---|---|---|
//! | high | requirements are missing; or the risk is critical; or two ratings of 2 or less; or one perspective alone, which rates so | blocked | `revise`; `escalate` at a sign-off gate or after a revision |
//! | medium | the risk is high; or one rating of 2 or less | blocked | `proceed-with-caution` |
//! | low | anything else was raised, or the risk is medium | reached | `proceed` |
//! | none | nothing was | reached | `proceed` |
//!
//! A spread of 3 or more and a mean below 3 both need a rating of 2 or less, so neither has a row: they are told as
//! divergences. The tests count all cases by hand, and hold that a worse answer never lowers the severity.

use super::model::{Recommendation, RiskLevel, Severity, Verdict};

/// A rating that stands against going on: this or less, of 5 (`spec/discuss.md`).
pub const LOW_RATING: u8 = 2;

/// What the ladder judges by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Standing<'a> {
    /// The ratings of all perspectives that answered, 1 to 5.
    pub ratings: &'a [u8],
    /// The worst risk level that one of them gives; `None` where none does.
    pub risk: Option<RiskLevel>,
    /// Whether requirements are missing.
    pub gap: bool,
    /// Whether there is a weakness, a suggestion, a risk or a differing view.
    pub raised: bool,
}

impl Standing<'_> {
    /// Returns how many ratings are low.
    fn low(&self) -> usize {
        let low = |rating: &&u8| **rating <= LOW_RATING;
        self.ratings.iter().filter(low).count()
    }

    /// Whether the ratings alone are enough for the highest rung: two low ones, or the only one.
    ///
    /// Without a rating there is nothing to decide by, and nobody should ask; the answer is then the one that stops.
    pub fn rejected(&self) -> bool {
        self.low() >= 2 || self.low() == self.ratings.len()
    }
}

/// Returns how much stands against an artifact.
pub fn severity(standing: Standing<'_>) -> Severity {
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

/// Returns what a severity means for the artifact.
pub const fn verdict(severity: Severity) -> Verdict {
    match severity {
        Severity::High | Severity::Medium => Verdict::ConsensusBlocked,
        Severity::Low | Severity::None => Verdict::ConsensusReached,
    }
}

/// Returns what should be done next: `sign_off` where a person signs the artifact off, `revisions` of it that were asked for before.
pub const fn recommendation(severity: Severity, sign_off: bool, revisions: u32) -> Recommendation {
    match severity {
        Severity::High if sign_off || revisions > 0 => Recommendation::Escalate,
        Severity::High => Recommendation::Revise,
        Severity::Medium => Recommendation::ProceedWithCaution,
        Severity::Low | Severity::None => Recommendation::Proceed,
    }
}
#[cfg(test)]
mod tests;
