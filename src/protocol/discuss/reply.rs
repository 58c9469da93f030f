//! Judges one reply: block, types, rating, risk level, entries (`docs/answers.md`).
//!
//! A critique needs a rating that the reply states: a whole number from 1 to 5, which may be written as `4.0`, and with
//! a note as `"4"` or `"4/5"`. Everything else is a problem on any chance: a rating is never clamped, never
//! replaced by the middle, never invented. The same applies to what weighs heaviest, where the perspective owes it: a
//! risk level that is none of the four and an unreadable entry of `missing_requirements` fail the seat, because
//! leaving them out would read as "no danger". A field that a perspective owes must be there; an unreadable field
//! that it does not owe is left out with a note.
//!
//! Entries of the other lists are problems while a re-ask can fix them, and then left out with a warning; a list of
//! nothing but such entries is rejected. An entry that says that there is nothing (`none`, `N/A`) is not a
//! point: `[]` says so.

use serde_json::Value;

use super::contract;
use super::input::Perspective;
use super::model::Critique;
use crate::contract::field::{Kind, Spec};
use crate::contract::generous::{self, says_nothing};
use crate::contract::read::{Rejection, wrong_type};
use crate::contract::{Entry, ReplyReader, ReplyRules, some_of};
use crate::kernel::{Chance, Defect, RawReply, Reply};
#[cfg(test)]
use crate::protocol::testing::written;
use crate::text::{fence, sanitize};

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

/// Reads a list of points; an invalid entry is a fault while a re-ask can fix it, and then left out.
pub(super) fn points(
    value: Value,
    spec: &Spec,
    entry: &mut Entry<'_>,
) -> Result<Option<Vec<String>>, Rejection> {
    let left_out = entry.chance() == Chance::Last;
    list(value, spec, entry, left_out)
}

/// Reads missing requirements: points that weigh too much for one to be left out.
pub(super) fn requirements(
    value: Value,
    spec: &Spec,
    entry: &mut Entry<'_>,
) -> Result<Option<Vec<String>>, Rejection> {
    list(value, spec, entry, false)
}

/// Reads a list of points; `left_out` decides the treatment of invalid entries among valid ones.
fn list(
    value: Value,
    spec: &Spec,
    entry: &mut Entry<'_>,
    left_out: bool,
) -> Result<Option<Vec<String>>, Rejection> {
    let Kind::Texts { most, chars, .. } = spec.kind else {
        return Err(wrong_type(spec));
    };
    let entries = match value {
        Value::Array(entries) => entries,
        Value::String(_) => {
            entry.note(
                "unwrapped",
                &format!("`{}` is a single text; read as a list of one", spec.key),
            );
            vec![value]
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => {
            return Err(wrong_type(spec));
        }
    };
    let (key, given) = (spec.key, entries.len());
    if given > most {
        entry
            .note("too_many", &format!("`{key}` has {given} entries; only the first {most} count"));
    }
    let mut taken = Vec::new();
    let mut faulty = Vec::new();
    let mut shortened = Vec::new();
    for (number, each) in (1..).zip(entries.iter().take(most)) {
        let joined = generous::entry_of_texts(each);
        let read = match (point(each), joined) {
            (Err(_), Some(joined)) => {
                entry.note(
                    "text_normalised",
                    &format!("entry {number} of `{key}` was not text; its contents were joined"),
                );
                Ok(sanitize::line(&joined, usize::MAX))
            }
            (Ok(line), _) if entry.is_template(spec, &line) => Err("the template's".to_owned()),
            (read, _) => read,
        };
        match read {
            // The entry says that there is nothing, as `[]` does.
            Err(_) if each.as_str().is_some_and(says_nothing) => {
                entry.note_nothing(key);
            }
            Err(why) => faulty.push(format!("{number} ({why})")),
            Ok(line) if line.chars().count() > chars => {
                shortened.push(number.to_string());
                taken.push(line.chars().take(chars - 1).chain(['…']).collect());
            }
            Ok(line) => taken.push(fence::restore_references(&line).into_owned()),
        }
    }
    if !shortened.is_empty() {
        let which = named(&shortened);
        let message =
            format!("`{key}` has entries of more than {chars} characters, which were cut: {which}");
        entry.note("shortened", &message);
    }
    if faulty.is_empty() {
        return Ok(Some(taken));
    }
    let which = named(&faulty);
    if taken.is_empty() {
        let message = format!(
            "none of the entries of `{key}` is a point: {which}; each must be text that says something, and `[]` says that there is nothing"
        );
        entry.fault("no_valid_entry", &message);
    } else if left_out {
        let message = format!("entries of `{key}` are not points and were left out: {which}");
        entry.note("entry_left_out", &message);
    } else {
        let message = format!(
            "entries of `{key}` are not points: {which}; each must be text that says something"
        );
        entry.fault("wrong_type", &message);
    }
    Ok(Some(taken))
}

fn named(entries: &[String]) -> String {
    let entries: Vec<&str> = entries.iter().map(String::as_str).collect();
    some_of(&entries)
}

/// Returns a point as one line, or a description of the invalid value.
fn point(entry: &Value) -> Result<String, String> {
    let what = match entry {
        Value::String(text) => {
            let line = sanitize::line(text, usize::MAX);
            if !says_nothing(&line) {
                return Ok(line);
            }
            return Err(if line.is_empty() { "empty".to_owned() } else { format!("`{line}`") });
        }
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    };
    Err(what.to_owned())
}

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;
