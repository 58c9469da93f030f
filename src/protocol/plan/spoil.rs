//! Retracts a verdict if the repository changed while planners could read it.

use super::model::{Outcome, PlanOutcome, Verdict};
use crate::protocol::council;

impl Outcome {
    /// Makes the outcome undecided because these files changed while planners could read them: the state that they
    /// planned for is no longer there. The plan stays; nothing is restored.
    pub(crate) fn spoil(&mut self, files: &[String]) {
        // A planning that is still running, or that a person ended, keeps that outcome.
        if !matches!(self.outcome, PlanOutcome::Running | PlanOutcome::Terminated) {
            self.outcome = PlanOutcome::Undecided;
        }
        self.verdict = Verdict::Undecided;
        let warnings = council::spoil(files, "planners");
        self.warnings.extend(warnings);
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
        let last = end.warnings.last().unwrap();
        assert!(last.code == "tree_changed" && last.message.contains("src/a.rs"), "{last:?}");
    }
}
