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
