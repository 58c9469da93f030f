//! Judges one reply: block, types, rating, risk level, entries (`docs/answers.md`).
//!
//! A critique needs a rating that the reply states: a whole number from 1 to 5, which may be written as `4.0`, and with
//! a note as `"4"` or `"4/5"`. Everything else is a problem on any chance: a rating is never clamped, never
//! replaced by the middle, never invented. The same applies to what weighs heaviest, where the perspective owes it: a
//! risk level that is none of the four and an unreadable entry of `missing_requirements` fail the seat, because
//! leaving them out would read as "no danger". A field that a perspective owes must be there; an unreadable field
//! that it does not owe is left out with a note.
//!
//! Entries of the other lists that it owes are problems while a re-ask can fix them, and then left out with a warning;
//! a list of nothing but such entries is rejected. Strengths and suggestions, which it does not owe, lose them at once. An entry that says that there is nothing (`none`, `N/A`) is not a
//! point: `[]` says so.

use super::contract;
use super::input::Perspective;
use super::model::Critique;
use crate::contract::{ReplyReader, ReplyRules};
use crate::kernel::{Chance, Defect, RawReply, Reply};
#[cfg(test)]
use crate::protocol::testing::written;

impl Critique {
    /// Writes the critique as its block; [`parse`] reads the same critique back.
    #[cfg(test)]
    pub fn render(&self) -> String {
        written(&contract::CRITIQUE, self)
    }
}

/// Judges the reply of a perspective.
///
/// # Errors
///
/// All problems at once: with [`Chance::First`] one re-ask may fix them, with [`Chance::Last`] the seat fails.
pub fn parse(
    perspective: &Perspective,
    reply: &RawReply,
    chance: Chance,
) -> Result<Reply<Critique>, Defect> {
    let terms = ReplyRules { shown: &[], chance };
    let block = contract::block(perspective);
    let mut reading = ReplyReader::of(reply, &[&block.outline], terms)?;
    let said = reading.read(&block, |_, said| Some(said));
    let (said, notes) = reading.close(said)?;
    Ok(Reply { content: said, notes })
}

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;
