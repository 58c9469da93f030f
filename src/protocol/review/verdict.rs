//! What is said of the whole change, and the paragraph that says why (`docs/review.md`).
//!
//! Confidence is no part of it. A disputed finding does not remain, but keeps a review from `clean`;
//! it does not make up for somebody who did not look: then nothing can be said.

use super::model::{Severity, Status, Verdict};
use crate::change::NotReviewed;

mod paragraph;
#[cfg(test)]
mod tests;

pub use paragraph::{Summary, recommendation};

/// What a verdict depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Standing<'a> {
    /// Seats that were asked for a review.
    pub asked: u32,
    /// Seats of them that reviewed all they were asked to. One that failed anything is not among them.
    pub answered: u32,
    /// Seats that answered for at least one batch.
    pub present: u32,
    /// What is in the result: severity and status; the disputed ones too.
    pub findings: &'a [(Severity, Status)],
    /// What nobody was shown or too few looked at.
    pub not_reviewed: &'a [NotReviewed],
    /// Whether the working tree was changed while reviewers could read it.
    pub tree_changed: bool,
}

impl Standing<'_> {
    /// Whether every seat looked at everything that was not left out on purpose.
    pub fn complete(&self) -> bool {
        self.answered >= self.asked && self.not_reviewed.iter().all(NotReviewed::by_policy)
    }

    /// Returns the severities of what remains: all but what is disputed.
    pub fn remaining(&self) -> impl Iterator<Item = Severity> {
        let remaining = self.findings.iter().filter(|(_, status)| remains(*status));
        remaining.map(|(severity, _)| *severity)
    }
}

/// Whether a finding of this status remains: it is not refuted, not even by one seat.
pub const fn remains(status: Status) -> bool {
    match status {
        Status::Confirmed | Status::Contested | Status::Unverified => true,
        Status::Disputed | Status::Refuted => false,
    }
}

/// Returns the verdict, the first that holds.
pub fn verdict(standing: &Standing<'_>) -> Verdict {
    let worst = standing.remaining().min();
    if standing.present < 2 || standing.tree_changed || (worst.is_none() && !standing.complete()) {
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
