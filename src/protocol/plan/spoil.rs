//! Retracts a verdict if the repository changed while planners could read it.

use super::model::{Outcome, PlanOutcome, Verdict};
use crate::kernel::Warning;
use crate::text::sanitize;

/// Maximum number of files that a sentence names; the warnings name them all.
const NAMED: usize = 5;

impl Outcome {
    /// Makes the outcome undecided because these files changed while planners could read them: the state that they
    /// planned for is no longer there. The plan stays; nothing is restored.
    pub(crate) fn spoil(&mut self, files: &[String]) {
        // A planning that is still running, or that a person ended, keeps that outcome.
        if !matches!(self.outcome, PlanOutcome::Running | PlanOutcome::Terminated) {
            self.outcome = PlanOutcome::Undecided;
        }
        self.verdict = Verdict::Undecided;
        let shown: Vec<String> = (files.iter()).map(|file| sanitize::line(file, 200)).collect();
        let more = match shown.len().saturating_sub(NAMED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        self.recommendation = format!(
            "Undecided: the repository changed while the planners could read it ({}{more}), so what they saw is not \
             what is there. Look at these files, then plan again. Before that was noticed, the rules said: {}",
            shown[..shown.len().min(NAMED)].join(", "),
            self.recommendation
        );
        self.warnings.extend(shown.into_iter().map(|file| Warning {
            code: "tree_changed".to_owned(),
            turn: None,
            message: format!("{file} changed while the planners could read the repository"),
        }));
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{done, machine, plans};
    use super::*;

    #[test]
    fn a_changed_repository_takes_the_verdict_and_leaves_the_plan() {
        let mut machine = machine(2);
        plans(&mut machine, &["abc", "abc"]);
        let mut end = done(&machine);
        let steps = end.steps.clone();
        end.spoil(&["src/a.rs".to_owned()]);
        assert_eq!((end.outcome, end.verdict), (PlanOutcome::Undecided, Verdict::Undecided));
        assert_eq!(end.steps, steps);
        assert!(
            end.recommendation.starts_with("Undecided: ")
                && end.recommendation.contains("src/a.rs")
        );
        assert_eq!(end.warnings.last().map(|each| &*each.code), Some("tree_changed"));
    }
}
