//! The inquiry: independent questions, each to one agent, all at the same time.
//!
//! # Theory of operation
//!
//! Discovery asks agents two things: which features a repository lacks ([`Question::Features`]) and how one stored
//! problem could be fixed ([`Question::Fix`]). No answer depends on another, so there are no rounds: [`Machine`] asks
//! every unanswered question in one step, [`reply`] judges each reply against [`contract`], and when all have arrived
//! or failed, the inquiry is over. Nothing is decided in this protocol. A failed question has no answer, which
//! differs from an answer that names no feature.
//!
//! # States
//!
//! | state | input | next state |
//! |---|---|---|
//! | open | all answers are replies | closed: `answered` |
//! | open | some are failures | `partial`: a resume asks those again |
//! | open | all are failures | `agent_failure`: the same |
//!
//! A stop reports `budget` or `interrupted`, with the answers received so far.

pub(crate) mod contract;
pub(crate) mod input;
pub(crate) mod machine;
pub(crate) mod prompt;
pub(crate) mod reply;
#[cfg(test)]
pub(crate) mod testing;

pub(crate) use input::{Input, Question};
pub(crate) use machine::{InquiryAnswers, InquiryOutcome, InquiryVerdict, Machine, Outcome};
pub(crate) use reply::{Content, Feature, Features};

/// The protocol's name in journals and documents.
pub(crate) const NAME: &str = "inquiry";

/// The role that answers a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Role {
    /// Proposes features.
    Analyst,
    /// Suggests how a problem could be fixed.
    Advisor,
}

impl Role {
    /// All roles, in the order in which seats are listed.
    pub(crate) const ALL: [Self; 2] = [Self::Analyst, Self::Advisor];

    /// Returns the role's short name, as used in turns, seats and reservations.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Analyst => "analyst",
            Self::Advisor => "advisor",
        }
    }

    /// Returns the role's name in the configuration, which is also its skill's name.
    pub(crate) const fn config_name(self) -> &'static str {
        match self {
            Self::Analyst => "feature-analyst",
            Self::Advisor => "fix-advisor",
        }
    }
}
