//! Input from a program: accepted exactly as declared, or refused.
//!
//! ```text
//!   given ─ fields, in the order of their declaration ─ value of each: type, range, length ─┐
//!     └──── what is left over: unknown ─────────────────────────────────────────────────────┴─ all of it, or the first fault
//! ```
//!
//! An agent's answer is paid for, and so read tolerantly. A program can correct its call at no cost, so nothing is
//! converted (`"3"` is not 3), cut or ignored: a request is carried out or refused. The first fault is the same in
//! whatever order the program wrote its fields. A refusal names the field by the key that was used, the value given,
//! and the values allowed.

use std::io;

use serde_json::{Map, Value};

use super::entry::Entry;
use super::field::{Absence, Fallback, Field, Kind, Spec, Word, words};
use super::read::{Declaration, FieldType, Rejection};
use crate::kernel::Chance;
use crate::text::sanitize;

/// Maximum length of a given value in a refusal, in characters.
pub const SHOWN: usize = 60;

/// Maximum length of a path in bytes, as systems define it (`PATH_MAX`).
pub const PATH_BYTES: usize = 4_096;

/// The values a program may give.
#[derive(Debug, Clone, Copy)]
pub enum Exact {
    /// Non-blank text of 1 to `most` bytes.
    Text {
        /// Maximum length in bytes of UTF-8.
        most: usize,
    },
    /// A file or folder: 1 to [`PATH_BYTES`] bytes.
    Path,
    /// An id or a prefix of one: `a-z`, `0-9` and `-`, which may not come first.
    Start {
        /// Minimum length in characters: a shorter prefix would be a guess.
        least: usize,
        /// Maximum length in characters.
        most: usize,
    },
    /// `true` or `false`.
    Flag,
    /// A whole number.
    Whole {
        /// Minimum.
        least: u32,
        /// Maximum.
        most: u32,
    },
    /// One of these words.
    Word(fn() -> Vec<&'static str>),
    /// Short texts without duplicates.
    Names {
        /// Minimum number.
        least: usize,
        /// Maximum number.
        most: usize,
        /// Maximum length of each, in characters.
        longest: usize,
    },
    /// Objects of any form, at least one.
    Objects {
        /// Maximum number.
        most: usize,
        /// Maximum total size in bytes, as compact JSON.
        bytes: usize,
    },
}

/// Non-blank text.
pub const fn text(most: usize) -> Field<String> {
    Field::new(Kind::Exact(Exact::Text { most }))
}

/// A file or folder.
pub const fn path() -> Field<String> {
    Field::new(Kind::Exact(Exact::Path))
}

/// An id or a prefix of one.
pub const fn start(least: usize, most: usize) -> Field<String> {
    Field::new(Kind::Exact(Exact::Start { least, most }))
}

/// `true` or `false`.
pub const fn flag() -> Field<bool> {
    Field::new(Kind::Exact(Exact::Flag))
}

/// A whole number.
pub const fn whole(least: u32, most: u32) -> Field<u32> {
    Field::new(Kind::Exact(Exact::Whole { least, most }))
}

/// One word of a closed list.
pub const fn word<T: Word>() -> Field<T> {
    Field::new(Kind::Exact(Exact::Word(words::<T>)))
}

/// Short texts without duplicates; empty if not given.
pub const fn names(least: usize, most: usize, longest: usize) -> Field<Vec<String>> {
    Field::new(Kind::Exact(Exact::Names { least, most, longest })).may_miss()
}

/// Objects of any form.
pub const fn objects(most: usize, bytes: usize) -> Field<Vec<Map<String, Value>>> {
    Field::new(Kind::Exact(Exact::Objects { most, bytes }))
}

/// Reads an object given by a program. `no_such` refuses an unknown key.
///
/// # Errors
/// The first fault in the order of the fields, else the refusal of the first unknown key in alphabetical
/// order.
pub fn read<T: Declaration>(
    given: Map<String, Value>,
    no_such: impl FnOnce(&str) -> String,
) -> Result<T, String> {
    let mut entry = Entry::whole(given, Chance::Last);
    let said = T::read(&mut entry);
    if !entry.faults.is_empty() {
        return Err(entry.faults.swap_remove(0).message);
    }
    match entry.unknown(T::ITEM).min() {
        Some(unknown) => Err(no_such(unknown)),
        None => Ok(said),
    }
}

/// Formats the refusal of a field: the fault, and the allowed values.
pub fn refusal(key: &str, wrong: &str, allowed: &str) -> String {
    format!("`{}`: {wrong}; allowed: {allowed}", sanitize::line(key, SHOWN))
}

/// Reads a field as declared, or refuses it.
pub(super) fn argument<T: FieldType>(field: &Field<T>, exact: Exact, entry: &mut Entry<'_>) -> T {
    let spec = &field.spec;
    let mut given = spec.keys().filter_map(|key| Some((key, entry.take(key)?)));
    let refused = match (given.next(), given.next()) {
        (Some(_), Some((other, _))) => {
            let wrong = format!("it is another spelling of `{}`, which is also given", spec.key);
            refusal(other, &wrong, "one of them")
        }
        (Some((key, value)), None) => match (field.reader)(value, spec, entry) {
            Ok(said) => return said.unwrap_or_else(|| T::none(spec)),
            Err(wrong) => refusal(key, &wrong.message, &allowed(exact, spec.usual)),
        },
        (None, _) if spec.absent == Absence::Wrong => {
            refusal(spec.key, "it is missing", &allowed(exact, spec.usual))
        }
        (None, _) => return T::none(spec),
    };
    entry.fault("refused", &refused);
    T::none(spec)
}

/// Returns the words of a field, the usual one first.
pub fn listed(words: fn() -> Vec<&'static str>, usual: Fallback) -> Vec<&'static str> {
    let mut words = words();
    words.sort_by_key(|word| Fallback::Word(word) != usual);
    words
}

/// Describes the allowed values for a refusal.
pub(super) fn allowed(exact: Exact, usual: Fallback) -> String {
    match exact {
        Exact::Text { most } => format!("text of 1 to {} bytes", thousands(most)),
        Exact::Path => format!("a path of 1 to {} bytes without NUL", thousands(PATH_BYTES)),
        Exact::Start { least, most } => format!(
            "an id, or its first {least} characters or more: a-z, 0-9 and `-`, at most {most}"
        ),
        Exact::Flag => "true, false".to_owned(),
        Exact::Whole { least, most } => format!("a whole number from {least} to {most}"),
        Exact::Word(words) => {
            let words: Vec<String> =
                listed(words, usual).iter().map(|word| format!("\"{word}\"")).collect();
            words.join(", ")
        }
        Exact::Names { least, most, longest } => format!(
            "a list of {least} to {most} different texts, each of 1 to {longest} characters"
        ),
        Exact::Objects { most, bytes } => format!(
            "a list of 1 to {most} objects, all together at most {} bytes of JSON",
            thousands(bytes)
        ),
    }
}

/// The fault of a value, without its key and the allowed values, which [`argument`] adds.
fn wrong(message: String) -> Rejection {
    Rejection::new("refused", message)
}

/// Reports a value of the wrong type or out of range.
fn other(value: &Value) -> Rejection {
    wrong(given(value))
}

pub(super) fn read_text(value: Value, exact: Exact) -> Result<String, Rejection> {
    let text = string(value)?;
    let fault = match exact {
        Exact::Text { .. } if is_blank(&text) => "the text is blank".to_owned(),
        Exact::Text { most } if text.len() > most => {
            format!("the text has {} bytes", thousands(text.len()))
        }
        Exact::Path if text.is_empty() => "it is empty".to_owned(),
        Exact::Path if text.contains('\0') => "it contains a NUL byte".to_owned(),
        Exact::Path if text.len() > PATH_BYTES => {
            format!("it has {} bytes", thousands(text.len()))
        }
        Exact::Start { least, most } if !is_start(&text, least, most) => shown(&text) + IS_GIVEN,
        Exact::Text { .. } | Exact::Path | Exact::Start { .. } => return Ok(text),
        Exact::Flag
        | Exact::Whole { .. }
        | Exact::Word(_)
        | Exact::Names { .. }
        | Exact::Objects { .. } => shown(&text) + IS_GIVEN,
    };
    Err(wrong(fault))
}

/// Whether a text could be an id or a prefix of one.
fn is_start(text: &str, least: usize, most: usize) -> bool {
    (least..=most).contains(&text.len())
        && !text.starts_with('-')
        && text.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-'))
}

pub(super) fn read_flag(value: &Value) -> Result<bool, Rejection> {
    value.as_bool().ok_or_else(|| other(value))
}

pub(super) fn read_word<T: Word>(value: &Value) -> Result<T, Rejection> {
    value.as_str().and_then(T::of).ok_or_else(|| other(value))
}

pub(super) fn read_whole(value: &Value, exact: Exact) -> Result<u32, Rejection> {
    let Exact::Whole { least, most } = exact else {
        return Err(other(value));
    };
    let number = number(value).filter(|number| (least..=most).contains(number));
    number.ok_or_else(|| other(value))
}

/// Reads a whole number in either form: 3 or 3.0, but not "3".
fn number(value: &Value) -> Option<u32> {
    if let Some(number) = value.as_u64() {
        return u32::try_from(number).ok();
    }
    let number = value.as_f64().filter(|number| number.fract() == 0.0)?;
    // Adding 0 turns -0 into 0; formatting a whole number is exact.
    format!("{:.0}", number + 0.0).parse().ok()
}

pub(super) fn read_names(value: Value, exact: Exact) -> Result<Vec<String>, Rejection> {
    let Exact::Names { least, most, longest } = exact else {
        return Err(other(&value));
    };
    let values = list(value, least, most)?;
    let mut names = Vec::with_capacity(values.len());
    for (place, value) in (1..).zip(values) {
        let name =
            string(value).map_err(|fault| wrong(format!("entry {place}: {}", fault.message)))?;
        if is_blank(&name) {
            return Err(wrong(format!("entry {place} is blank")));
        }
        let length = name.chars().count();
        if length > longest {
            return Err(wrong(format!("entry {place} has {} characters", thousands(length))));
        }
        if names.contains(&name) {
            return Err(wrong(shown(&name) + " is given twice"));
        }
        names.push(name);
    }
    Ok(names)
}

impl FieldType for Vec<Map<String, Value>> {
    fn read(value: Value, spec: &Spec, _: &mut Entry<'_>) -> Result<Option<Self>, Rejection> {
        let Kind::Exact(Exact::Objects { most, bytes }) = spec.kind else {
            return Err(other(&value));
        };
        let values = list(value, 1, most)?;
        let mut objects = Self::with_capacity(values.len());
        for (place, value) in (1..).zip(values) {
            let Value::Object(object) = value else {
                return Err(wrong(format!("entry {place}: {}", given(&value))));
            };
            objects.push(object);
        }
        let mut size = Size(0);
        // Only the sink could fail, and it does not.
        serde_json::to_writer(&mut size, &objects).map_err(|error| wrong(error.to_string()))?;
        if size.0 > bytes {
            return Err(wrong(format!("they have {} bytes", thousands(size.0))));
        }
        Ok(Some(objects))
    }

    fn none(_: &Spec) -> Self {
        Self::new()
    }
}

/// Counts bytes and stores none.
struct Size(usize);

impl io::Write for Size {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 = self.0.saturating_add(bytes.len());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn list(value: Value, least: usize, most: usize) -> Result<Vec<Value>, Rejection> {
    let Value::Array(values) = value else {
        return Err(other(&value));
    };
    let fault = match values.len() {
        count if (least..=most).contains(&count) => return Ok(values),
        0 => "the list is empty".to_owned(),
        1 => "the list has 1 entry".to_owned(),
        count => format!("the list has {} entries", thousands(count)),
    };
    Err(wrong(fault))
}

fn string(value: Value) -> Result<String, Rejection> {
    if let Value::String(text) = value { Ok(text) } else { Err(other(&value)) }
}

fn is_blank(text: &str) -> bool {
    // U+FEFF is white space in JSON Schema's patterns, and invisible to a reader.
    text.chars().all(|c| c.is_whitespace() || c == '\u{feff}')
}

const IS_GIVEN: &str = " is given";

/// Shows the given value in a refusal.
fn given(value: &Value) -> String {
    let what = match value {
        Value::Null => "null".to_owned(),
        Value::Bool(flag) => flag.to_string(),
        Value::Number(number) => sanitize::line(&number.to_string(), SHOWN),
        Value::String(text) => shown(text),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
    };
    what + IS_GIVEN
}

fn shown(text: &str) -> String {
    format!("\"{}\"", sanitize::line(text, SHOWN))
}

/// Formats a count with thousands separators: 65,536.
fn thousands(count: usize) -> String {
    let digits = count.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.char_indices() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
