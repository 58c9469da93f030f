//! What follows if the repository changed while agents could read it: what they saw is not what is there.

use crate::kernel::Warning;
use crate::text::sanitize;

/// Maximum number of files that a sentence names; the warnings name them all.
const NAMED: usize = 5;

/// Puts the change of these files before a recommendation, and returns the warnings of it. `agents`: what they are
/// called, `reviewers`; `again`: what to do then, `review`.
pub(crate) fn spoil(
    recommendation: &mut String,
    files: &[String],
    agents: &str,
    again: &str,
) -> impl Iterator<Item = Warning> {
    let shown: Vec<String> = files.iter().map(|file| sanitize::line(file, 200)).collect();
    let more = match shown.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    *recommendation = format!(
        "Undecided: the repository changed while the {agents} could read it ({}{more}), so what they saw is not what is \
         there. Look at these files, then {again} again. Before that was noticed, the rules said: {recommendation}",
        shown[..shown.len().min(NAMED)].join(", ")
    );
    let message = format!("changed while the {agents} could read the repository");
    shown.into_iter().map(move |file| Warning {
        code: "tree_changed".to_owned(),
        turn: None,
        message: format!("{file} {message}"),
    })
}
