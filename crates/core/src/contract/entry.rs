//! One object of an answer, while it is read: its fields, and what is wrong with it.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::field::{Absent, Class, Field, Item, Kind};
use super::read::{self, Declared, Read};
use crate::kernel::Chance;
use crate::text::{Note, sanitize};

/// Faulty entries of a list that are named one by one; the rest is counted.
const NAMED: usize = 20;

/// Why an entry cannot be taken.
pub(super) struct Fault {
    pub(super) code: &'static str,
    pub(super) message: String,
}

/// A block, or one entry of a list in it.
pub struct Entry<'a> {
    map: Map<String, Value>,
    /// What it is called; the id of what stands under one.
    noun: &'a str,
    /// Its place in its list; 0 where it is in none.
    number: usize,
    chance: Chance,
    /// Keys of fields that nobody asked for.
    pub(super) unasked: &'static [&'static str],
    /// Keys of fields in which something was wrong, so that what stands for them was not said.
    pub(super) unread: Vec<&'static str>,
    /// What makes it unusable.
    pub(super) faults: Vec<Fault>,
    /// What was normalised in it.
    pub(super) notes: Vec<Note>,
    /// Entries of its lists that were left out, by what they are called.
    pub(super) left_out: BTreeMap<&'static str, usize>,
}

impl<'a> Entry<'a> {
    /// Opens a block.
    pub(super) fn whole(map: Map<String, Value>, chance: Chance) -> Self {
        Self {
            map,
            noun: "",
            number: 0,
            chance,
            unasked: &[],
            unread: Vec::new(),
            faults: Vec::new(),
            notes: Vec::new(),
            left_out: BTreeMap::new(),
        }
    }

    /// Opens what stands under an id.
    pub(super) fn under(id: &'a str, chance: Chance) -> Self {
        Self { noun: id, ..Self::whole(Map::new(), chance) }
    }

    /// Opens an entry of a list; what is no object has no fields, and says so.
    fn of(noun: &'a str, number: usize, value: Value, chance: Chance) -> Self {
        let mut entry = Self { noun, number, ..Self::whole(Map::new(), chance) };
        if let Value::Object(map) = value {
            entry.map = map;
        } else {
            entry.fault("wrong_type", "must be a JSON object");
        }
        entry
    }

    /// Returns which chance the reply has.
    pub const fn chance(&self) -> Chance {
        self.chance
    }

    /// Returns a message about the entry: it begins with the entry's name, and a block has none.
    fn about(&self, message: &str) -> String {
        match (self.number, self.noun) {
            (0, "") => return message.to_owned(),
            (0, id) => return format!("`{}`: {message}", sanitize::line(id, 128)),
            _ => {}
        }
        let title = ["title", "id", "into", "point", "claim"]
            .iter()
            .find_map(|key| self.map.get(*key)?.as_str())
            .map(|title| format!(" (`{}`)", sanitize::line(title, 60)));
        format!("{} {}{}: {message}", self.noun, self.number, title.unwrap_or_default())
    }

    /// Says what makes the entry unusable; the message begins with the entry's name.
    pub fn fault(&mut self, code: &'static str, message: &str) {
        let message = self.about(message);
        self.faults.push(Fault { code, message });
    }

    /// Says what was normalised in the entry; the message begins with the entry's name.
    pub fn note(&mut self, code: &str, message: &str) {
        self.notes.push(Note::new(code, self.about(message)));
    }

    /// Something that a re-ask can mend, and that the entry can do without when there is none.
    pub fn lenient(&mut self, code: &'static str, message: &str) {
        self.fail(Class::Counts, code, message);
    }

    /// Says of a field that it cannot be had, as its class says it.
    pub fn fail(&mut self, class: Class, code: &'static str, message: &str) {
        match (class, self.chance) {
            (Class::Required, _) | (Class::Counts, Chance::First) => self.fault(code, message),
            (Class::Counts, Chance::Last) | (Class::Extra, _) => self.note(code, message),
        }
    }

    /// Counts entries that were left out.
    pub(super) fn left_out(&mut self, noun: &'static str, count: usize) {
        *self.left_out.entry(noun).or_default() += count;
    }

    /// Returns a value as it stands, `null` as if it were not there.
    pub fn take(&self, key: &str) -> Option<Value> {
        // The name of the entry is made of its title or id, so those stay.
        self.map.get(key).filter(|value| !value.is_null()).cloned()
    }

    /// Reads a field by its declaration.
    pub fn field<T: Read>(&mut self, field: &Field<T>) -> T {
        let spec = &field.spec;
        if matches!(spec.kind, Kind::Ours) {
            return read::ours(field, self);
        }
        let read = match self.take(spec.key) {
            Some(value) => (field.reader)(value, spec, self),
            None => Ok(None),
        };
        let (code, message) = match read {
            Ok(Some(value)) => return value,
            Err(wrong) => (wrong.code, wrong.message),
            Ok(None) if self.unasked.contains(&spec.key) => return T::none(spec),
            Ok(None) => match spec.absent {
                Absent::Fine => return T::none(spec),
                Absent::Noted => {
                    let usual = usual(spec.kind).map(|usual| format!("; taken for {usual}"));
                    let usual = usual.unwrap_or_default();
                    self.note("missing_field", &format!("`{}` is not given{usual}", spec.key));
                    return T::none(spec);
                }
                Absent::Wrong => (missing(spec.kind), read::must_be(spec)),
            },
        };
        let end = match (spec.class, usual(spec.kind)) {
            (Class::Required, _) => String::new(),
            (Class::Counts | Class::Extra, None) => "; it is left out otherwise".to_owned(),
            (Class::Counts | Class::Extra, Some(usual)) => format!("; taken for {usual} otherwise"),
        };
        self.unread.push(spec.key);
        self.fail(spec.class, code, &(message + &end));
        T::none(spec)
    }

    /// Reads a list's entries; faulty ones are faults at first and left out at last. `class`: whether the answer can do without any.
    pub(super) fn entries<T: Declared>(
        &mut self,
        item: &'static Item,
        values: Vec<Value>,
        class: Class,
    ) -> Vec<T> {
        let mut taken = Vec::with_capacity(values.len());
        let mut faulty: Vec<Vec<Fault>> = Vec::new();
        for (number, value) in (1..).zip(values) {
            let mut entry = Entry::of(item.noun, number, value, self.chance);
            // What is no object has one fault, and not one for each of its fields.
            if entry.faults.is_empty() {
                let said = T::read(&mut entry);
                if entry.faults.is_empty() {
                    // What was normalised in an entry that is left out concerns nobody.
                    self.notes.append(&mut entry.notes);
                    taken.push(said);
                    continue;
                }
            }
            faulty.push(entry.faults);
        }
        self.left_out(item.noun, faulty.len());
        self.report(faulty, taken.is_empty() && class == Class::Required);
        taken
    }

    fn report(&mut self, faulty: Vec<Vec<Fault>>, nothing_left: bool) {
        let count = faulty.len();
        if count == 0 {
            return;
        }
        if nothing_left && self.chance == Chance::Last {
            self.fault("no_valid_entry", &format!("none of the {count} entries could be read"));
        }
        // With nothing left the answer fails, so that the reasons are its problems on any chance.
        let fails = self.chance == Chance::First || nothing_left;
        for faults in faulty.into_iter().take(NAMED) {
            if fails {
                self.faults.extend(faults);
            } else {
                let all: Vec<&str> = faults.iter().map(|fault| &*fault.message).collect();
                self.note("entry_left_out", &format!("left out: {}", all.join("; ")));
            }
        }
        if count > NAMED {
            let message = format!("{} more are faulty in such ways", count - NAMED);
            self.lenient("entry_left_out", &message);
        }
    }
}

/// Returns what stands for a number that is not there, if one does.
const fn usual(kind: Kind) -> Option<u8> {
    if let Kind::Whole { usual: usual @ 1.., .. } = kind { Some(usual) } else { None }
}

/// Returns the code of what is missing.
const fn missing(kind: Kind) -> &'static str {
    if let Kind::Entries { .. } | Kind::Texts { .. } | Kind::Names { .. } | Kind::Groups { .. } =
        kind
    {
        "wrong_type"
    } else {
        "missing_field"
    }
}
