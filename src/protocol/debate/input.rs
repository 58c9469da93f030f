//! What a debate is opened from, in every style.

use std::ops::RangeInclusive;

use super::Brief;
use crate::protocol::facts::Facts;
use crate::protocol::prompt::Prompts;
use crate::protocol::seats::Seats;
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
    pub seats: Seats,
    /// Limits, thresholds and switches.
    pub settings: S,
    /// The words of its prompts.
    pub prompts: Prompts,
    /// The seed of the session's random orders.
    pub seed: u64,
}

impl<S: Clone> Input<S> {
    /// Returns the same input with these facts.
    pub(crate) fn knowing(&self, facts: &Facts) -> Self {
        let mut input = self.clone();
        input.brief.facts = facts.clone();
        input
    }
}
