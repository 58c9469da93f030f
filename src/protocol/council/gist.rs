//! What the answers of a council say, for people who watch.

use super::{ValidationBlock, Vote};

/// `agrees with F3: the lock stays held`.
pub(crate) fn on(verb: &str, id: &str, title: Option<&str>) -> String {
    match title {
        Some(title) => format!("{verb} {id}: {title}"),
        None => format!("{verb} {id}"),
    }
}

/// Returns the number of approvals, and each rejection with its reason.
pub(crate) fn votes(said: &ValidationBlock) -> Vec<String> {
    let rejected = said.votes.iter().filter(|ballot| ballot.vote == Vote::Reject);
    let rejected = rejected.map(|ballot| on("rejects", &ballot.id, Some(&ballot.reason)));
    let approved = said.votes.iter().filter(|ballot| ballot.vote == Vote::Approve).count();
    std::iter::once(format!("approves {approved} of {}", said.votes.len()))
        .chain(rejected)
        .collect()
}
