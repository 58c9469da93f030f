//! Whether only the form of an answer is at fault, and whether an answer in the right form says the same.
//!
//! The author of such an answer can correct it without the question, which is most of a prompt. Two conditions must
//! hold: everything the form needs is present, and it is the agent's own. So a fault is not of form if the answer is
//! cut off, contradicts itself, lacks something, or could be a quotation of the prompt's data; and in a corrected
//! answer, the deciding values must be those that could be read before.

use serde_json::Value;

use super::quotation::{Found, any_data_line};
use super::source::{Source, holds_placeholder};
use super::{BlockBody, BlockLimits, ExpectedBlock, Form, Shape, extract};
use crate::text::Problem;
use crate::text::ids::{IdIndex, IdMatch};
use crate::text::markers::{self, Edge};
use crate::text::written;

/// The codes of faults of form. Others mean that something is missing, cut off, given twice, or not the agent's.
const OF_FORM: [&str; 9] = [
    "bad_json",
    "crossed_markers",
    "end_without_start",
    "lookalike_marker",
    "missing_block",
    "out_of_range",
    "unknown_word",
    "wrong_shape",
    "wrong_type",
];

/// Maximum size of an answer that is shown to its author in full, in bytes (64 KiB).
const MOST: usize = super::EXCERPT;

/// A field whose value decides rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decisive {
    /// The keys under which it is accepted, its own first.
    pub keys: Vec<&'static str>,
    /// Its possible values.
    pub values: Values,
}

/// The values of a field that decides rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Values {
    /// An id that was shown.
    Ids,
    /// A word of a closed list: each accepted word, with its meaning.
    Words(Vec<(&'static str, &'static str)>),
    /// A whole number.
    Whole {
        /// Minimum.
        least: u8,
        /// Maximum.
        most: u8,
    },
    /// A name that the author chooses.
    Names,
}

impl Values {
    /// Normalises the value if it can be read, in any accepted form.
    fn read(&self, written: &str, ids: &IdIndex) -> Option<String> {
        match self {
            Self::Ids => match ids.resolve(written) {
                IdMatch::Exact(at) | IdMatch::Normalised(at) => ids.ids().get(at).cloned(),
                IdMatch::Unknown => None,
            },
            Self::Words(words) => {
                let meant = |each: &str| {
                    let mut words = words.iter();
                    words.find(|(word, _)| each.eq_ignore_ascii_case(word)).map(|(_, is)| *is)
                };
                written::word(written, meant).map(str::to_owned)
            }
            Self::Whole { least, most } => {
                let number = written::whole(written::number(written, f64::from(*most))?)?;
                (*least..=*most).contains(&number).then(|| number.to_string())
            }
            Self::Names => Some(written.trim().to_lowercase()).filter(|name| !name.is_empty()),
        }
    }
}

/// Whether only the form of an answer is at fault. `ids`: the ids that it may name. `prompt`: the prompt it answers,
/// with its data inside `boundary`.
pub fn is_of_form(
    reply: &[u8],
    problems: &[Problem],
    wants: &[ExpectedBlock],
    ids: &[String],
    prompt: &str,
    boundary: &str,
) -> bool {
    let Some(text) = std::str::from_utf8(reply).ok().filter(|text| text.len() <= MOST) else {
        return false;
    };
    let text = straight(text);
    !holds_placeholder(&text)
        && !leaves_out(&text)
        && problems.iter().all(|problem| {
            let want = wants.iter().find(|want| problem.block.as_deref() == Some(want.name));
            let is_missing = problem.code == "missing_block";
            let found = if is_missing { Found::AmidProse } else { Found::Alone };
            OF_FORM.contains(&&*problem.code)
                && want.is_some_and(|want| {
                    is_recognised(&text, want, ids, is_missing)
                        && !may_be_quoted(want, prompt, boundary, found)
                })
        })
}

/// Replaces typographic quotes and brackets with those of JSON, so that values are found between them.
fn straight(text: &str) -> String {
    let entities =
        [("&quot;", "\""), ("&#34;", "\""), ("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&")];
    let text = entities.iter().fold(text.to_owned(), |text, (from, to)| text.replace(from, to));
    text.replace(['\u{201c}', '\u{201d}', '\u{201e}'], "\"")
}

/// Whether entries were left out of a list on purpose: `[..., ...]`.
fn leaves_out(text: &str) -> bool {
    ["...", "\u{2026}"].iter().any(|dots| {
        text.match_indices(dots).any(|(at, _)| {
            let before = text[..at].trim_end().chars().next_back();
            matches!(before, Some(',' | '[' | '{' | '}' | ']'))
        })
    })
}

/// Whether everything a block needs can be found, if not in its form.
fn is_recognised(text: &str, want: &ExpectedBlock, ids: &[String], is_missing: bool) -> bool {
    match (want.shape, want.form) {
        (Shape::Text, _) => false,
        (Shape::Array, _) => !is_missing && !order(&region(text, want.name), ids).is_empty(),
        (Shape::Object, Form::Fields { key: Some(_), .. }) => {
            let region = region(text, want.name);
            // `null` says that there is nothing, and a list that ends before its first entry is cut
            // off.
            let is_there = (want.form.keys())
                .any(|key| values(&region, key).any(|value| !value.eq_ignore_ascii_case("null")));
            let mut decides = want.decides.iter().flat_map(|field| &field.keys);
            is_there
                && (want.decides.is_empty()
                    || decides.any(|key| values(&region, key).next().is_some()))
        }
        (Shape::Object, Form::ById) => {
            let region = region(text, want.name);
            ids.iter().any(|id| values(&region, id).next().is_some())
        }
        (Shape::Object, Form::Fields { key: None, .. } | Form::Any) => !is_missing,
    }
}

/// Whether the prompt's data mentions the block's keys, so that the answer could be a quotation.
fn may_be_quoted(want: &ExpectedBlock, prompt: &str, boundary: &str, found: Found) -> bool {
    let keys: Vec<&str> = want.form.keys().collect();
    let is_key = |word: &str| keys.iter().any(|key| word.eq_ignore_ascii_case(key));
    !keys.is_empty() && any_data_line(prompt, boundary, found, |line| words(line).any(is_key))
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_'))
}

/// Whether a corrected answer agrees with what could be read of the faulty one.
///
/// # Errors
/// The block and the field in which they differ.
pub fn says_the_same(
    faulty: &[u8],
    corrected: &[u8],
    wants: &[ExpectedBlock],
    ids: &[String],
) -> Result<(), String> {
    let faulty = straight(&Source::decode(faulty).text);
    let corrected = extract(corrected, false, wants, &[], BlockLimits::default(), true);
    let corrected = corrected.map(|found| found.contents).unwrap_or_default();
    let index = IdIndex::new(ids).generous(true);
    for (want, content) in wants.iter().zip(corrected) {
        let Some(BlockBody::Json(value)) = content else {
            continue;
        };
        let region = region(&faulty, want.name);
        match (want.shape, want.form) {
            (Shape::Array, _) => {
                let before = order(&region, ids);
                let mut after = order(&value.to_string(), ids);
                after.retain(|id| before.contains(id));
                if before != after {
                    return Err(format!("the order in {}", want.name));
                }
            }
            (_, Form::ById) => {
                for id in ids {
                    let read = |text: &str| {
                        let values = values(text, id).map(|value| value.trim().to_lowercase());
                        values.filter(|value| !value.starts_with(['{', '['])).collect::<Vec<_>>()
                    };
                    let (before, after) = (read(&region), read(&value.to_string()));
                    if !before.is_empty() && before != after {
                        return Err(format!("`{id}` in {}", want.name));
                    }
                }
            }
            (_, Form::Fields { .. } | Form::Any) => {}
        }
        let differs = |field: &&Decisive| !field.holds(&region, &value, &index);
        if let Some(field) = want.decides.iter().find(differs) {
            let key = field.keys.first().copied().unwrap_or_default();
            return Err(format!("`{key}` in {}", want.name));
        }
    }
    Ok(())
}

impl Decisive {
    /// Whether a field's values in a faulty text match those of the corrected value: all of them in order, so that
    /// none change places, and no additional ones.
    fn holds(&self, faulty: &str, corrected: &Value, ids: &IdIndex) -> bool {
        let mut written: Vec<(usize, &str)> =
            self.keys.iter().flat_map(|key| placed(faulty, key)).collect();
        if written.is_empty() {
            return true;
        }
        written.sort_unstable();
        let before: Vec<String> =
            written.iter().filter_map(|(_, value)| self.values.read(value, ids)).collect();
        let mut all = Vec::new();
        collect(corrected, &self.keys, &mut all);
        let given = all.len();
        let after: Vec<String> =
            all.iter().filter_map(|value| self.values.read(value, ids)).collect();
        if before.len() == written.len() {
            return before == after;
        }
        let mut rest = after.iter();
        let kept = before.iter().all(|value| rest.any(|other| other == value));
        kept && given <= written.len()
    }
}

/// Collects the values under any of the keys, at any depth.
fn collect(value: &Value, keys: &[&str], into: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                if keys.iter().any(|key| name.eq_ignore_ascii_case(key)) {
                    into.extend(value.as_str().map(str::to_owned));
                    into.extend(value.as_number().map(ToString::to_string));
                }
                collect(value, keys, into);
            }
        }
        Value::Array(values) => values.iter().for_each(|value| collect(value, keys, into)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Returns the text of a block up to the next marker; the whole text if the block has no start.
fn region(text: &str, name: &str) -> String {
    let markers = markers::scanned(text, true);
    let begins = |marker: &&markers::Marker| marker.name == name && marker.edge == Edge::Start;
    let Some(start) = markers.iter().find(begins) else {
        return text.to_owned();
    };
    let next = markers.iter().find(|marker| marker.line.start > start.line.start);
    text[start.line.end..next.map_or(text.len(), |next| next.line.start)].to_owned()
}

/// Returns the values under a key, in JSON or anything like it: `"key": "value"`, `key: value`, `'key' = value`.
fn values<'t>(text: &'t str, key: &str) -> impl Iterator<Item = &'t str> {
    placed(text, key).map(|(_, value)| value)
}

/// The same, each with its offset.
fn placed<'t>(text: &'t str, key: &str) -> impl Iterator<Item = (usize, &'t str)> {
    const DECORATION: [char; 8] = ['"', '\'', '*', '`', '\\', '_', '>', ']'];
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let (lower, wanted) = (text.to_ascii_lowercase(), key.to_ascii_lowercase());
    let places: Vec<usize> = lower.match_indices(&wanted).map(|(at, _)| at).collect();
    places.into_iter().filter_map(move |at| {
        if text[..at].ends_with(is_word) {
            return None;
        }
        let after = text[at + wanted.len()..].trim_start_matches(DECORATION);
        let after = after.trim_start_matches([' ', '\t']).strip_prefix([':', '='])?;
        let value = after.trim_start().trim_start_matches(DECORATION);
        let end = value
            .find(['"', '\'', '\n', ',', '}', ']', '*', '`', '|', '\\'])
            .unwrap_or(value.len());
        Some((at, value[..end].trim()))
    })
}

/// Returns the ids in a text, in order of first occurrence.
fn order(text: &str, ids: &[String]) -> Vec<String> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    let mut found: Vec<(usize, &String)> = (ids.iter())
        .filter_map(|id| {
            let whole = |at: &usize| {
                !text[..*at].ends_with(is_part) && !text[at + id.len()..].starts_with(is_part)
            };
            Some((text.match_indices(id.as_str()).map(|(at, _)| at).find(whole)?, id))
        })
        .collect();
    found.sort_unstable();
    found.into_iter().map(|(_, id)| id.clone()).collect()
}

#[cfg(test)]
mod tests;
