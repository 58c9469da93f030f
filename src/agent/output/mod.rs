//! Shared code for reading CLI output: the result of a reading, JSON as printed by CLIs, failure classes.
//!
//! A CLI with an envelope of its own has its reader next to its profile; the others are read by [`pointers`].

pub(super) mod classify;
pub(super) mod json;
pub(super) mod limits;
pub(super) mod pointers;

use serde_json::Value;

use super::attempts::Usage;
use crate::kernel::{Failure, FailureClass, QuotaWindow, Usd};
use crate::text::Note;

pub(super) const COST_INVALID: &str = "cost_invalid";

/// Reads an envelope from standard output, standard error, and the exit code if there is one.
pub(super) type ReadEnvelope = fn(&[u8], &[u8], Option<i32>) -> Envelope;

/// A call's output: what its reader finds in it, then what follows together with how its process ended.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct Envelope {
    /// The final message, kept even if the call failed.
    pub answer: Option<Vec<u8>>,
    /// The failure reported by the envelope or a documented message, with its text.
    pub(super) error: Option<(FailureClass, String)>,
    /// Its last warning, which is the reason for a crash where nothing else is.
    pub(super) warning: Option<String>,
    /// Whether the envelope marks the call as finished and successful.
    pub(super) finished: bool,
    /// Whether the CLI said its last word, after which nothing follows but its end.
    pub(super) ended: bool,
    /// The cost reported by the CLI.
    pub cost: Option<Usd>,
    /// The tokens counted by the CLI.
    pub usage: Option<Usage>,
    /// The same by model, if it says which one took which.
    pub by_model: Vec<(String, Usage)>,
    pub model: Option<String>,
    /// The vendor's windows, as far as the CLI reports them.
    pub quota: Vec<QuotaWindow>,
    /// Whether the vendor's own words prove that every request was refused and no model did any
    /// work.
    pub(super) idle: bool,
    /// The model stopped at its output limit.
    pub cut: bool,
    /// The CLI's own session id.
    pub session: Option<String>,
    /// Notes on anything unusual.
    pub notes: Vec<Note>,
    /// Why the call failed; only a reading with the process's ending knows.
    pub failure: Option<Failure>,
    /// Whether the call was certainly refused before any work, and so cost nothing; likewise.
    pub refused: bool,
}

impl Envelope {
    /// Whether the CLI reported tokens or a cost, even an invalid one.
    pub(super) fn has_usage(&self) -> bool {
        self.usage.is_some_and(|usage| usage != Usage::default())
            || self.cost.is_some_and(|cost| cost > Usd::ZERO)
            || self.notes.iter().any(|note| note.code == COST_INVALID)
    }

    /// Takes a cost from an envelope. An implausible amount is noted and ignored: a negative or
    /// absurd figure would break the budget.
    pub(super) fn take_cost(&mut self, value: Option<&Value>) {
        /// More than any single call costs.
        const MOST: Usd = Usd::from_micros(1_000_000_000);
        let Some(value) = value else { return };
        let cost = value.as_f64().and_then(|cost| Usd::from_dollars(cost).ok());
        match cost.filter(|cost| *cost <= MOST) {
            Some(cost) => self.cost = Some(self.cost.unwrap_or_default() + cost),
            None => self.notes.push(Note::new(
                COST_INVALID,
                format!("the CLI reported {value} as its cost, which is not an amount; the reserve is charged"),
            )),
        }
    }
}
