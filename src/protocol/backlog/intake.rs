//! Reads a backlog file: a JSON array, an object with `opportunities`, or JSON Lines.
//!
//! Only `title` is required of an item. Everything else is strict: a wrong type, an unknown enum value, a repeated
//! key or id is an error that names the place and the accepted values, because a debate on a misread backlog costs
//! the same as one on the right one. Foreign fields are kept: those that issue trackers export are read, and the rest
//! is named in one warning.

use std::collections::{BTreeMap, HashMap, HashSet};

use chrono::{DateTime, Utc};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use super::input::MAX_OPPORTUNITIES;
use super::model::{Opportunity, OpportunityType};
use crate::text::Note;
use crate::text::ids::alike;
use crate::text::{fence, sanitize};

mod csv;
mod fields;
mod locate;
mod tracker;
mod unread;

use fields::ItemRead;
pub(crate) use locate::FilePosition;
use unread::UnreadFields;

/// The size limits of a backlog file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Limits {
    /// Maximum bytes of the file.
    pub bytes: usize,
    /// Maximum number of opportunities in it.
    pub opportunities: usize,
}

impl Default for Limits {
    /// Returns 64 MiB, and as many opportunities as one debate ranks.
    fn default() -> Self {
        Self { bytes: 64 << 20, opportunities: MAX_OPPORTUNITIES }
    }
}

/// The contents of a backlog file.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Backlog {
    /// The opportunities to debate, in file order.
    pub opportunities: Vec<Opportunity>,
    /// Items that are accepted, rejected, deferred or resolved: they are not debated and do not count.
    pub set_aside: Vec<Opportunity>,
    /// Warnings with the codes `not_debated` and `unknown_field`.
    pub warnings: Vec<Note>,
}

/// Reasons why a file is not a backlog. Every message names the file, and the place and field if known.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum IntakeError {
    /// The file exceeds the size limit.
    #[error("{file}: {bytes} bytes is more than a backlog may have ({limit})")]
    TooLarge {
        /// The file's name.
        file: String,
        /// The file's size in bytes.
        bytes: usize,
        /// The limit in bytes.
        limit: usize,
    },
    /// The file has no content.
    #[error(
        "{file}: the file is empty; it should contain a JSON array of opportunities, an object with `opportunities`, or one JSON object a line"
    )]
    Empty {
        /// The file's name.
        file: String,
    },
    /// The bytes are not UTF-8 text.
    #[error("{file}:{place}: not UTF-8 (byte {offset}); save the file as UTF-8")]
    NotUtf8 {
        /// The file's name.
        file: String,
        /// The position of the first invalid byte.
        place: FilePosition,
        /// The offset of the first invalid byte, from 0.
        offset: usize,
    },
    /// The file begins with a byte order mark.
    #[error(
        "{file}:1:1: the file begins with a byte order mark, which JSON does not allow; save it as UTF-8 without BOM"
    )]
    ByteOrderMark {
        /// The file's name.
        file: String,
    },
    /// The file is a table.
    #[error("{file}: this is a table (CSV), but a backlog is JSON")]
    Csv {
        /// The file's name.
        file: String,
        /// Advice on turning it into a backlog.
        advice: String,
    },
    /// The file is not JSON, or an object has a key twice.
    #[error("{file}:{place}: not valid JSON: {detail}")]
    NotJson {
        /// The file's name.
        file: String,
        /// The position of the error.
        place: FilePosition,
        /// The parser's message.
        detail: String,
    },
    /// The file is JSON but not a backlog.
    #[error(
        "{file}:{place}: {found}; a backlog is a JSON array of opportunities, an object with `opportunities`, or one JSON object a line"
    )]
    WrongShape {
        /// The file's name.
        file: String,
        /// The position of the unexpected value.
        place: FilePosition,
        /// The value found instead.
        found: String,
    },
    /// The file has more items than one debate ranks.
    #[error("{file}: {count} opportunities are too many for one debate: at most {limit}")]
    TooMany {
        /// The file's name.
        file: String,
        /// The number of items.
        count: usize,
        /// Maximum opportunities of one debate.
        limit: usize,
    },
    /// An item's field cannot be used.
    #[error("{file}:{place}: item {item}{id}, field `{field}`: {detail}")]
    Field {
        /// The file's name.
        file: String,
        /// The position where the item begins.
        place: FilePosition,
        /// The item's number, from 1.
        item: usize,
        /// The item's id in brackets; empty if it has none.
        id: String,
        /// The field's path within the item: `evidence[0].content`.
        field: String,
        /// The fault, and the accepted values.
        detail: String,
    },
    /// Two items have ids that cannot be told apart.
    #[error("{file}:{place}: item {item} {same} of item {other} ({file}:{other_place}){advice}")]
    DuplicateId {
        /// The file's name.
        file: String,
        /// The position where the later item begins.
        place: FilePosition,
        /// The later item's number, from 1.
        item: usize,
        /// The way in which the two are the same, with the earlier item's id.
        same: String,
        /// The earlier item's number, from 1.
        other: usize,
        /// The position where the earlier item begins.
        other_place: FilePosition,
        /// Advice on fixing it.
        advice: &'static str,
    },
}

impl IntakeError {
    /// Returns advice on fixing the file, if the message does not contain it.
    pub fn advice(&self) -> Option<&str> {
        if let Self::Csv { advice, .. } = self { Some(advice) } else { None }
    }
}

/// The source of a backlog.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    /// Any source, perhaps an issue tracker: tracker fields are read too, and unread fields are named.
    Elsewhere,
    /// This program's store: foreign fields in it are kept, and only misspellings are named.
    Store,
}

/// Reads a backlog. `name` is the file's name in messages, `now` replaces missing times.
pub(crate) fn read(
    name: &str,
    bytes: &[u8],
    now: DateTime<Utc>,
    limits: Limits,
) -> Result<Backlog, IntakeError> {
    let mut backlog = Backlog::default();
    let (opportunities, warnings) = read_all(name, bytes, now, limits, Origin::Elsewhere)?;
    backlog.warnings = warnings;
    for opportunity in opportunities {
        if opportunity.is_open() {
            backlog.opportunities.push(opportunity);
        } else {
            backlog.set_aside.push(opportunity);
        }
    }
    if !backlog.set_aside.is_empty() {
        let names: Vec<String> = (backlog.set_aside.iter().take(10).map(called)).collect();
        backlog.warnings.push(Note::new(
            "not_debated",
            format!(
                "{} accepted, rejected, deferred, resolved or closed, and not debated: {}{}",
                match backlog.set_aside.len() {
                    1 => "1 item is".to_owned(),
                    count => format!("{count} items are"),
                },
                names.join(", "),
                match backlog.set_aside.len() - names.len() {
                    0 => String::new(),
                    more => format!(" and {more} more"),
                }
            ),
        ));
    }
    Ok(backlog)
}

/// Returns an item's id, with its tracker's name for it.
fn called(item: &Opportunity) -> String {
    let key = item.extra.get("key").and_then(Value::as_str);
    let key = key.map(|key| sanitize::line(key, 64));
    let number = item.linked_issue.map(|issue| format!("#{issue}"));
    let name = key.or(number).map(|name| format!(" ({name})"));
    item.opportunity_id.clone() + &name.unwrap_or_default()
}

/// Reads all items of a backlog in file order, whatever their status, with a warning about unread fields.
pub(crate) fn read_all(
    name: &str,
    bytes: &[u8],
    now: DateTime<Utc>,
    limits: Limits,
    origin: Origin,
) -> Result<(Vec<Opportunity>, Vec<Note>), IntakeError> {
    let mut unread = UnreadFields::default();
    let mut read = Vec::new();
    for (index, (place, map)) in locate::items(name, bytes, limits)?.into_iter().enumerate() {
        let mut item = fields::Item::new(name, place, index + 1, map).read(now, origin)?;
        unread.count(std::mem::take(&mut item.unread));
        read.push(item);
    }
    tell_apart(&mut read);
    distinct(name, &read)?;
    let note = match origin {
        Origin::Elsewhere => unread.note(),
        Origin::Store => unread.misspelt(),
    };
    let opportunities = read.into_iter().map(|item| item.opportunity).collect();
    Ok((opportunities, note.into_iter().collect()))
}

/// Gives issues with equal titles distinct ids, based on their tracker's names for them.
fn tell_apart(read: &mut [ItemRead]) {
    let mut seen = HashSet::new();
    for item in read {
        let each = &mut item.opportunity;
        if !item.has_id
            && let Some(issue) = &item.issue
            && seen.contains(&each.opportunity_id)
        {
            let file = each.affected_files.first().map_or("", String::as_str);
            each.opportunity_id = hashed_id(each.opportunity_type, &[file, &each.title, issue]);
        }
        seen.insert(each.opportunity_id.clone());
    }
}

/// Returns an id that stays the same from run to run: a hash of type, file and symbol (or title), without a time.
pub(crate) fn stable_id(kind: OpportunityType, file: &str, symbol: &str) -> String {
    hashed_id(kind, &[file, symbol])
}

/// Returns the id for the given parts: `opp-<tf|sw|cq|cg|cx|fo>-<12 hex>`.
pub(crate) fn hashed_id(kind: OpportunityType, parts: &[&str]) -> String {
    let short = match kind {
        OpportunityType::TestFailure => "tf",
        OpportunityType::StalledWork => "sw",
        OpportunityType::CodeQuality => "cq",
        OpportunityType::CoverageGap => "cg",
        OpportunityType::Complexity => "cx",
        OpportunityType::FeatureOpportunity => "fo",
    };
    // A separator that no text contains, so that ("ab", "c") and ("a", "bc") differ.
    let mut hash = Sha256::new();
    hash.update(short);
    for part in parts {
        hash.update([0]);
        hash.update(part);
    }
    let hash = hash.finalize();
    let six = hash.iter().take(6);
    let number = six.fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
    format!("opp-{short}-{number:012x}")
}

/// Checks that any spelling of an id by an agent can only mean one item.
fn distinct(file: &str, read: &[ItemRead]) -> Result<(), IntakeError> {
    let clash =
        |first: usize, second: usize, same: &str, advice: &'static str| IntakeError::DuplicateId {
            file: file.to_owned(),
            place: read[second].place,
            item: second + 1,
            same: format!("{same} `{}`", read[first].opportunity.opportunity_id),
            other: first + 1,
            other_place: read[first].place,
            advice,
        };
    let mut first_with: HashMap<&str, usize> = HashMap::new();
    for (index, item) in read.iter().enumerate() {
        if let Some(first) = first_with.insert(&item.opportunity.opportunity_id, index) {
            let (same, advice) = if item.has_id {
                ("has the same id", "; every item needs an id of its own")
            } else {
                (
                    "has the same type, file and title, and so the same id",
                    "; drop one, or give them an `opportunity_id`",
                )
            };
            return Err(clash(first, index, same, advice));
        }
    }
    let ids: Vec<String> =
        read.iter().map(|item| item.opportunity.opportunity_id.clone()).collect();
    if let Some((first, second)) = alike(&ids) {
        let same = format!(
            "has the id `{}`, which differs only in case, spaces, quotes or dashes from",
            ids[second]
        );
        return Err(clash(first, second, &same, "; agents could not tell them apart"));
    }
    Ok(())
}

/// Returns the reason why a text is not a valid id, or `None`.
fn id_defect(id: &str) -> Option<String> {
    let chars = id.chars().count();
    if chars == 0 || chars > 128 {
        return Some(format!("an id has 1 to 128 characters, this one has {chars}"));
    }
    if let Some(bad) = id.chars().find(|c| c.is_control()) {
        return Some(format!(
            "an id must not contain control characters; this one contains {}",
            bad.escape_unicode()
        ));
    }
    if sanitize::terminal(id) != id {
        return Some(
            "an id must not contain invisible or direction-changing characters".to_owned(),
        );
    }
    // An id that is defused in a prompt would come back as another id.
    if id.contains(">>>") || fence::defuse_all(id, "").text != id {
        return Some(
            "an id must not look like a marker (`<<<...>>>`) or a file reference (`@path`)"
                .to_owned(),
        );
    }
    None
}

/// Returns `; did you mean ...` if one of the names is close.
fn nearest<'a>(written: &str, names: impl IntoIterator<Item = &'a str>) -> String {
    let near = names
        .into_iter()
        .map(|name| (strsim::normalized_damerau_levenshtein(&written.to_lowercase(), name), name))
        .filter(|(likeness, _)| *likeness >= 0.5)
        .max_by(|a, b| a.0.total_cmp(&b.0));
    near.map(|(_, name)| format!("; did you mean `{name}`?")).unwrap_or_default()
}

/// One item of the file with its position.
type LocatedItem = (FilePosition, Map<String, Value>);

/// An enum's values by their names in JSON.
type Names<T> = BTreeMap<&'static str, T>;

#[cfg(test)]
mod tests;
