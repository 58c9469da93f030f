//! The arguments of a call, checked against its tool's fields.
//!
//! # Theory of operation
//!
//! ```text
//!   given ─ fields of the table, in its order ─ value of each: type, range, length ─┐
//!     └──── what is left over: unknown ─────────────────────────────────────────────┴─ Arguments, or the first fault
//! ```
//!
//! Nothing is converted (`"3"` is no 3), nothing is cut, nothing is ignored: what a client asks for is done or refused. The
//! first fault is the same in whatever order the client wrote them. What only the machine can tell (whether a path lies
//! where it may, whether an agent exists) is judged where it is used.
//!
//! A refusal names the field as the client spelled it, what was given, and what is allowed.

use std::collections::BTreeMap;
use std::io;
use std::time::Duration;

use serde_json::{Map, Value};

use super::answer::Answer;
use super::tool::{Field, Kind, Tool};
use crate::config::error::nearest;
use crate::text::sanitize;

/// Bytes of a path, as systems have them (`PATH_MAX`).
pub(super) const PATH_BYTES: usize = 4_096;

/// Fewest characters of the start of a session's id: fewer would be a guess.
const SESSION_LEAST: usize = 4;

/// Most of them, by the store's rule.
const SESSION_MOST: usize = 64;

/// The same rule for a schema.
pub(super) const SESSION_PATTERN: &str = "^[a-z0-9][a-z0-9-]{3,63}$";

/// Characters of what was given that a refusal shows.
const SHOWN: usize = 60;

/// Arguments that may be used: known, of the right type, within bounds. Defaults of the table are filled in.
#[derive(Debug, Clone)]
pub(crate) struct Arguments {
    fields: &'static [Field],
    taken: BTreeMap<&'static str, Taken>,
}

/// A value that was checked.
#[derive(Debug, Clone, PartialEq)]
enum Taken {
    /// Of a text, a path, a session.
    Text(String),
    Flag(bool),
    Whole(u32),
    /// The word of the table.
    Choice(&'static str),
    Names(Vec<String>),
    Objects(Vec<Value>),
}

impl Arguments {
    /// Checks what was given.
    ///
    /// # Errors
    /// The answer that names the field and what it may hold.
    pub(crate) fn check(
        tool: &'static Tool,
        mut given: Map<String, Value>,
    ) -> Result<Self, Answer> {
        let mut taken = BTreeMap::new();
        for field in tool.fields {
            if let Some(value) = one(field, &mut given)? {
                taken.insert(field.name, value);
            }
        }
        match given.keys().min() {
            Some(unknown) => Err(no_such(tool, unknown)),
            None => Ok(Self { fields: tool.fields, taken }),
        }
    }

    /// Returns a text, a path or a session's id.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        if let Taken::Text(text) = self.taken(name)? { Some(text) } else { None }
    }

    /// Returns whether a flag is set.
    pub(crate) fn flag(&self, name: &str) -> bool {
        matches!(self.taken(name), Some(Taken::Flag(true)))
    }

    /// Returns a whole number.
    pub(crate) fn whole(&self, name: &str) -> Option<u32> {
        if let Taken::Whole(number) = self.taken(name)? { Some(*number) } else { None }
    }

    /// Returns one of the words of the table.
    pub(crate) fn choice(&self, name: &str) -> Option<&'static str> {
        if let Taken::Choice(word) = self.taken(name)? { Some(word) } else { None }
    }

    /// Returns names or other short texts; none where none were given.
    pub(crate) fn names(&self, name: &str) -> &[String] {
        if let Some(Taken::Names(names)) = self.taken(name) { names } else { &[] }
    }

    /// Returns objects.
    pub(crate) fn objects(&self, name: &str) -> Option<&[Value]> {
        if let Taken::Objects(objects) = self.taken(name)? { Some(objects) } else { None }
    }

    /// Returns how long the call waits for its run.
    pub(crate) fn wait(&self) -> Duration {
        Duration::from_secs(self.whole("wait_seconds").unwrap_or_default().into())
    }

    fn taken(&self, name: &str) -> Option<&Taken> {
        debug_assert!(
            self.fields.iter().any(|field| field.name == name),
            "the table has no `{name}` here: what a client gives would be ignored"
        );
        self.taken.get(name)
    }
}

/// Takes one field out of what was given; `None`: it was not given and has no default.
fn one(field: &Field, given: &mut Map<String, Value>) -> Result<Option<Taken>, Answer> {
    let mut take = |name: &'static str| {
        let value = given.remove(name).filter(|value| !value.is_null());
        value.map(|value| (name, value))
    };
    match (take(field.name), field.alias.and_then(take)) {
        (Some(_), Some((alias, _))) => {
            let wrong = format!("it is another spelling of `{}`, which is given too", field.name);
            Err(refused(alias, &wrong, "one of them"))
        }
        (Some((name, value)), None) | (None, Some((name, value))) => (judged(field.kind, value))
            .map(Some)
            .map_err(|wrong| refused(name, &wrong, &allowed(field.kind))),
        (None, None) if field.required => {
            Err(refused(field.name, "it is missing", &allowed(field.kind)))
        }
        (None, None) => Ok(default(field.kind)),
    }
}

/// What holds where nothing is given.
fn default(kind: Kind) -> Option<Taken> {
    match kind {
        Kind::Flag { default } => Some(Taken::Flag(default)),
        Kind::Whole { default, .. } => default.map(Taken::Whole),
        Kind::Choice { default, .. } => default.map(Taken::Choice),
        Kind::Text { .. }
        | Kind::Names { .. }
        | Kind::Path
        | Kind::Session
        | Kind::Objects { .. } => None,
    }
}

/// Judges one value. The error says what is wrong.
fn judged(kind: Kind, value: Value) -> Result<Taken, String> {
    match kind {
        Kind::Text { most } => text(value, most).map(Taken::Text),
        Kind::Flag { .. } => match value.as_bool() {
            Some(flag) => Ok(Taken::Flag(flag)),
            None => Err(given(&value)),
        },
        Kind::Whole { least, most, .. } => (whole(&value))
            .filter(|number| (least..=most).contains(number))
            .map(Taken::Whole)
            .ok_or_else(|| given(&value)),
        Kind::Choice { of, .. } => (of.iter())
            .find(|word| value.as_str() == Some(**word))
            .map(|word| Taken::Choice(word))
            .ok_or_else(|| given(&value)),
        Kind::Names { least, most, longest } => {
            names(value, least, most, longest).map(Taken::Names)
        }
        Kind::Path => path(value).map(Taken::Text),
        Kind::Session => match value {
            Value::String(id) if is_session(&id) => Ok(Taken::Text(id)),
            Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::String(_)
            | Value::Array(_)
            | Value::Object(_) => Err(given(&value)),
        },
        Kind::Objects { most, bytes } => objects(value, most, bytes).map(Taken::Objects),
    }
}

fn text(value: Value, most: usize) -> Result<String, String> {
    let text = string(value)?;
    if is_blank(&text) {
        return Err("the text is blank".to_owned());
    }
    if text.len() > most {
        return Err(format!("the text has {} bytes", thousands(text.len())));
    }
    Ok(text)
}

fn path(value: Value) -> Result<String, String> {
    let path = string(value)?;
    if path.is_empty() {
        return Err("it is empty".to_owned());
    }
    if path.contains('\0') {
        return Err("there is a NUL in it".to_owned());
    }
    if path.len() > PATH_BYTES {
        return Err(format!("it has {} bytes", thousands(path.len())));
    }
    Ok(path)
}

/// Whether a text could be a session's id or the start of one, by the store's rule.
fn is_session(text: &str) -> bool {
    (SESSION_LEAST..=SESSION_MOST).contains(&text.len())
        && !text.starts_with('-')
        && (text.bytes()).all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-'))
}

/// Reads a number without a fraction, however it is written: 3 and 3.0, never "3".
fn whole(value: &Value) -> Option<u32> {
    if let Some(number) = value.as_u64() {
        return u32::try_from(number).ok();
    }
    let number = value.as_f64().filter(|number| number.fract() == 0.0)?;
    // The sum turns -0 into 0; the format of a whole number is exact.
    format!("{:.0}", number + 0.0).parse().ok()
}

fn names(value: Value, least: usize, most: usize, longest: usize) -> Result<Vec<String>, String> {
    let values = list(value, least, most)?;
    let mut names = Vec::with_capacity(values.len());
    for (place, value) in (1..).zip(values) {
        let name = string(value).map_err(|wrong| format!("entry {place}: {wrong}"))?;
        if is_blank(&name) {
            return Err(format!("entry {place} is blank"));
        }
        let length = name.chars().count();
        if length > longest {
            return Err(format!("entry {place} has {} characters", thousands(length)));
        }
        if names.contains(&name) {
            return Err(format!("{} is given twice", shown(&name)));
        }
        names.push(name);
    }
    Ok(names)
}

fn objects(value: Value, most: usize, bytes: usize) -> Result<Vec<Value>, String> {
    let values = list(value, 1, most)?;
    if let Some((place, other)) = (1..).zip(&values).find(|(_, value)| !value.is_object()) {
        return Err(format!("entry {place}: {}", given(other)));
    }
    let mut size = Size(0);
    // Only the sink could fail, and it does not.
    serde_json::to_writer(&mut size, &values).map_err(|error| error.to_string())?;
    if size.0 > bytes {
        return Err(format!("they have {} bytes", thousands(size.0)));
    }
    Ok(values)
}

/// Counts bytes and keeps none.
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

fn list(value: Value, least: usize, most: usize) -> Result<Vec<Value>, String> {
    let Value::Array(values) = value else {
        return Err(given(&value));
    };
    match values.len() {
        count if (least..=most).contains(&count) => Ok(values),
        0 => Err("the list is empty".to_owned()),
        1 => Err("the list has 1 entry".to_owned()),
        count => Err(format!("the list has {} entries", thousands(count))),
    }
}

fn string(value: Value) -> Result<String, String> {
    if let Value::String(text) = value { Ok(text) } else { Err(given(&value)) }
}

fn is_blank(text: &str) -> bool {
    // The last is white space to JSON Schema's patterns, and nothing to a reader.
    text.chars().all(|c| c.is_whitespace() || c == '\u{feff}')
}

/// What was given, for a refusal.
fn given(value: &Value) -> String {
    match value {
        Value::Null => "null is given".to_owned(),
        Value::Bool(flag) => format!("{flag} is given"),
        Value::Number(number) => format!("{} is given", sanitize::line(&number.to_string(), SHOWN)),
        Value::String(text) => format!("{} is given", shown(text)),
        Value::Array(_) => "a list is given".to_owned(),
        Value::Object(_) => "an object is given".to_owned(),
    }
}

fn shown(text: &str) -> String {
    format!("\"{}\"", sanitize::line(text, SHOWN))
}

/// What a field may hold, for a refusal.
fn allowed(kind: Kind) -> String {
    match kind {
        Kind::Text { most } => format!("text of 1 to {} bytes", thousands(most)),
        Kind::Flag { .. } => "true, false".to_owned(),
        Kind::Whole { least, most, .. } => {
            format!("a whole number from {least} to {most}")
        }
        Kind::Choice { of, .. } => {
            let words = of.iter().map(|word| format!("\"{word}\""));
            words.collect::<Vec<_>>().join(", ")
        }
        Kind::Names { least, most, longest } => format!(
            "a list of {least} to {most} different texts, each of 1 to {longest} characters"
        ),
        Kind::Path => format!("a path of 1 to {} bytes without NUL", thousands(PATH_BYTES)),
        Kind::Session => format!(
            "an id, or its first {SESSION_LEAST} characters or more: a-z, 0-9 and `-`, at most {SESSION_MOST}"
        ),
        Kind::Objects { most, bytes } => format!(
            "a list of 1 to {most} objects, all together at most {} bytes of JSON",
            thousands(bytes)
        ),
    }
}

fn refused(name: &str, wrong: &str, allowed: &str) -> Answer {
    Answer::field(&sanitize::line(name, SHOWN), format!("{wrong}; allowed: {allowed}"))
}

/// Refuses a field that the tool does not have.
fn no_such(tool: &Tool, unknown: &str) -> Answer {
    let names = || tool.fields.iter().map(|field| field.name);
    // Whatever is longer than any name by far is near to none.
    let near = (unknown.len() <= SHOWN).then(|| nearest(unknown, names()));
    let hint = near.flatten().map_or_else(String::new, |name| format!(" (did you mean `{name}`?)"));
    let wrong = format!("`{}` has no such argument{hint}", tool.name);
    let known: Vec<String> = names().map(|name| format!("`{name}`")).collect();
    let allowed = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
    refused(unknown, &wrong, &allowed)
}

/// A count with its thousands apart: 65,536.
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

#[cfg(test)]
mod tests;
