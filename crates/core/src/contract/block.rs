//! A block of an answer, declared once: its name, its content, and the type it is read into.

use serde_json::{Map, Value};

use super::entry::Entry;
use super::judge::Diagnostics;
use super::outline::{Body, Outline};
use super::read::Declaration;
use crate::kernel::Chance;
use crate::text::block::BlockBody;
use crate::text::written::plain_key;

/// A block that is read as a `T`.
#[must_use]
#[derive(Debug)]
pub struct Block<T> {
    /// Its declaration without the type.
    pub outline: Outline,
    read: fn(&mut Diagnostics, &Outline, BlockBody) -> Option<T>,
}

impl<T> Block<T> {
    const fn new(
        name: &'static str,
        body: Body,
        read: fn(&mut Diagnostics, &Outline, BlockBody) -> Option<T>,
    ) -> Self {
        let outline = Outline { name, body, required: true, unasked: &[], only: None, words: &[] };
        Self { outline, read }
    }

    /// The same block, which a reply may leave out.
    pub const fn optional(mut self) -> Self {
        self.outline.required = false;
        self
    }

    /// The same block in a turn that does not ask for the fields with these keys: they may be given, but are not
    /// owed.
    pub const fn without(mut self, keys: &'static [&'static str]) -> Self {
        self.outline.unasked = keys;
        self
    }

    /// The same block in a turn where only this word is allowed under the key; if it is missing, it is
    /// assumed.
    pub const fn only(mut self, key: &'static str, word: &'static str) -> Self {
        self.outline.only = Some((key, word));
        self
    }

    /// The same block, for which the template shows other words for the values of fields with these keys, at any depth.
    pub const fn shown(mut self, words: &'static [(&'static str, &'static str)]) -> Self {
        self.outline.words = words;
        self
    }

    /// Returns its name.
    pub const fn name(&self) -> &'static str {
        self.outline.name
    }

    /// Reads the content; `None` if a fault was reported.
    pub(super) fn read(&self, judge: &mut Diagnostics, content: BlockBody) -> Option<T> {
        (self.read)(judge, &self.outline, content)
    }
}

/// Declares a block that holds an object.
pub const fn object<T: Declaration>(name: &'static str) -> Block<T> {
    Block::new(name, Body::Object(T::ITEM), read_object::<T>)
}

fn read_object<T: Declaration>(
    judge: &mut Diagnostics,
    outline: &Outline,
    content: BlockBody,
) -> Option<T> {
    let BlockBody::Json(Value::Object(map)) = content else {
        judge.problem("wrong_type", "give one JSON object".to_owned());
        return None;
    };
    Some(judge.object_of(map, outline))
}

/// Declares a block of plain words, which must be present and differ from the template's.
pub const fn plain(
    name: &'static str,
    noun: &'static str,
    shown: &'static str,
    most: usize,
) -> Block<String> {
    Block::new(name, Body::Text { noun, shown, most }, read_text)
}

fn read_text(judge: &mut Diagnostics, outline: &Outline, content: BlockBody) -> Option<String> {
    let (BlockBody::Text(text), Body::Text { noun, shown, most }) = (content, outline.body) else {
        return None;
    };
    let text = text.trim();
    // The template is text too, so an agent that only repeats it would seem to have answered.
    if text.is_empty() || text.split_whitespace().eq(shown.split_whitespace()) {
        judge.problem("empty_block", format!("write the {noun} between the markers"));
        return None;
    }
    let chars = text.chars().count();
    if chars <= most {
        return Some(text.to_owned());
    }
    let message = format!("the {noun} has {chars} characters, over the limit of {most}");
    if judge.chance == Chance::First {
        judge.problem("too_long", format!("{message}; make it shorter"));
        return None;
    }
    judge.note("shortened", format!("{message}; it was cut there"));
    Some(text.chars().take(most - 1).chain(['…']).collect())
}

/// Declares a block that holds ids in order.
pub const fn ids(name: &'static str) -> Block<Vec<String>> {
    Block::new(name, Body::Ids, read_ids)
}

/// Reads the ids of an array as written, also out of objects. A block without ids is not an answer.
fn read_ids(judge: &mut Diagnostics, outline: &Outline, content: BlockBody) -> Option<Vec<String>> {
    let BlockBody::Json(Value::Array(entries)) = content else {
        judge.problem("wrong_type", "give a JSON array of ids".to_owned());
        return None;
    };
    if entries.is_empty() {
        judge.problem("empty_block", "the array is empty; rank every id".to_owned());
        return None;
    }
    let mut unwrapped = false;
    let mut ids = Vec::with_capacity(entries.len());
    let mut ranks = Vec::new();
    for (number, entry) in (1..).zip(entries) {
        let id = match entry {
            Value::String(id) => Some(id),
            Value::Object(map) => {
                unwrapped = true;
                ranks.extend(rank_in(&map));
                id_in(&map)
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => None,
        };
        let Some(id) = id else {
            let message = format!("entry {number} is not an id; give the ids themselves, as text");
            judge.problem("wrong_type", message);
            return None;
        };
        ids.push(id);
    }
    if ranks.windows(2).any(|pair| pair[0] >= pair[1]) {
        let message =
            "the entries' own ranks contradict their order; give only the ids, best first";
        judge.problem("wrong_order", message.to_owned());
        return None;
    }
    if unwrapped {
        judge.note("unwrapped", format!("{}: ids were extracted from objects", outline.name));
    }
    Some(ids)
}

fn id_in(entry: &Map<String, Value>) -> Option<String> {
    let under = |wanted: &str| {
        let is = |key: &str| plain_key(key) == plain_key(wanted);
        entry.iter().find(|(key, _)| is(key)).map(|(_, id)| id)
    };
    let id = under("opportunity_id").or_else(|| under("id"));
    id.and_then(Value::as_str).map(str::to_owned)
}

fn rank_in(entry: &Map<String, Value>) -> Option<f64> {
    let mut said =
        entry.iter().filter(|(key, _)| ["rank", "position", "place"].contains(&&*plain_key(key)));
    said.find_map(|(_, place)| match place.as_str() {
        Some(place) => place.trim().trim_start_matches('#').parse().ok(),
        None => place.as_f64(),
    })
}

/// The content of an object keyed by id: the keys as written, each with its value, or with the JSON that cannot be
/// read.
pub type ById<V> = Vec<(String, Result<V, Value>)>;

/// Declares a block that holds an object keyed by id, with an object for each, which its field that can stand
/// [alone](super::field::Field::alone) may replace.
pub const fn by_id<T: Declaration>(name: &'static str) -> Block<ById<T>> {
    Block::new(name, Body::ById(T::ITEM), read_by_id::<T>)
}

/// Reads the entries of an object keyed by id. A block without entries is not an answer.
fn read_by_id<T: Declaration>(
    judge: &mut Diagnostics,
    outline: &Outline,
    content: BlockBody,
) -> Option<ById<T>> {
    let BlockBody::Json(Value::Object(map)) = content else {
        judge.problem("wrong_type", "give a JSON object with the ids as keys".to_owned());
        return None;
    };
    if map.is_empty() {
        judge.problem("empty_block", "the object is empty; give every id as a key".to_owned());
        return None;
    }
    let mut said = Vec::with_capacity(map.len());
    for (id, value) in map {
        let mut entry = Entry::under(&id, T::ITEM, value.clone(), judge.chance);
        entry.words = outline.words;
        let read = entry.faults.is_empty().then(|| entry.declared());
        said.push(match read.filter(|_| entry.faults.is_empty()) {
            Some(read) => {
                judge.notes.append(&mut entry.notes);
                (id, Ok(read))
            }
            None => (id, Err(value)),
        });
    }
    Some(said)
}
