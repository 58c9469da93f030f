//! Everything an inquiry depends on, and what makes an input impossible.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::Role;
use super::reply::Ask;
use crate::kernel::{Respondent, TurnId};
use crate::protocol::backlog::model::Opportunity;
use crate::text::block::BlockLimits;
use crate::text::fence;

/// Questions of one inquiry at most: as many as one discovery keeps items (`discovery.max`), and the features.
pub const MAX_QUESTIONS: usize = 1_001;

/// Features that one answer may hold at most.
pub const MAX_FEATURES: u32 = 100;

/// Characters of a prompt's data, unless a setting says otherwise: a long summary, and room for what is known already.
pub const PROMPT_CHARS: usize = 60_000;

/// The least that a prompt's data may be limited to; below it an opportunity has no room for its words.
pub const LEAST_PROMPT_CHARS: usize = 4_000;

/// Bytes that the id of an opportunity may have in a turn's id (as in a backlog, `protocol::backlog::intake`).
const ID_BYTES: usize = 128;

/// What is asked of one agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "question", rename_all = "snake_case")]
pub enum Question {
    /// Which features are worth adding?
    Features {
        /// The repository in short, as text; untrusted.
        summary: String,
        /// Titles of features that are known already, so that they are not proposed again; untrusted.
        existing: Vec<String>,
        /// Most features that are wanted, 1 to [`MAX_FEATURES`].
        limit: u32,
    },
    /// How could this be mended?
    Fix {
        /// What is to be mended; untrusted.
        opportunity: Box<Opportunity>,
        /// The lines of code that it is about, where there are some; untrusted.
        excerpt: Option<String>,
    },
}

impl Question {
    /// Returns the id of the question's turn: `features`, `fix/opp-tf-0123456789ab`.
    pub fn turn_id(&self) -> TurnId {
        match self {
            Self::Features { .. } => TurnId::of("features"),
            Self::Fix { opportunity, .. } => TurnId::of("fix").part(&opportunity.opportunity_id),
        }
    }

    /// Returns what reading the answer needs.
    pub const fn ask(&self) -> Ask {
        match self {
            Self::Features { limit, .. } => Ask::Features { limit: *limit },
            Self::Fix { .. } => Ask::Fix,
        }
    }

    /// Returns who is asked.
    pub const fn role(&self) -> Role {
        match self {
            Self::Features { .. } => Role::Analyst,
            Self::Fix { .. } => Role::Advisor,
        }
    }
}

/// The rules' numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settings {
    /// Whether anything that would be normalised is a defect instead.
    pub strict: bool,
    /// Bytes of one block of a reply at most.
    pub block_bytes: usize,
    /// Characters of one prompt's data at most, [`LEAST_PROMPT_CHARS`] or more; rules, skill and contract come on top.
    pub prompt_chars: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            strict: false,
            block_bytes: BlockLimits::default().block_bytes,
            prompt_chars: PROMPT_CHARS,
        }
    }
}

/// Which agent has which role.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seats {
    /// Who proposes features.
    pub analyst: Respondent,
    /// Who suggests fixes.
    pub advisor: Respondent,
}

impl Seats {
    /// Returns who has a role.
    pub const fn of(&self, role: Role) -> &Respondent {
        match role {
            Role::Analyst => &self.analyst,
            Role::Advisor => &self.advisor,
        }
    }
}

/// Everything that the inquiry depends on.
#[derive(Debug, Clone, PartialEq)]
pub struct Input {
    /// What is asked; the turns come in this order.
    pub questions: Vec<Question>,
    /// The rules' numbers.
    pub settings: Settings,
    /// The session's boundary for untrusted text.
    pub boundary: String,
    /// Who sits where.
    pub seats: Seats,
}

/// Why there can be no inquiry on an input.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InputError {
    /// Nothing is asked: an inquiry without a question would be answered without anybody's word.
    #[error("there is no question to ask")]
    NoQuestion,
    /// More questions than one inquiry may ask.
    #[error("{0} questions are too many for one inquiry: at most {MAX_QUESTIONS}")]
    TooMany(usize),
    /// Two questions would have the same turn.
    #[error("the question `{0}` is asked twice")]
    Duplicate(String),
    /// The id of an opportunity cannot be a part of a turn's id.
    #[error("the id `{}` of an opportunity cannot be asked about: it must be 1 to {ID_BYTES} visible characters without a space, and no marker or file reference", .0.escape_debug())]
    Id(String),
    /// A number out of range.
    #[error("`{name}` must be {range}, not {value}")]
    Setting {
        /// Its name.
        name: &'static str,
        /// What is possible.
        range: String,
        /// What was given.
        value: usize,
    },
}

/// Checks an input before anything is asked.
pub(super) fn check(input: &Input) -> Result<(), InputError> {
    if input.questions.is_empty() {
        return Err(InputError::NoQuestion);
    }
    if input.questions.len() > MAX_QUESTIONS {
        return Err(InputError::TooMany(input.questions.len()));
    }
    if input.settings.prompt_chars < LEAST_PROMPT_CHARS {
        return Err(InputError::Setting {
            name: "prompt_chars",
            range: format!("{LEAST_PROMPT_CHARS} or more"),
            value: input.settings.prompt_chars,
        });
    }
    let mut seen = BTreeSet::new();
    for question in &input.questions {
        match question {
            Question::Features { limit, .. } if !(1..=MAX_FEATURES).contains(limit) => {
                return Err(InputError::Setting {
                    name: "limit",
                    range: format!("1 to {MAX_FEATURES}"),
                    value: usize::try_from(*limit).unwrap_or(usize::MAX),
                });
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

/// Whether an id can stand on the prompt's `turn:` line without changing what the line is.
fn is_plain(id: &str) -> bool {
    !id.is_empty()
        && id.len() <= ID_BYTES
        && !id.contains(char::is_whitespace)
        && fence::defuse_all(id, "").text == id
}
