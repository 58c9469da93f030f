//! Judges one block of an answer after it was read: its ids, notes and problems.
//!
//! While a re-ask can fix them, all faults are reported as problems at once. On the last chance a faulty entry is
//! left out with a warning, and an answer with only faulty entries is not an answer.

use serde_json::{Map, Value};

use super::entry::Entry;
use super::outline::Outline;
use super::read::Declaration;
use super::some_of;
use crate::kernel::Chance;
use crate::ordered::{BTreeMap, BTreeSet, Gather};
use crate::text::ids::{IdIndex, IdMatch};
use crate::text::{Note, Problem, sanitize};

/// Collects notes and problems while a block is judged.
pub struct Diagnostics {
    pub(super) block: &'static str,
    /// Ids that an answer may name.
    pub shown: IdIndex,
    /// The reply's chance.
    pub chance: Chance,
    /// The normalisations so far.
    pub notes: Vec<Note>,
    /// The problems that make the block unusable, so far.
    pub problems: Vec<Problem>,
    /// The number of entries left out, by noun.
    pub left_out: BTreeMap<&'static str, usize>,
    /// Keys of fields that had a fault.
    unread: Vec<&'static str>,
}

impl Diagnostics {
    /// Starts with the block of that name; it may name the ids in `shown`.
    pub fn new(block: &'static str, shown: &[String], chance: Chance) -> Self {
        Self {
            block,
            shown: IdIndex::new(shown),
            chance,
            notes: Vec::new(),
            problems: Vec::new(),
            left_out: BTreeMap::new(),
            unread: Vec::new(),
        }
    }

    /// Reads an object by its declaration; its faults become problems.
    pub fn object<T: Declaration>(&mut self, map: Map<String, Value>) -> T {
        let entry = Entry::whole(map, self.chance);
        self.declared(entry)
    }

    /// The same, for a block of a turn.
    pub(super) fn object_of<T: Declaration>(
        &mut self,
        map: Map<String, Value>,
        outline: &Outline,
    ) -> T {
        let mut entry = Entry::whole(map, self.chance);
        entry.unasked = outline.unasked;
        entry.only = outline.only;
        entry.words = outline.words;
        self.declared(entry)
    }

    fn declared<T: Declaration>(&mut self, mut entry: Entry<'_>) -> T {
        let said = entry.declared();
        self.notes.append(&mut entry.notes);
        self.left_out.append(&mut entry.left_out);
        self.unread.append(&mut entry.unread);
        for fault in entry.faults {
            self.problem(fault.code, fault.message);
        }
        said
    }

    /// Whether the field with this key had no fault, so that its value is the agent's: a rule about an unread field
    /// has nothing to add.
    pub fn has_read(&self, key: &str) -> bool {
        !self.unread.contains(&key)
    }

    /// Reports a normalisation; `code` is a stable name.
    pub fn note(&mut self, code: &str, message: String) {
        self.notes.push(Note::new(code, message));
    }

    /// Reports a problem that makes the block unusable; `code` is a stable name.
    pub fn problem(&mut self, code: &str, message: String) {
        self.problems.push(Problem::new(code, Some(self.block), message));
    }

    /// Reports a problem while a re-ask can fix it, and a warning otherwise.
    pub fn lenient(&mut self, code: &str, message: String) {
        match self.chance {
            Chance::First => self.problem(code, message),
            Chance::Last => self.note(code, message),
        }
    }

    /// Returns the shown id for a written one; `None`, with a note, if it matches none.
    pub fn resolve(&mut self, written: &str) -> Option<String> {
        let known = self.known(written);
        if known.is_none() {
            let written = sanitize::line(written, 60);
            let message = format!("`{written}` is not an id that was shown; ignored");
            self.note("unknown_id", message);
        }
        known
    }

    /// Returns the shown id for a written one, with a note if the spelling differs.
    pub fn known(&mut self, written: &str) -> Option<String> {
        let (at, otherwise) = match self.shown.resolve(written) {
            IdMatch::Exact(at) => (at, false),
            IdMatch::Normalised(at) => (at, true),
            IdMatch::Unknown => return None,
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
        self.missing(noun, &kept.keys().copied().gather());
        kept.into_values().collect()
    }

    /// Sorts answers by the position of their id: unknown ids are dropped, equal answers count once, conflicting ones
    /// not at all.
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

    /// Returns the shown ids whose position is not `given`.
    pub fn without(&self, given: impl Fn(usize) -> bool) -> Vec<String> {
        let ids = self.shown.ids().iter().enumerate();
        ids.filter(|(at, _)| !given(*at)).map(|(_, id)| id.clone()).collect()
    }

    /// Reports ids without an answer: a note, a re-ask if they are more than a third, and a failure if they are all.
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
