//! The contract for a perspective's reply: its block and the limits.
//!
//! The fields of a critique are declared with its type ([`Critique`]). The contract differs by what a perspective
//! owes: one that rates the risk owes a level and the risks, and the others may give them; one that checks against the
//! context owes what is covered and what is missing, and the others are not asked for it
//! ([`super::requirement`]). The body shown in the prompt never parses as a reply (`<1 to 5>`
//! is not JSON), so a model that repeats its instructions has not answered.

use super::input::Perspective;
use super::model::Critique;
use crate::contract::block::object;
use crate::contract::template::fields;
use crate::contract::{Block, Declaration};

/// Maximum entries of one list; the rest is cut with a note.
pub const MAX_ENTRIES: usize = 50;
/// Maximum characters of one entry; the rest is cut with a note.
pub const ENTRY_CHARS: usize = 1_000;

/// A perspective's critique, with all possible fields. A key in another case (`riskLevel`) is accepted: a critical
/// risk left unread would vanish.
pub const CRITIQUE: Block<Critique> = object("CRITIQUE");

const RISK: &[&str] = &["risk_level", "risks"];
const CONTEXT: &[&str] = &["covered", "missing_requirements"];
const BOTH: &[&str] = &["risk_level", "risks", "covered", "missing_requirements"];

/// Returns the critique block with the fields that a perspective owes.
pub const fn block(perspective: &Perspective) -> Block<Critique> {
    match (perspective.rates_risk, perspective.needs_context) {
        (true, true) => CRITIQUE,
        (true, false) => CRITIQUE.without(CONTEXT),
        (false, true) => CRITIQUE.without(RISK),
        (false, false) => CRITIQUE.without(BOTH),
    }
}

/// Returns the fields of the risk as a prompt shows them, on one line.
pub fn risk() -> String {
    fields(Critique::ITEM.fields.iter().filter(|spec| RISK.contains(&spec.key)), None)
}
