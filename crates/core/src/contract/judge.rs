//! Judging one block of an answer that was read: ids that were shown, what is noted of it, what is wrong with it.
//!
//! What cannot be taken is a problem while a re-ask can mend it, all of it at once; on the last chance
//! a faulty entry is left out with a warning, and an answer of nothing but faulty entries is none.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::entry::Entry;
use super::outline::Outline;
use super::read::Declared;
use super::some_of;
use crate::kernel::Chance;
use crate::text::ids::{IdIndex, Resolved};
use crate::text::{Note, Problem, sanitize};

/// Collects notes and problems while a block is judged.
pub struct Judge {
    /// The block's name.
    pub(super) block: &'static str,
    /// Ids that an answer may be about.
    pub shown: IdIndex,
    /// Which chance the reply has.
    pub chance: Chance,
    /// Whether it is read by the rules since version 2.
    pub generous: bool,
    /// What was normalised so far.
    pub notes: Vec<Note>,
    /// What makes the block unusable, so far.
    pub problems: Vec<Problem>,
    /// Entries that were left out, by what they are called.
    pub left_out: BTreeMap<&'static str, usize>,
    /// Keys of fields in which something was wrong.
    unread: Vec<&'static str>,
}

impl Judge {
    /// Begins with a block of that name, of which `shown` are the ids that it may name.
    pub fn new(block: &'static str, shown: &[String], chance: Chance, generous: bool) -> Self {
        Self {
            block,
            shown: IdIndex::new(shown).generous(generous),
            chance,
            generous,
            notes: Vec::new(),
            problems: Vec::new(),
            left_out: BTreeMap::new(),
            unread: Vec::new(),
        }
    }

    /// Reads an object by its declaration: what is wrong with it is a problem.
    pub fn object<T: Declared>(&mut self, map: Map<String, Value>) -> T {
        let entry = Entry::whole(map, self.chance, self.generous);
        self.declared(entry, false)
    }

    /// The same, as a block of a turn.
    pub(super) fn object_of<T: Declared>(
        &mut self,
        map: Map<String, Value>,
        outline: &Outline,
    ) -> T {
        let mut entry = Entry::whole(map, self.chance, self.generous);
        entry.unasked = outline.unasked;
        entry.only = outline.only;
        entry.words = outline.words;
        self.declared(entry, outline.any_writing)
    }

    fn declared<T: Declared>(&mut self, mut entry: Entry<'_>, any_writing: bool) -> T {
        let said = entry.declared(any_writing);
        self.notes.append(&mut entry.notes);
        self.left_out.append(&mut entry.left_out);
        self.unread.append(&mut entry.unread);
        for fault in entry.faults {
            self.problem(fault.code, fault.message);
        }
        said
    }

    /// Whether nothing was wrong in the field with this key, so that what stands there was said: a rule about it has nothing to add
    /// where it was not.
    pub fn has_read(&self, key: &str) -> bool {
        !self.unread.contains(&key)
    }

    /// Says what was normalised; `code` is a stable name.
    pub fn note(&mut self, code: &str, message: String) {
        self.notes.push(Note::new(code, message));
    }

    /// Says what makes the block unusable; `code` is a stable name.
    pub fn problem(&mut self, code: &str, message: String) {
        self.problems.push(Problem::new(code, Some(self.block), message));
    }

    /// Something that is a problem while a re-ask can mend it, and a warning when none can.
    pub fn lenient(&mut self, code: &str, message: String) {
        match self.chance {
            Chance::First => self.problem(code, message),
            Chance::Last => self.note(code, message),
        }
    }

    /// Something wrong in what decides nothing since version 2 of the rules: a note, and by the first rules
    /// [`lenient`](Self::lenient).
    pub fn aside(&mut self, code: &str, message: String) {
        if self.generous {
            self.note(code, message);
        } else {
            self.lenient(code, message);
        }
    }

    /// Returns the id that was shown, for what was written; `None`, with a note, where none was meant.
    pub fn resolve(&mut self, written: &str) -> Option<String> {
        let known = self.known(written);
        if known.is_none() {
            let written = sanitize::line(written, 60);
            let message = format!("`{written}` is no id that was shown; it is left out");
            self.note("unknown_id", message);
        }
        known
    }

    /// Returns the id that was shown, for what was written, with a note where it was written otherwise.
    pub fn known(&mut self, written: &str) -> Option<String> {
        let (at, otherwise) = match self.shown.resolve(written) {
            Resolved::Exact(at) => (at, false),
            Resolved::Normalised(at) => (at, true),
            Resolved::Unknown => return None,
        };
        let id = self.shown.ids().get(at)?.clone();
        if otherwise {
            let message = format!("`{}` was read as `{id}`", sanitize::line(written, 60));
            self.note("id_normalised", message);
        }
        Some(id)
    }

    /// Sorts answers by id, of which a third may be missing (rows 21 and 22 of the decision table).
    pub fn by_id<T: PartialEq>(
        &mut self,
        noun: &str,
        given: Vec<T>,
        id: impl Fn(&mut T) -> &mut String,
    ) -> Vec<T> {
        let kept = self.sorted(noun, given, id);
        self.missing(noun, &kept.keys().copied().collect());
        kept.into_values().collect()
    }

    /// Sorts answers by the place of their id: what was not shown is dropped, equal answers count once, different ones not at all.
    pub fn sorted<T: PartialEq>(
        &mut self,
        noun: &str,
        given: Vec<T>,
        id: impl Fn(&mut T) -> &mut String,
    ) -> BTreeMap<usize, T> {
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
            self.note("duplicate_equal", format!("{id} has the same {noun} more than once"));
        }
        for (at, id) in conflicting {
            let message = format!("{id} has different {noun}s; give each id exactly one");
            self.lenient("conflicting_entries", message);
            kept.remove(&at);
        }
        kept
    }

    /// Names the ids that were shown and are not `given`, by their places.
    pub fn without(&self, given: impl Fn(usize) -> bool) -> Vec<String> {
        let ids = self.shown.ids().iter().enumerate();
        ids.filter(|(at, _)| !given(*at)).map(|(_, id)| id.clone()).collect()
    }

    /// Ids without an answer are no answer: told, re-asked when they are more than a third, and a failure when they are all.
    fn missing(&mut self, noun: &str, given: &BTreeSet<usize>) {
        let missing = self.without(|at| given.contains(&at));
        if missing.is_empty() {
            return;
        }
        let names: Vec<&str> = missing.iter().map(String::as_str).collect();
        let message = format!("no {noun} on {}", some_of(&names));
        let all = missing.len() == self.shown.len();
        let many = missing.len() * 3 > self.shown.len();
        if all || (many && self.chance == Chance::First) {
            self.problem("ids_missing", message);
        } else {
            self.note("ids_missing", message);
        }
    }
}
