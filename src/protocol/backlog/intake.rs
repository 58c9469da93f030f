//! Reads a backlog file: a JSON array, an object with `opportunities`, or JSON Lines.
//!
//! Only `title` is required of an item. Everything else is strict: a wrong
//! type, an unknown enum value, a repeated key or id is an error that says
//! where it stands and what was meant, because a debate on a misread backlog
//! costs the same as one on the right one. Fields that are not ours are kept:
//! what issue trackers export is read, and the rest is named in one warning.

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
pub use locate::FilePosition;
use unread::UnreadFields;

/// What a backlog file may be at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of the file.
    pub bytes: usize,
    /// Opportunities in it.
    pub opportunities: usize,
}

impl Default for Limits {
    /// 64 MiB, and as many opportunities as one debate ranks.
    fn default() -> Self {
        Self { bytes: 64 << 20, opportunities: MAX_OPPORTUNITIES }
    }
}

/// What a backlog file holds.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Backlog {
    /// What is to be debated, in file order.
    pub opportunities: Vec<Opportunity>,
    /// Items that are accepted, rejected, deferred or resolved: not debated, and they do not count.
    pub set_aside: Vec<Opportunity>,
    /// `not_debated`, `unknown_field`.
    pub warnings: Vec<Note>,
}

/// Why a file is no backlog. Every message names the file, and the place and field where there is one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum IntakeError {
    /// Larger than the limit.
    #[error("{file}: {bytes} bytes are more than a backlog may have ({limit})")]
    TooLarge {
        /// The file.
        file: String,
        /// Its size.
        bytes: usize,
        /// The limit.
        limit: usize,
    },
    /// Nothing in it.
    #[error(
        "{file}: the file is empty; it should hold a JSON array of opportunities, an object with `opportunities`, or one JSON object a line"
    )]
    Empty {
        /// The file.
        file: String,
    },
    /// Bytes that are no text.
    #[error("{file}:{place}: not UTF-8 (byte {offset}); save the file as UTF-8")]
    NotUtf8 {
        /// The file.
        file: String,
        /// Where.
        place: FilePosition,
        /// The first bad byte, from 0.
        offset: usize,
    },
    /// A byte order mark.
    #[error(
        "{file}:1:1: the file begins with a byte order mark, which JSON does not allow; save it as UTF-8 without BOM"
    )]
    ByteOrderMark {
        /// The file.
        file: String,
    },
    /// A table.
    #[error("{file}: this is a table (CSV), and a backlog is JSON")]
    Csv {
        /// The file.
        file: String,
        /// How to turn it into a backlog.
        advice: String,
    },
    /// Not JSON, or a key twice in one object.
    #[error("{file}:{place}: not valid JSON: {detail}")]
    NotJson {
        /// The file.
        file: String,
        /// Where.
        place: FilePosition,
        /// What the parser says.
        detail: String,
    },
    /// JSON, but no backlog.
    #[error(
        "{file}:{place}: {found}; a backlog is a JSON array of opportunities, an object with `opportunities`, or one JSON object a line"
    )]
    WrongShape {
        /// The file.
        file: String,
        /// Where.
        place: FilePosition,
        /// What is there instead.
        found: String,
    },
    /// More items than one debate ranks.
    #[error("{file}: {count} opportunities are too many for one debate: at most {limit}")]
    TooMany {
        /// The file.
        file: String,
        /// How many there are.
        count: usize,
        /// The limit.
        limit: usize,
    },
    /// A field that cannot be used.
    #[error("{file}:{place}: item {item}{id}, field `{field}`: {detail}")]
    Field {
        /// The file.
        file: String,
        /// Where the item begins.
        place: FilePosition,
        /// Its number, from 1.
        item: usize,
        /// Its id in brackets, if it has one.
        id: String,
        /// The field's path within the item: `evidence[0].content`.
        field: String,
        /// What is wrong and what is allowed.
        detail: String,
    },
    /// Two items that cannot be told apart.
    #[error("{file}:{place}: item {item} {same} of item {other} ({file}:{other_place}){advice}")]
    DuplicateId {
        /// The file.
        file: String,
        /// Where the later item begins.
        place: FilePosition,
        /// The later item's number.
        item: usize,
        /// How the two are the same, with the earlier one's id.
        same: String,
        /// The earlier item's number.
        other: usize,
        /// Where the earlier item begins.
        other_place: FilePosition,
        /// How to mend it.
        advice: &'static str,
    },
}

impl IntakeError {
    /// Returns how to mend it, where the message does not say so.
    pub fn advice(&self) -> Option<&str> {
        if let Self::Csv { advice, .. } = self { Some(advice) } else { None }
    }
}

/// Who wrote a backlog.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// Anybody, perhaps an issue tracker: its fields are read too, and what nobody reads is named.
    Elsewhere,
    /// The store of this program: what is not ours in it is kept, and only misspellings are named.
    Store,
}

/// Reads a backlog. `name` is the file's name in messages, `now` fills in times that are missing.
pub fn read(
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

/// Returns an item's id, with what its tracker calls it.
fn called(item: &Opportunity) -> String {
    let key = item.extra.get("key").and_then(Value::as_str);
    let key = key.map(|key| sanitize::line(key, 64));
    let number = item.linked_issue.map(|issue| format!("#{issue}"));
    let name = key.or(number).map(|name| format!(" ({name})"));
    item.opportunity_id.clone() + &name.unwrap_or_default()
}

/// Reads all items of a backlog in file order, whatever their status, with a warning of fields that are not read.
pub fn read_all(
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

/// Gives issues of one title ids of their own, by what their tracker calls them.
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

/// Returns an id that stays the same from run to run: a hash of type, file and symbol (or title), no time in it.
pub fn stable_id(kind: OpportunityType, file: &str, symbol: &str) -> String {
    hashed_id(kind, &[file, symbol])
}

/// Returns the id of what these parts name: `opp-<tf|sw|cq|cg|cx|fo>-<12 hex>`.
pub fn hashed_id(kind: OpportunityType, parts: &[&str]) -> String {
    let short = match kind {
        OpportunityType::TestFailure => "tf",
        OpportunityType::StalledWork => "sw",
        OpportunityType::CodeQuality => "cq",
        OpportunityType::CoverageGap => "cg",
        OpportunityType::Complexity => "cx",
        OpportunityType::FeatureOpportunity => "fo",
    };
    // A separator that no text holds, so that ("ab", "c") and ("a", "bc") differ.
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

/// Checks that an agent's spelling of an id can only ever mean one item.
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
                    "has the same type, file and title, so the same id",
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
            "has the id `{}`, which differs by case, spaces, quotes or dashes alone from",
            ids[second]
        );
        return Err(clash(first, second, &same, "; agents could not tell them apart"));
    }
    Ok(())
}

/// Returns why a text is no id, if it is none.
fn id_defect(id: &str) -> Option<String> {
    let chars = id.chars().count();
    if chars == 0 || chars > 128 {
        return Some(format!("an id has 1 to 128 characters, this one {chars}"));
    }
    if let Some(bad) = id.chars().find(|c| c.is_control()) {
        return Some(format!(
            "an id has no control characters; this one holds {}",
            bad.escape_unicode()
        ));
    }
    if sanitize::terminal(id) != id {
        return Some("an id has no invisible or direction-changing characters".to_owned());
    }
    // What is defused in a prompt would come back as another id.
    if id.contains(">>>") || fence::defuse_all(id, "").text != id {
        return Some(
            "an id must not look like a marker (`<<<...>>>`) or a file reference (`@path`)"
                .to_owned(),
        );
    }
    None
}

/// Returns `; did you mean ...` if one of the names is near.
fn nearest<'a>(written: &str, names: impl IntoIterator<Item = &'a str>) -> String {
    let near = names
        .into_iter()
        .map(|name| (strsim::normalized_damerau_levenshtein(&written.to_lowercase(), name), name))
        .filter(|(likeness, _)| *likeness >= 0.5)
        .max_by(|a, b| a.0.total_cmp(&b.0));
    near.map(|(_, name)| format!("; did you mean `{name}`?")).unwrap_or_default()
}

/// One item of the file with its place.
type LocatedItem = (FilePosition, Map<String, Value>);

/// Names by which an enum's values stand in JSON.
type Names<T> = BTreeMap<&'static str, T>;

#[cfg(test)]
mod tests;
