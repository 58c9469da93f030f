//! Reads a backlog file: JSON in any of the forms that tools print, or a table.
//!
//! Only `title` is required of an item. Everything else is strict: a wrong type, an unknown enum value, a repeated
//! key or id is an error that names the place and the accepted values, because a debate on a misread backlog costs
//! the same as one on the right one. Foreign fields are kept: those that issue trackers export are read, and the rest
//! is named in one warning.

use std::collections::{HashMap, HashSet};

use chrono::{DateTime, Utc};
use sha2::{Digest, Sha256};

use super::input::MAX_OPPORTUNITIES;
use super::model::{Opportunity, OpportunityType};
use crate::text::Note;
use crate::text::ids::alike;
use crate::text::mark::unmarked;
use crate::text::{fence, sanitize};

mod csv;
mod fields;
mod items;
mod tracker;
mod unread;

use fields::ItemRead;
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

#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Backlog {
    /// The opportunities to debate, in file order.
    pub opportunities: Vec<Opportunity>,
    /// Items that are accepted, rejected, deferred or resolved: they are not debated and do not count.
    pub set_aside: Vec<Opportunity>,
    /// Warnings with the codes `not_debated` and `unknown_field`.
    pub warnings: Vec<Note>,
}

/// Why a file is not a backlog: with its name, and the item and field where that is known.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}: {what}")]
pub struct IntakeError {
    file: String,
    what: String,
}

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

fn called(item: &Opportunity) -> String {
    let name = item.issue().map(|name| format!(" ({})", sanitize::line(&name, 64)));
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
    let wrong = |what| IntakeError { file: name.to_owned(), what };
    if bytes.len() > limits.bytes {
        let (bytes, limit) = (bytes.len(), limits.bytes);
        return Err(wrong(format!("{bytes} bytes is more than a backlog may have ({limit})")));
    }
    let bytes = match origin {
        Origin::Elsewhere => unmarked(bytes),
        Origin::Store => bytes.into(),
    };
    let text = std::str::from_utf8(&bytes).map_err(|error| {
        let offset = error.valid_up_to();
        wrong(format!("not UTF-8 (byte {offset}); save the file as UTF-8"))
    })?;
    if text.starts_with('\u{feff}') {
        return Err(wrong("the file begins with a byte order mark; save it without".to_owned()));
    }
    let items = if origin == Origin::Elsewhere && csv::is_table(name, text) {
        csv::items(text)
    } else {
        items::items(text, origin)
    };
    let items = items.map_err(wrong)?;
    let (count, limit) = (items.len(), limits.opportunities);
    if count > limit {
        return Err(wrong(format!(
            "{count} opportunities are too many for one debate: at most {limit}"
        )));
    }
    let mut unread = UnreadFields::default();
    let mut read = Vec::new();
    for (index, map) in items.into_iter().enumerate() {
        let mut item = fields::read(index + 1, map, now, origin).map_err(wrong)?;
        unread.count(std::mem::take(&mut item.unread));
        read.push(item);
    }
    tell_apart(&mut read);
    distinct(&read).map_err(wrong)?;
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

/// Returns the id for the given parts: `opp-<tf|sw|cq|cg|cx|bug|fo>-<12 hex>`.
pub(crate) fn hashed_id(kind: OpportunityType, parts: &[&str]) -> String {
    let short = match kind {
        OpportunityType::TestFailure => "tf",
        OpportunityType::StalledWork => "sw",
        OpportunityType::CodeQuality => "cq",
        OpportunityType::CoverageGap => "cg",
        OpportunityType::Complexity => "cx",
        OpportunityType::Bug => "bug",
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
fn distinct(read: &[ItemRead]) -> Result<(), String> {
    let mut first_with: HashMap<&str, usize> = HashMap::new();
    for (index, item) in read.iter().enumerate() {
        let id = item.opportunity.opportunity_id.as_str();
        if let Some(first) = first_with.insert(id, index) {
            let (first, second) = (first + 1, index + 1);
            return Err(if item.has_id {
                format!(
                    "items {first} and {second} have the same id `{id}`; every item needs an id of its own"
                )
            } else {
                format!(
                    "items {first} and {second} have the same type, file and title, and so the same id; drop one, or give them an `opportunity_id`"
                )
            });
        }
    }
    let ids: Vec<String> =
        read.iter().map(|item| item.opportunity.opportunity_id.clone()).collect();
    match alike(&ids) {
        Some((first, second)) => Err(format!(
            "items {} and {} have the ids `{}` and `{}`, which differ only in case, spaces, quotes or dashes; agents could not tell them apart",
            first + 1,
            second + 1,
            ids[first],
            ids[second]
        )),
        None => Ok(()),
    }
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

#[cfg(test)]
mod tests;
