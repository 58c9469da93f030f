//! What all results say alike of a session that has no outcome of its own: one that runs, and one that a person closed.

use chrono::{DateTime, Utc};

use super::short_id;

/// The first words of the result of a session that a process runs.
pub(super) const RUNNING: &str = "RUNNING: nothing is decided yet; what is recorded so far follows";
/// The first words of the result of a session that a person closed.
pub(super) const TERMINATED: &str =
    "TERMINATED: a person ended it (`sessions terminate`) before it was decided";

/// What a person can do about a session that runs.
pub(super) fn look_again(session: &str) -> String {
    let id = short_id(session);
    format!("debate-agent sessions status {id}   (says how far it is)")
}

/// What a person can do about a session that was closed undecided, whose rounds can be asked again.
pub(super) fn anew(session: &str, round: usize) -> String {
    let id = short_id(session);
    format!(
        "debate-agent sessions resume {id} --from-round {round}   (asks again from there on, in a new session)"
    )
}

/// When a session ended, and why not, if it has not.
pub(super) fn ended(at: Option<DateTime<Utc>>, running: bool) -> String {
    match at {
        Some(at) => at.format("%Y-%m-%d %H:%M:%S UTC").to_string(),
        None if running => "not yet, it is running".to_owned(),
        None => "not yet, it can be resumed".to_owned(),
    }
}
