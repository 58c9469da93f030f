//! What all answers have in common: lists of entries, texts, ids that were shown.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::fields::{Fault, Fields};
use crate::protocol::Chance;
use crate::protocol::review::contract::{LINE_CHARS, MAX_LINES};
use crate::text::ids::{IdIndex, Resolved};
use crate::text::{Note, Problem, sanitize};

/// Faulty entries that are named one by one; the rest is counted.
const NAMED: usize = 20;

/// Collects notes and problems while a reply is judged.
pub(super) struct Judge {
    pub(super) block: &'static str,
    pub(super) shown: IdIndex,
    pub(super) chance: Chance,
    pub(super) notes: Vec<Note>,
    pub(super) problems: Vec<Problem>,
    /// Findings that were left out.
    pub(super) left_out: u32,
}

impl Judge {
    pub(super) fn note(&mut self, code: &str, message: String) {
        self.notes.push(Note::new(code, message));
    }

    pub(super) fn problem(&mut self, code: &str, message: String) {
        self.problems
            .push(Problem::new(code, Some(self.block), message));
    }

    /// Something that is a problem while a re-ask can mend it, and a warning when none can.
    pub(super) fn lenient(&mut self, code: &str, message: String) {
        match self.chance {
            Chance::First => self.problem(code, message),
            Chance::Last => self.note(code, message),
        }
    }

    /// Takes a list that must be there: no list at all must never pass for an empty one.
    pub(super) fn list(&mut self, map: &mut Map<String, Value>, key: &str) -> Option<Vec<Value>> {
        if let Some(Value::Array(entries)) = map.remove(key) {
            return Some(entries);
        }
        let message = format!("`{key}` must be a JSON array");
        self.problem("wrong_type", message);
        None
    }

    /// Takes a list that may be missing; what is there must be one.
    pub(super) fn optional_list(
        &mut self,
        map: &mut Map<String, Value>,
        key: &str,
    ) -> Option<Vec<Value>> {
        match map.get(key) {
            None | Some(Value::Null) => None,
            Some(_) => self.list(map, key),
        }
    }

    /// Takes risks or questions: short lines, of which none decides anything.
    pub(super) fn lines(&mut self, map: &mut Map<String, Value>, key: &str) -> Vec<String> {
        let entries = match map.remove(key) {
            None | Some(Value::Null) => return Vec::new(),
            Some(Value::Array(entries)) => entries,
            Some(Value::String(text)) => {
                self.note(
                    "unwrapped",
                    format!("`{key}` is one text, taken as a list of one"),
                );
                vec![Value::String(text)]
            }
            Some(Value::Bool(_) | Value::Number(_) | Value::Object(_)) => {
                let message = format!("`{key}` must be an array of texts");
                self.lenient("wrong_type", message);
                return Vec::new();
            }
        };
        let given = entries.len();
        let mut lines = Vec::new();
        let mut other = false;
        for entry in entries.into_iter().take(MAX_LINES) {
            match entry {
                Value::String(text) => lines.push(sanitize::line(&text, LINE_CHARS)),
                Value::Null
                | Value::Bool(_)
                | Value::Number(_)
                | Value::Array(_)
                | Value::Object(_) => other = true,
            }
        }
        if other {
            let message = format!("`{key}` must hold texts alone; what is none is left out");
            self.lenient("wrong_type", message);
        }
        if given > MAX_LINES {
            let message = format!("`{key}` has {given} entries; the first {MAX_LINES} count");
            self.note("too_many", message);
        }
        lines.retain(|line| !line.is_empty());
        lines
    }

    /// Reads a list's entries with `read`; faulty ones are problems at first and left out at last.
    /// Returns what could be read, and how many could not.
    pub(super) fn entries<T>(
        &mut self,
        noun: &str,
        entries: Vec<Value>,
        mut read: impl FnMut(&mut Fields<'_>) -> T,
    ) -> (Vec<T>, usize) {
        let mut taken = Vec::new();
        let mut faulty: Vec<Vec<Fault>> = Vec::new();
        for (index, entry) in entries.into_iter().enumerate() {
            let mut fields = Fields::new(noun, index + 1, entry, self.chance);
            let value = read(&mut fields);
            if fields.faults.is_empty() {
                // What was normalised in an entry that is left out concerns nobody.
                self.notes.append(&mut fields.notes);
                taken.push(value);
            } else {
                faulty.push(fields.faults);
            }
        }
        let nothing_left = taken.is_empty() && !faulty.is_empty();
        for faults in faulty.iter().take(NAMED) {
            // With nothing left the reply fails, so that the reasons are its problems on any chance.
            if self.chance == Chance::First || nothing_left {
                for fault in faults {
                    self.problem(fault.code, fault.message.clone());
                }
            } else {
                let all: Vec<&str> = faults.iter().map(|fault| &*fault.message).collect();
                self.note("entry_left_out", format!("left out: {}", all.join("; ")));
            }
        }
        if faulty.len() > NAMED {
            let more = faulty.len() - NAMED;
            self.lenient(
                "entry_left_out",
                format!("{more} more are faulty in such ways"),
            );
        }
        if nothing_left && self.chance == Chance::Last {
            let message = format!("none of the {} entries could be read", faulty.len());
            self.problem("no_valid_entry", message);
        }
        (taken, faulty.len())
    }

    /// Returns the id that was shown, for what was written.
    pub(super) fn resolve(&mut self, written: &str) -> Option<String> {
        let id = |at: usize| self.shown.ids().get(at).cloned();
        match self.shown.resolve(written) {
            Resolved::Exact(at) => id(at),
            Resolved::Normalised(at) => {
                let id = id(at)?;
                let message = format!("`{}` was read as `{id}`", sanitize::line(written, 60));
                self.note("id_normalised", message);
                Some(id)
            }
            Resolved::Unknown => {
                let message = format!(
                    "`{}` is no id that was shown; it is left out",
                    sanitize::line(written, 60)
                );
                self.note("unknown_id", message);
                None
            }
        }
    }

    /// Sorts answers by id: what was not shown is dropped, equal answers count once, different ones not at all.
    pub(super) fn by_id<T: PartialEq>(
        &mut self,
        noun: &str,
        given: Vec<T>,
        id: impl Fn(&mut T) -> &mut String,
    ) -> Vec<T> {
        let mut kept: BTreeMap<usize, T> = BTreeMap::new();
        let mut repeated = BTreeSet::new();
        let mut conflicting = BTreeSet::new();
        for mut each in given {
            let Some(known) = self.resolve(id(&mut each)) else {
                continue;
            };
            let at = self.shown.ids().iter().position(|shown| *shown == known);
            let Some(at) = at else { continue };
            id(&mut each).clone_from(&known);
            match kept.get(&at) {
                None => {
                    kept.insert(at, each);
                }
                Some(first) if *first == each => {
                    repeated.insert(known);
                }
                Some(_) => {
                    conflicting.insert((at, known));
                }
            }
        }
        for id in repeated {
            self.note(
                "duplicate_equal",
                format!("{id} has the same {noun} more than once"),
            );
        }
        for (at, id) in conflicting {
            let message = format!("{id} has different {noun}s; give each id exactly one");
            self.lenient("conflicting_entries", message);
            kept.remove(&at);
        }
        self.missing(noun, &kept.keys().copied().collect());
        kept.into_values().collect()
    }

    /// Ids without an answer are no answer: told, re-asked when they are more than a third, and a failure when they are all.
    fn missing(&mut self, noun: &str, given: &BTreeSet<usize>) {
        let ids = self.shown.ids();
        let missing: Vec<&str> = (0..ids.len())
            .filter(|at| !given.contains(at))
            .map(|at| ids[at].as_str())
            .collect();
        if missing.is_empty() {
            return;
        }
        let message = format!("no {noun} on {}", some_of(&missing));
        let all = missing.len() == ids.len();
        // A third, as for rankings (rows 21 and 22 of the decision table).
        let many = missing.len() * 3 > ids.len();
        if all || (many && self.chance == Chance::First) {
            self.problem("ids_missing", message);
        } else {
            self.note("ids_missing", message);
        }
    }
}

/// Names at most ten, and how many more there are.
pub(super) fn some_of(items: &[&str]) -> String {
    let mut text: Vec<String> = items
        .iter()
        .take(10)
        .map(|item| sanitize::line(item, 60))
        .collect();
    if items.len() > text.len() {
        text.push(format!("and {} more", items.len() - text.len()));
    }
    text.join(", ")
}
