//! Retracts a verdict if the repository changed while reviewers could read it.

use super::model::{Outcome, ReviewOutcome, Verdict};
use crate::kernel::Warning;
use crate::text::sanitize;

/// Maximum number of files that a sentence names; the warnings name them all.
const NAMED: usize = 5;

impl Outcome {
    /// Makes the outcome undecided because these files changed while reviewers could read them: the state that they
    /// reviewed is no longer there. The findings stay; nothing is restored.
    pub fn spoil(&mut self, files: &[String]) {
        // A review that is still running, or that a person ended, keeps that outcome.
        if !matches!(self.outcome, ReviewOutcome::Running | ReviewOutcome::Terminated) {
            self.outcome = ReviewOutcome::Undecided;
        }
        self.verdict = Verdict::Undecided;
        let shown: Vec<String> = (files.iter()).map(|file| sanitize::line(file, 200)).collect();
        let more = match shown.len().saturating_sub(NAMED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        self.recommendation = format!(
            "Undecided: the repository changed while the reviewers could read it ({}{more}), so what they saw is not \
             what is there. Look at these files, then review again. Before that was noticed, the rules said: {}",
            shown[..shown.len().min(NAMED)].join(", "),
            self.recommendation
        );
        self.warnings.extend(shown.into_iter().map(|file| Warning {
            code: "tree_changed".to_owned(),
            turn: None,
            message: format!("{file} changed while the reviewers could read the repository"),
        }));
    }
}
