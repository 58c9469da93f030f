//! An inquiry's complete input, and the checks that reject an impossible one.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::Role;
use super::reply::Ask;
use crate::kernel::TurnId;
use crate::protocol::backlog::model::Opportunity;
use crate::protocol::prompt::Prompts;
use crate::protocol::seats::{EmptySeat, Seats};
use crate::text::fence;

/// Maximum questions of one inquiry: as many as one discovery keeps items (`discovery.max`), and the features.
pub(crate) const MAX_QUESTIONS: usize = 1_001;

/// Maximum features of one reply.
pub(crate) const MAX_FEATURES: u32 = 100;

/// Default maximum characters of a prompt's data: a long summary, and room for the known features.
pub(crate) const PROMPT_CHARS: usize = 60_000;

/// Maximum bytes of an opportunity's id in a turn's id (as in a backlog, `protocol::backlog::intake`).
const ID_BYTES: usize = 128;

/// A question to one agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "question", rename_all = "snake_case")]
pub(crate) enum Question {
    /// Asks which features are worth adding.
    Features {
        /// A short description of the repository; untrusted.
        summary: String,
        /// Titles of known features, so that they are not proposed again; untrusted.
        existing: Vec<String>,
        /// Maximum number of features to propose, 1 to [`MAX_FEATURES`].
        limit: u32,
    },
    /// Asks how an opportunity could be fixed.
    Fix {
        /// The problem to fix; untrusted.
        opportunity: Box<Opportunity>,
        /// The lines of code that it concerns, if any; untrusted.
        excerpt: Option<String>,
    },
}

impl Question {
    /// Returns the id of the question's turn: `features`, `fix/opp-tf-0123456789ab`.
    pub(crate) fn turn_id(&self) -> TurnId {
        match self {
            Self::Features { .. } => TurnId::of("features"),
            Self::Fix { opportunity, .. } => TurnId::of("fix").part(&opportunity.opportunity_id),
        }
    }

    /// Returns the terms that are needed to read the reply.
    pub(crate) const fn ask(&self) -> Ask {
        match self {
            Self::Features { limit, .. } => Ask::Features { limit: *limit },
            Self::Fix { .. } => Ask::Fix,
        }
    }

    pub(crate) const fn role(&self) -> Role {
        match self {
            Self::Features { .. } => Role::Analyst,
            Self::Fix { .. } => Role::Advisor,
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Input {
    /// The questions, in the order of their turns.
    pub questions: Vec<Question>,
    pub prompts: Prompts,
    /// The respondent of each role that is asked.
    pub seats: Seats,
}

/// Reasons why an input allows no inquiry.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum InputError {
    #[error(transparent)]
    Seat(#[from] EmptySeat),
    #[error("there is no question to ask")]
    NoQuestion,
    /// More than [`MAX_QUESTIONS`] questions.
    #[error("{0} questions are too many for one inquiry: at most {MAX_QUESTIONS}")]
    TooMany(usize),
    #[error("the question `{0}` is asked twice")]
    Duplicate(String),
    #[error("the id `{}` of an opportunity cannot be asked about: it must be 1 to {ID_BYTES} visible characters without a space, and not a marker or file reference", .0.escape_debug())]
    Id(String),
    #[error("`limit` must be 1 to {MAX_FEATURES}, not {0}")]
    Limit(u32),
}

pub(super) fn check(input: &Input) -> Result<(), InputError> {
    if input.questions.is_empty() {
        return Err(InputError::NoQuestion);
    }
    if input.questions.len() > MAX_QUESTIONS {
        return Err(InputError::TooMany(input.questions.len()));
    }
    let mut seen = BTreeSet::new();
    for question in &input.questions {
        match question {
            Question::Features { limit, .. } if !(1..=MAX_FEATURES).contains(limit) => {
                return Err(InputError::Limit(*limit));
            }
            Question::Fix { opportunity, .. } if !is_plain(&opportunity.opportunity_id) => {
                return Err(InputError::Id(opportunity.opportunity_id.clone()));
            }
            Question::Features { .. } | Question::Fix { .. } => {}
        }
        let turn = question.turn_id();
        if !seen.insert(turn.clone()) {
            return Err(InputError::Duplicate(turn.into()));
        }
    }
    Ok(())
}

/// Whether an id can be part of the prompt's `turn:` line without changing what the line is.
fn is_plain(id: &str) -> bool {
    !id.is_empty()
        && id.len() <= ID_BYTES
        && !id.contains(char::is_whitespace)
        && fence::defuse_all(id, "").text == id
}
