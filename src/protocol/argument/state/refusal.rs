//! Why the rules refuse something, and what they wait for instead.

use super::super::legality::{self, Illegal, Move};
use crate::protocol::debate::Status;
use crate::protocol::debate::typed::Side;

/// Why something was refused. Nothing has changed then.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// Not by this agent, or not now.
    #[error(transparent)]
    Illegal(#[from] Illegal),
    /// The table of statuses does not have it.
    #[error("a debate that is {} cannot become {}", status_name(*.from), status_name(*.to))]
    Transition {
        /// Where it stands.
        from: Status,
        /// What was wanted.
        to: Status,
    },
    /// Nobody argues before the start or after the end.
    #[error("nothing can be said in a debate that is {}", status_name(*.0))]
    NotRunning(Status),
    /// A number out of range.
    #[error("`{name}` must be {range}")]
    Term {
        /// Its name.
        name: &'static str,
        /// What is possible.
        range: &'static str,
    },
    /// A reference to something that is no earlier argument of this debate.
    #[error("`{written}` is no earlier argument of this debate: {}", known_ids(known))]
    Reference {
        /// What was written.
        written: String,
        /// The arguments that there are.
        known: Vec<String>,
    },
    /// An address of something that is no concern of this debate.
    #[error("`{written}` is no concern that was raised in this debate: {}", known_ids(known))]
    Concern {
        /// What was written.
        written: String,
        /// The concerns that there are.
        known: Vec<String>,
    },
    /// A resolution that nobody could take a stance on.
    #[error("a resolution needs `points`, each with a `claim`")]
    NoPoints,
    /// Something else is due.
    #[error("{what} cannot come now: {}", due_text(due))]
    NotDue {
        /// What was tried.
        what: &'static str,
        /// What is due.
        due: Expected,
    },
    /// A stance on something that the side was not asked about, or two on one.
    #[error(
        "`{written}` is not to be judged once more or at all: stances are due on {}",
        known_ids(known)
    )]
    NotJudged {
        /// What was written.
        written: String,
        /// What is to be judged.
        known: Vec<String>,
    },
    /// Stances without a stance.
    #[error("stances are due on {}, and none is given", known_ids(.0))]
    NoStances(Vec<String>),
}

/// What a debate waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expected {
    /// One of these arguments.
    Argument(&'static [Move]),
    /// The stances of this side.
    Stances(Side),
    /// The round is complete: it is to be evaluated.
    Evaluation,
    /// It has not begun.
    Start,
    /// It is over.
    Nothing,
}

fn due_text(due: &Expected) -> String {
    match due {
        Expected::Argument(may) => legality::possible(may),
        Expected::Stances(side) => format!("now come the stances of the {}", side.name()),
        Expected::Evaluation => "the round is complete and is to be evaluated".to_owned(),
        Expected::Start => "the debate has not been started".to_owned(),
        Expected::Nothing => "the debate is over".to_owned(),
    }
}

fn known_ids(known: &[String]) -> String {
    match known {
        [] => "there is none yet".to_owned(),
        [one] => one.clone(),
        known => known.join(", "),
    }
}

/// Returns a status as a person reads it.
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
