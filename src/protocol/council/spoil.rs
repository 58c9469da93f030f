//! What follows if the repository changed while agents could read it: what they saw is not what is there.

use crate::kernel::{Ended, Outcome, Warning};
use crate::text::sanitize;

/// Makes an outcome undecided because these files changed while agents could read them. What was found stays; nothing
/// is restored. `agents`: what they are called, `reviewers`.
pub(crate) fn spoil<V: Copy, R>(
    outcome: &mut Outcome<Ended<V>, V, R>,
    undecided: V,
    files: &[String],
    agents: &str,
) {
    outcome.outcome.retract(undecided);
    outcome.verdict = undecided;
    outcome.warnings.extend(files.iter().map(|file| Warning {
        code: "tree_changed".to_owned(),
        turn: None,
        message: format!(
            "{} changed while the {agents} could read the repository",
            sanitize::line(file, 200)
        ),
    }));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Halt;
    use crate::protocol::plan::Verdict;
    use crate::protocol::plan::testing::{done, machine, plans};

    #[test]
    fn a_changed_repository_takes_the_verdict_and_leaves_the_plan() {
        let mut machine = machine(2);
        plans(&mut machine, &["abc", "abc"]);
        let end = done(&machine);
        let undecided = Ended::Closed(Verdict::Undecided);
        for (before, after) in [
            (end.outcome, undecided),
            (Halt::Budget.into(), undecided),
            (Halt::Terminated.into(), Halt::Terminated.into()),
            (Halt::Running.into(), Halt::Running.into()),
        ] {
            let mut spoilt = end.clone();
            spoilt.outcome = before;
            spoil(&mut spoilt, Verdict::Undecided, &["src/a.rs".to_owned()], "planners");
            assert_eq!((spoilt.outcome, spoilt.verdict), (after, Verdict::Undecided));
            assert_eq!(spoilt.result, end.result);
            let last = spoilt.warnings.last().unwrap();
            assert!(last.code == "tree_changed" && last.message.contains("src/a.rs"), "{last:?}");
        }
    }
}
