//! What follows if the repository changed while agents could read it: what they saw is not what is there.

use crate::kernel::Warning;
use crate::text::sanitize;

/// Returns the warnings of a change of these files. `agents`: what they are called, `reviewers`.
pub(crate) fn spoil(files: &[String], agents: &str) -> impl Iterator<Item = Warning> {
    let shown: Vec<String> = files.iter().map(|file| sanitize::line(file, 200)).collect();
    let message = format!("changed while the {agents} could read the repository");
    shown.into_iter().map(move |file| Warning {
        code: "tree_changed".to_owned(),
        turn: None,
        message: format!("{file} {message}"),
    })
}
