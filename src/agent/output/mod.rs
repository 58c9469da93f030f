//! The common ground of all that reads a CLI's output: the form of a reading, JSON as CLIs print it, the classes of failures.
//!
//! A CLI with an envelope of its own has its reader beside its profile; the others are read by [`pointers`].

pub(super) mod classify;
pub(super) mod json;
pub(super) mod pointers;

use serde_json::Value;

use super::attempts::Usage;
use crate::kernel::{FailureClass, Usd};
use crate::text::Note;

/// The note on a reported cost that is no amount.
pub(super) const COST_INVALID: &str = "cost_invalid";

/// Reads an envelope from standard output, standard error, and the exit code, where the process had one.
pub(super) type ReadEnvelope = fn(&[u8], &[u8], Option<i32>) -> Reading;

/// The content of one envelope, before the process's ending counts.
#[derive(Debug, Default)]
pub(super) struct Reading {
    /// The final message.
    pub(super) answer: Option<Vec<u8>>,
    /// The failure that the envelope, or a documented message, tells of, with its words.
    pub(super) error: Option<(FailureClass, String)>,
    /// The envelope holds its own mark of a finished, successful call.
    pub(super) finished: bool,
    /// The cost that the CLI reported.
    pub(super) cost: Option<Usd>,
    /// The tokens that it counted.
    pub(super) usage: Option<Usage>,
    /// The model that answered.
    pub(super) model: Option<String>,
    /// The vendor's own words prove that every request was turned away and no model did any work.
    pub(super) idle: bool,
    /// The model stopped at its output limit.
    pub(super) cut: bool,
    /// The CLI's own session.
    pub(super) session: Option<String>,
    /// Whatever was odd.
    pub(super) notes: Vec<Note>,
}

impl Reading {
    /// Returns whether the CLI reported tokens, a cost, or a cost that is no amount.
    pub(super) fn has_usage(&self) -> bool {
        self.usage.is_some_and(|usage| usage != Usage::default())
            || self.cost.is_some_and(|cost| cost > Usd::ZERO)
            || self.notes.iter().any(|note| note.code == COST_INVALID)
    }

    /// Takes a cost as it stands in an envelope. Anything that is no plausible amount is
    /// noted and not believed: a negative or absurd figure would break the budget.
    pub(super) fn take_cost(&mut self, value: Option<&Value>) {
        /// More than any single call costs.
        const MOST: Usd = Usd::from_micros(1_000_000_000);
        let Some(value) = value else { return };
        let cost = value.as_f64().and_then(|cost| Usd::from_dollars(cost).ok());
        match cost.filter(|cost| *cost <= MOST) {
            Some(cost) => self.cost = Some(self.cost.unwrap_or_default() + cost),
            None => self.notes.push(Note::new(
                COST_INVALID,
                format!("the CLI reported {value} as its cost, which is no amount; the reserve is charged"),
            )),
        }
    }
}

/// Returns the last line that says something, for a message.
pub(super) fn last_line(bytes: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(bytes);
    let line = text.lines().rev().find(|line| !line.trim().is_empty())?;
    Some(line.trim().to_owned())
}
