//! Decisions and votes on them: `COMPOSITION` and `VALIDATION`.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::contract::{Judge, some_of};
use crate::kernel::Chance;
use crate::protocol::council::{Ballot, ValidationSaid};
use crate::protocol::review::contract::{DETAIL_CHARS, REASON_CHARS, TITLE_CHARS};
use crate::protocol::review::{CompositionSaid, Eliminate, Keep, Merge};

const LISTS: [&str; 3] = ["keep", "merge", "eliminate"];

pub(super) fn composition(judge: &mut Judge, mut map: Map<String, Value>) -> CompositionSaid {
    if !LISTS.iter().any(|key| map.contains_key(*key)) {
        let message = "give `keep`, `merge` and `eliminate`, each a JSON array".to_owned();
        judge.problem("wrong_type", message);
    }
    let [keep, merge, eliminate] = LISTS.map(|key| {
        judge
            .optional_list(&mut map, key)
            .map(|entries| unwrapped(judge, entries))
            .unwrap_or_default()
    });
    let said = CompositionSaid {
        keep: kept(judge, keep),
        merge: merged(judge, merge),
        eliminate: eliminated(judge, eliminate),
        residual_risks: judge.lines(&mut map, "residual_risks"),
        open_questions: judge.lines(&mut map, "open_questions"),
    };
    contradictions(judge, &said);
    said
}

/// An id alone stands for the object that would hold it (row 16, the other way round).
fn unwrapped(judge: &mut Judge, entries: Vec<Value>) -> Vec<Value> {
    let mut bare = false;
    let entries = entries.into_iter().map(|entry| match entry {
        Value::String(id) => {
            bare = true;
            json!({ "id": id })
        }
        entry @ (Value::Null
        | Value::Bool(_)
        | Value::Number(_)
        | Value::Array(_)
        | Value::Object(_)) => entry,
    });
    let entries = entries.collect();
    if bare {
        let message = "ids alone were taken for objects that hold them".to_owned();
        judge.note("unwrapped", message);
    }
    entries
}

fn kept(judge: &mut Judge, entries: Vec<Value>) -> Vec<Keep> {
    let (given, _) = judge.entries("kept finding", entries, |fields| Keep {
        id: fields.line("id", 60),
        title: optional(fields.text("title", TITLE_CHARS)),
        detail: fields.text("detail", DETAIL_CHARS),
        fix: fields.text("fix", DETAIL_CHARS),
    });
    let mut kept: Vec<Keep> = Vec::new();
    for mut each in given {
        if let Some(id) = judge.resolve(&each.id) {
            each.id = id;
            if !kept.contains(&each) {
                kept.push(each);
            }
        }
    }
    kept
}

fn merged(judge: &mut Judge, entries: Vec<Value>) -> Vec<Merge> {
    let (given, _) = judge.entries("merge", entries, |fields| {
        let into = fields.line("into", 60);
        let ids = match fields.take("ids") {
            Some(Value::Array(ids)) if ids.iter().all(Value::is_string) => {
                ids.iter().filter_map(|id| id.as_str().map(str::to_owned)).collect()
            }
            Some(_) | None => {
                fields.fault("wrong_type", "`ids` must be an array of ids");
                Vec::new()
            }
        };
        Merge { into, ids }
    });
    let mut merges = Vec::new();
    for each in given {
        let Some(into) = judge.resolve(&each.into) else {
            continue;
        };
        let mut ids: Vec<String> = Vec::new();
        for written in &each.ids {
            if let Some(id) = judge.resolve(written)
                && id != into
                && !ids.contains(&id)
            {
                ids.push(id);
            }
        }
        if !ids.is_empty() {
            merges.push(Merge { into, ids });
        }
    }
    merges
}

fn eliminated(judge: &mut Judge, entries: Vec<Value>) -> Vec<Eliminate> {
    let (given, _) = judge.entries("eliminated finding", entries, |fields| Eliminate {
        id: fields.line("id", 60),
        reason: fields.required("reason", REASON_CHARS),
    });
    let mut out: Vec<Eliminate> = Vec::new();
    for mut each in given {
        if let Some(id) = judge.resolve(&each.id) {
            each.id = id;
            if !out.contains(&each) {
                out.push(each);
            }
        }
    }
    out
}

/// Two fates for one finding are worth a re-ask; when there is none, the rules of composition keep the finding.
fn contradictions(judge: &mut Judge, said: &CompositionSaid) {
    if judge.chance == Chance::Last {
        return;
    }
    let mut fates: BTreeMap<&str, usize> = BTreeMap::new();
    let kept = said.keep.iter().map(|keep| keep.id.as_str());
    let merged = said.merge.iter().flat_map(|merge| merge.ids.iter());
    let out = said.eliminate.iter().map(|out| out.id.as_str());
    for id in kept.chain(merged.map(String::as_str)).chain(out) {
        *fates.entry(id).or_default() += 1;
    }
    let twice: Vec<&str> =
        fates.into_iter().filter(|(_, count)| *count > 1).map(|(id, _)| id).collect();
    if !twice.is_empty() {
        let twice = some_of(&twice);
        let message = format!("decide once on each id; decided more than once: {twice}");
        judge.problem("conflicting_entries", message);
    }
}

pub(super) fn validation(judge: &mut Judge, mut map: Map<String, Value>) -> ValidationSaid {
    let Some(entries) = judge.list(&mut map, "votes") else {
        return ValidationSaid::default();
    };
    let (given, _) = judge.entries("vote", entries, |fields| Ballot {
        id: fields.line("id", 60),
        // A fault leaves the entry out, so that what stands for a missing vote never counts.
        approve: fields.word("vote", &[("approve", true), ("reject", false)]).unwrap_or(false),
        reason: fields.required("reason", REASON_CHARS),
    });
    let votes = judge.by_id("vote", given, |ballot| &mut ballot.id);
    ValidationSaid { votes }
}

/// A title is one line.
fn optional(title: Option<String>) -> Option<String> {
    title.map(|title| crate::text::sanitize::line(&title, TITLE_CHARS))
}
