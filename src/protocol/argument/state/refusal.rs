//! Reasons for refusals, and the input that is due instead.

use super::super::legality::{self, Illegal, Move};
use crate::protocol::debate::Status;
use crate::protocol::debate::typed::Side;

/// The reason for a refusal, which leaves the debate unchanged.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The argument may not come from this agent, or not now.
    #[error(transparent)]
    Illegal(#[from] Illegal),
    /// The table of statuses does not permit the change.
    #[error("a debate that is {} cannot become {}", status_name(*.from), status_name(*.to))]
    Transition {
        /// The present status.
        from: Status,
        /// The status requested.
        to: Status,
    },
    /// Nothing can be argued before the start or after the end.
    #[error("nothing can be said in a debate that is {}", status_name(*.0))]
    NotRunning(Status),
    /// A rule is out of range.
    #[error("`{name}` must be {range}")]
    Term {
        /// The rule's name.
        name: &'static str,
        /// The permitted range.
        range: &'static str,
    },
    /// A reference does not name an earlier argument of this debate.
    #[error("`{written}` is not an earlier argument of this debate: {}", known_ids(known))]
    Reference {
        /// The reference as written.
        written: String,
        /// The ids of all arguments so far.
        known: Vec<String>,
    },
    /// An address does not name a concern of this debate.
    #[error("`{written}` is not a concern raised in this debate: {}", known_ids(known))]
    Concern {
        /// The id as written.
        written: String,
        /// The ids of all concerns so far.
        known: Vec<String>,
    },
    /// A resolution has no points to take a stance on.
    #[error("a resolution needs `points`, each with a `claim`")]
    NoPoints,
    /// Something else is due.
    #[error("{what} is not due: {}", due_text(due))]
    NotDue {
        /// The input that was attempted.
        what: &'static str,
        /// The input that is due.
        due: Expected,
    },
    /// A stance is on something the side was not asked about, or is a second one on the same item.
    #[error(
        "`{written}` is not to be judged, or not again: stances are due on {}",
        known_ids(known)
    )]
    NotJudged {
        /// The id as written.
        written: String,
        /// The ids that are to be judged.
        known: Vec<String>,
    },
    /// The stances are empty; contains the ids they are due on.
    #[error("stances are due on {}, but none is given", known_ids(.0))]
    NoStances(Vec<String>),
}

/// The input that a debate waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expected {
    /// One of these arguments.
    Argument(&'static [Move]),
    /// The stances of this side.
    Stances(Side),
    /// The evaluation of the round, which is complete.
    Evaluation,
    /// The start; the debate is pending.
    Start,
    /// Nothing; the debate is over.
    Nothing,
}

fn due_text(due: &Expected) -> String {
    match due {
        Expected::Argument(may) => legality::possible(may),
        Expected::Stances(side) => format!("now come the stances of the {}", side.name()),
        Expected::Evaluation => "the round is complete and must be evaluated".to_owned(),
        Expected::Start => "the debate has not been started".to_owned(),
        Expected::Nothing => "the debate is over".to_owned(),
    }
}

fn known_ids(known: &[String]) -> String {
    match known {
        [] => "none exists yet".to_owned(),
        [one] => one.clone(),
        known => known.join(", "),
    }
}

/// Returns a status in words for people.
pub const fn status_name(status: Status) -> &'static str {
    match status {
        Status::Pending => "pending",
        Status::InProgress => "in progress",
        Status::ConsensusReached => "at consensus",
        Status::Deadlocked => "deadlocked",
        Status::Terminated => "terminated",
        Status::Failed => "failed",
    }
}
