//! Retracts a verdict if the repository changed while reviewers could read it.

use super::model::{Outcome, ReviewOutcome, Verdict};
use crate::protocol::council;

impl Outcome {
    /// Makes the outcome undecided because these files changed while reviewers could read them: the state that they
    /// reviewed is no longer there. The findings stay; nothing is restored.
    pub fn spoil(&mut self, files: &[String]) {
        // A review that is still running, or that a person ended, keeps that outcome.
        if !matches!(self.outcome, ReviewOutcome::Running | ReviewOutcome::Terminated) {
            self.outcome = ReviewOutcome::Undecided;
        }
        self.verdict = Verdict::Undecided;
        let warnings = council::spoil(files, "reviewers");
        self.warnings.extend(warnings);
    }
}
