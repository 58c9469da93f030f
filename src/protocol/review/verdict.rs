//! The verdict on the whole change (`docs/review.md`).
//!
//! The confidence plays no part. A disputed finding does not remain, but keeps a review from `clean`. It does not
//! make up for a seat that did not look at everything: the verdict is then undecided.

use super::model::{Severity, Status, Verdict};
use crate::change::NotReviewed;

#[cfg(test)]
mod tests;

/// The facts that a verdict depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Standing<'a> {
    /// Number of seats that were asked for a review.
    pub asked: u32,
    /// Number of those seats that reviewed everything they were asked to; a seat with any failure is excluded.
    pub answered: u32,
    /// Number of seats that answered for at least one batch.
    pub present: u32,
    /// Severity and status of the findings in the result, disputed ones included.
    pub findings: &'a [(Severity, Status)],
    /// Parts of the change that no seat was shown or too few seats reviewed.
    pub not_reviewed: &'a [NotReviewed],
}

impl Standing<'_> {
    /// Whether every seat looked at everything that was not left out by its nature or by rule.
    pub fn complete(&self) -> bool {
        self.answered >= self.asked && self.not_reviewed.iter().all(|part| !part.missed)
    }

    /// Returns the severities of the findings that remain: all but the disputed ones.
    pub fn remaining(&self) -> impl Iterator<Item = Severity> {
        let remaining = self.findings.iter().filter(|(_, status)| remains(*status));
        remaining.map(|(severity, _)| *severity)
    }
}

/// Whether a finding of this status remains: it is not refuted, not even by a single seat.
pub const fn remains(status: Status) -> bool {
    match status {
        Status::Reproduced
        | Status::Confirmed
        | Status::Contested
        | Status::OneVendor
        | Status::Unverified => true,
        Status::Disputed | Status::Refuted => false,
    }
}

/// Returns the verdict: the first rule that applies decides.
pub fn verdict(standing: &Standing<'_>) -> Verdict {
    let worst = standing.remaining().min();
    if standing.present < 2 || (worst.is_none() && !standing.complete()) {
        return Verdict::Undecided;
    }
    match worst {
        Some(Severity::P0 | Severity::P1) => Verdict::ChangesRequested,
        Some(Severity::P2) => Verdict::Comments,
        None if is_disputed(standing) => Verdict::Comments,
        None => Verdict::Clean,
    }
}

/// Whether a P0 or P1 was refuted by one seat alone.
fn is_disputed(standing: &Standing<'_>) -> bool {
    let mut findings = standing.findings.iter();
    findings.any(|(_, status)| *status == Status::Disputed)
}
