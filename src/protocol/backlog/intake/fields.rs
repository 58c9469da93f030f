//! Turns one item's fields into an opportunity, naming the field that cannot be used.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};
use serde_json::{Map, Value};

use super::super::model::{Opportunity, OpportunityStatus, OpportunityType};
use super::tracker::Issue;
use super::{Origin, id_defect, stable_id};
use crate::text::json::typed;
use crate::text::sanitize;

/// The program's own fields, for messages about fields that resemble one of them.
pub(super) const FIELDS: [&str; 18] = [
    "opportunity_id",
    "opportunity_type",
    "status",
    "title",
    "description",
    "evidence",
    "actionability",
    "suggested_fix",
    "affected_files",
    "created_at",
    "updated_at",
    "last_seen_at",
    "resolved_at",
    "discovered_by",
    "priority_rank",
    "debate_session_id",
    "disposition",
    "linked_issue",
];

const EVIDENCE: [&str; 5] = ["source", "content", "file_path", "line_number", "timestamp"];
/// Fields of the score. `overall` is computed from the rest, so the file's value does not matter.
const ACTIONABILITY: [&str; 5] = ["clarity", "evidence", "effort", "reversibility", "overall"];

/// Further fields that this program writes.
const WRITTEN: [&str; 7] = [
    Opportunity::RULE,
    Opportunity::SYMBOL,
    Opportunity::MEASURE,
    Opportunity::REJECTED_WHY,
    Opportunity::EDITED,
    Opportunity::ISSUE,
    Opportunity::ISSUE_URL,
];

pub(super) struct ItemRead {
    pub(super) opportunity: Opportunity,
    pub(super) has_id: bool,
    /// The tracker's name for it, if any.
    pub(super) issue: Option<String>,
    pub(super) unread: BTreeSet<String>,
}

/// Reads an item, or says what is wrong with which field. Only a file from another source is read as a tracker's
/// export.
pub(super) fn read(
    number: usize,
    mut map: Map<String, Value>,
    now: DateTime<Utc>,
    origin: Origin,
) -> Result<ItemRead, String> {
    let id = map.get("opportunity_id").and_then(Value::as_str);
    let id = id.map(|id| format!(" (`{}`)", sanitize::line(id, 128))).unwrap_or_default();
    let wrong = |field: &str, detail: &str| format!("item {number}{id}, field `{field}`: {detail}");
    map.retain(|_, value| !value.is_null());
    let issue = match origin {
        Origin::Elsewhere => Issue::of(&map),
        Origin::Store => Issue::default(),
    };
    let mut unread = nested(&mut map);
    if let Some(theirs) = &issue.description {
        match map.get("description") {
            Some(Value::String(own)) if own == theirs => {}
            Some(Value::String(own)) if !own.trim().is_empty() => {
                unread.insert(Issue::described_by(&map).to_owned());
            }
            Some(Value::String(_)) | None => {
                map.insert("description".to_owned(), theirs.as_str().into());
            }
            Some(_) => {}
        }
    }
    let has_id = map.contains_key("opportunity_id");
    complete(&mut map, &issue, now);
    let mut item: Opportunity =
        typed(&Value::Object(map)).map_err(|error| match error.place.as_str() {
            "." => format!("item {number}{id}: {}", error.problem),
            place => wrong(place, &error.problem),
        })?;
    check(&item).map_err(|(field, detail)| wrong(&field, detail))?;
    for text in [&mut item.title, &mut item.opportunity_id] {
        *text = text.trim().to_owned();
    }
    if item.title.is_empty() {
        return Err(wrong("title", "must not be empty"));
    }
    if has_id {
        if let Some(defect) = id_defect(&item.opportunity_id) {
            return Err(wrong("opportunity_id", &defect));
        }
    } else {
        let file = item.affected_files.first().map_or("", String::as_str);
        item.opportunity_id = stable_id(item.opportunity_type, file, &item.title);
    }
    for each in issue.evidence() {
        if !item.evidence.contains(&each) {
            item.evidence.push(each);
        }
    }
    for (field, value) in
        [(Opportunity::ISSUE, issue.name()), (Opportunity::ISSUE_URL, issue.page())]
    {
        if let Some(value) = value {
            item.extra.insert(field.to_owned(), value.into());
        }
    }
    item.linked_issue = item.linked_issue.or(issue.number);
    let closed_at = issue.is_closed.then(|| issue.closed_at.unwrap_or(now));
    item.resolved_at = item.resolved_at.or(closed_at);
    issue.unread(&item.extra, &mut unread);
    for field in WRITTEN {
        unread.remove(field);
    }
    Ok(ItemRead { opportunity: item, has_id, issue: issue.name(), unread })
}

/// Fills in what an item need not have, from its tracker where it says so.
fn complete(map: &mut Map<String, Value>, issue: &Issue, now: DateTime<Utc>) {
    let time = |time: DateTime<Utc>| Value::from(time.to_rfc3339());
    if let Some(title) = &issue.title {
        map.entry("title").or_insert_with(|| title.as_str().into());
    }
    map.entry("opportunity_id").or_insert_with(|| "".into());
    let kind = if issue.is_bug() { OpportunityType::Bug } else { OpportunityType::default() };
    map.entry("opportunity_type").or_insert_with(|| kind.name().into());
    map.entry("status").or_insert_with(|| OpportunityStatus::default().name().into());
    let created = map.entry("created_at").or_insert_with(|| time(issue.created_at.unwrap_or(now)));
    let created = created.clone();
    map.entry("updated_at").or_insert_with(|| issue.updated_at.map_or(created, time));
}

/// Prepares the objects within an item: `null` counts as absent. Returns the fields that are not read.
fn nested(map: &mut Map<String, Value>) -> BTreeSet<String> {
    let mut unread = BTreeSet::new();
    let mut prepare = |part: &mut Value, name: &str, known: &[&str]| {
        if let Value::Object(part) = part {
            part.retain(|_, value| !value.is_null());
            let foreign = part.keys().filter(|key| !known.contains(&key.as_str()));
            unread.extend(foreign.map(|key| format!("{name}.{key}")));
        }
    };
    for part in map.get_mut("evidence").and_then(Value::as_array_mut).into_iter().flatten() {
        prepare(part, "evidence[]", &EVIDENCE);
    }
    if let Some(part) = map.get_mut("actionability") {
        prepare(part, "actionability", &ACTIONABILITY);
    }
    unread
}

/// Checks the ranges of an item's numbers. Returns the field that is out of its range, with the range.
fn check(item: &Opportunity) -> Result<(), (String, &'static str)> {
    let lines = item.evidence.iter().enumerate();
    let lines = lines.map(|(at, each)| (format!("evidence[{at}].line_number"), each.line_number));
    let mut counts = lines.chain([
        ("priority_rank".to_owned(), item.priority_rank.map(u64::from)),
        ("linked_issue".to_owned(), item.linked_issue),
    ]);
    if let Some((field, _)) = counts.find(|(_, count)| *count == Some(0)) {
        return Err((field, "must be at least 1"));
    }
    let score = item.actionability.unwrap_or_default();
    let mut shares = [("clarity", score.clarity), ("evidence", score.evidence)].into_iter();
    match shares.find(|(_, share)| !(0.0..=1.0).contains(share)) {
        Some((field, _)) => Err((format!("actionability.{field}"), "must be a number from 0 to 1")),
        None => Ok(()),
    }
}

/// Returns a hint if a foreign field resembles one of the program's; foreign fields as such are fine.
pub(super) fn nearest_strict(key: &str) -> String {
    let near = FIELDS
        .into_iter()
        .find(|name| strsim::normalized_damerau_levenshtein(&key.to_lowercase(), name) >= 0.75);
    near.map(|name| format!("; did you mean `{name}`?")).unwrap_or_default()
}
