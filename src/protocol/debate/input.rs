//! What a debate is opened from, in every style.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use super::Brief;
use crate::kernel::Respondent;
use crate::protocol::facts::Facts;
use crate::protocol::prompt::Prompts;
use crate::words;

words! {
    /// How a topic is debated.
    #[derive(Hash)]
    pub enum Style {
        /// Two participants and an expert.
        Dialogue = "dialogue",
        /// Typed arguments of two sides.
        Argument = "argument",
        /// Three or more who vote.
        Panel = "panel",
    }
}

impl Style {
    /// Returns the allowed numbers of rounds: including the expert's, or a panel's cross rounds.
    pub const fn rounds(self) -> RangeInclusive<u32> {
        match self {
            Self::Dialogue | Self::Argument => 1..=10,
            Self::Panel => 0..=5,
        }
    }
}

/// A debate's input: the same input and the same replies give the same outcome.
#[derive(Debug, Clone, PartialEq)]
pub struct Input<S> {
    /// The question under debate and its context.
    pub brief: Brief,
    /// The respondent of each seat, by the seat's name.
    pub seats: BTreeMap<String, Respondent>,
    /// Limits, thresholds and switches.
    pub settings: S,
    /// The words of its prompts.
    pub prompts: Prompts,
    /// The seed of the session's random orders.
    pub seed: u64,
}

/// A seat that a style needs is empty.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("nobody has the seat `{0}`")]
pub struct EmptySeat(&'static str);

impl<S: Clone> Input<S> {
    /// Returns the same input with these facts.
    pub(crate) fn knowing(&self, facts: &Facts) -> Self {
        let mut input = self.clone();
        input.brief.facts = facts.clone();
        input
    }

    pub(crate) fn seat(&self, name: &'static str) -> Result<Respondent, EmptySeat> {
        self.seats.get(name).cloned().ok_or(EmptySeat(name))
    }
}
