//! One object of an answer while it is read: its fields and its faults.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::field::{Absence, Class, Field, Item, Kind, Spec};
use super::generous;
use super::read::{self, Declaration, FieldType, Rejection};
use super::some_of;
use crate::kernel::Chance;
use crate::text::written::plain_key;
use crate::text::{Note, sanitize};

/// Maximum number of faulty list entries named individually; the rest are counted.
const NAMED: usize = 20;

/// A block, or one entry of a list in it.
pub struct Entry<'a> {
    map: Map<String, Value>,
    /// The noun for it in messages; for an entry under an id, the id.
    noun: &'a str,
    /// Its position in its list; 0 if it is not in one.
    number: usize,
    chance: Chance,
    /// Keys that belong to no field.
    strange: Vec<String>,
    /// Whether a field was missing.
    lacks: bool,
    /// Keys of fields that were not asked for.
    pub(super) unasked: &'static [&'static str],
    /// The field that leaves no choice, and its only word.
    pub(super) only: Option<(&'static str, &'static str)>,
    /// Texts the template shows instead of the declared ones, by key.
    pub(super) words: &'static [(&'static str, &'static str)],
    /// Keys of fields that had a fault, so that their values are defaults and not the agent's.
    pub(super) unread: Vec<&'static str>,
    pub(super) faults: Vec<Rejection>,
    /// The normalisations made.
    pub(super) notes: Vec<Note>,
    /// The number of list entries left out, by noun.
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
            strange: Vec::new(),
            lacks: false,
            unasked: &[],
            only: None,
            words: &[],
            unread: Vec::new(),
            faults: Vec::new(),
            notes: Vec::new(),
            left_out: BTreeMap::new(),
        }
    }

    /// Opens the entry under an id.
    pub(super) fn under(id: &'a str, item: &Item, value: Value, chance: Chance) -> Self {
        Self { noun: id, ..Self::whole(Map::new(), chance) }.holding(item, value)
    }

    /// The same entry with a value: an object, or the field of one that can stand alone.
    fn holding(mut self, item: &Item, value: Value) -> Self {
        let is_listed = self.number > 0;
        match (value, generous::alone(item)) {
            (Value::Object(map), alone) => {
                self.map = map;
                if let Some(key) = alone.filter(|_| !is_listed) {
                    self.rename_only(item, key);
                }
            }
            (value, Some(key)) if value.is_string() || !is_listed => {
                self.map.insert(key.to_owned(), value);
                if is_listed {
                    self.note("unwrapped", &format!("only text; read as its `{key}`"));
                }
            }
            _ => self.fault("wrong_type", "must be a JSON object"),
        }
        self
    }

    /// Moves the value of an object with a single field under another name to this key.
    fn rename_only(&mut self, item: &Item, to: &str) {
        let mut keys = self.map.keys();
        let (Some(key), None) = (keys.next().cloned(), keys.next()) else {
            return;
        };
        let plain = plain_key(&key);
        if item.fields.iter().flat_map(Spec::keys).any(|ours| plain_key(ours) == plain) {
            return;
        }
        let written = sanitize::line(&key, 40);
        let message = format!("`{to}` was taken from an object, where it was called `{written}`");
        self.note("unwrapped", &message);
        self.map = self.map.remove(&key).into_iter().map(|value| (to.to_owned(), value)).collect();
    }

    /// Reads the object by its declaration, under the declared keys or the same keys in another style.
    pub(super) fn declared<T: Declaration>(&mut self) -> T {
        self.use_our_keys(T::ITEM);
        let said = T::read(self);
        if self.lacks && !self.strange.is_empty() {
            let strange: Vec<String> =
                self.strange.iter().map(|key| format!("`{}`", sanitize::line(key, 40))).collect();
            let strange: Vec<&str> = strange.iter().map(String::as_str).collect();
            let message = format!("{} is not one of its keys; ignored", some_of(&strange));
            self.note("unknown_key", &message);
        }
        said
    }

    /// Moves values to the keys under which the fields are declared.
    fn use_our_keys(&mut self, item: &Item) {
        let mut ours = Map::new();
        for (key, value) in std::mem::take(&mut self.map) {
            let wanted = plain_key(&key);
            let mut keys = item.fields.iter().flat_map(Spec::keys);
            let Some(known) = keys.find(|known| plain_key(known) == wanted) else {
                self.strange.push(key);
                continue;
            };
            let written = sanitize::line(&key, 40);
            if ours.insert(known.to_owned(), value).is_some() {
                let message =
                    format!("`{known}` is given twice, once as `{written}`; give it once");
                self.fault("conflicting_entries", &message);
            } else if key != known {
                self.note("key_normalised", &format!("`{written}` was read as `{known}`"));
            }
        }
        self.map = ours;
    }

    /// Reports that this entry needs a text that is optional in general.
    pub fn needs(&mut self, key: &str, text: &str) {
        if text.trim().is_empty() {
            self.fault("missing_field", &format!("`{key}` must be text"));
        }
    }

    /// Whether the field with this key had a fault.
    pub fn is_unread(&self, key: &str) -> bool {
        self.unread.contains(&key)
    }

    /// Returns the reply's chance.
    pub const fn chance(&self) -> Chance {
        self.chance
    }

    /// Prefixes a message with the entry's name; a block has none.
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

    /// Reports a fault that makes the entry unusable; the message begins with the entry's name.
    pub fn fault(&mut self, code: &'static str, message: &str) {
        let message = self.about(message);
        self.faults.push(Rejection { code, message });
    }

    /// Reports a normalisation; the message begins with the entry's name.
    pub fn note(&mut self, code: &str, message: &str) {
        self.notes.push(Note::new(code, self.about(message)));
    }

    /// Notes that a list's content says that there is nothing.
    pub(super) fn note_nothing(&mut self, key: &str) {
        let message = format!("`{key}` says in words that there is nothing; read as `[]`");
        let note = Note::new("says_nothing", self.about(&message));
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    /// Whether a text is the template's own for this field: repeating it is not an answer.
    pub(super) fn is_template(&self, spec: &Spec, text: &str) -> bool {
        let shown = spec.shown_by(self.words);
        // An id is shown in brackets; an agent that keeps them means the id.
        shown.starts_with('<') && !matches!(spec.kind, Kind::Id(_)) && text.trim() == shown
    }

    /// Reports that a field cannot be read, as severely as its class demands.
    pub fn fail(&mut self, class: Class, code: &'static str, message: &str) {
        match (class, self.chance) {
            (Class::Required, _) | (Class::Counts, Chance::First) => self.fault(code, message),
            (Class::Counts, Chance::Last) | (Class::Extra, _) => self.note(code, message),
        }
    }

    pub(super) fn left_out(&mut self, noun: &'static str, count: usize) {
        *self.left_out.entry(noun).or_default() += count;
    }

    /// Returns a value as given; `null` counts as missing.
    pub fn take(&self, key: &str) -> Option<Value> {
        // The entry's name is made from its title or id, so those stay.
        self.map.get(key).filter(|value| !value.is_null()).cloned()
    }

    /// Returns the value given for a field, under any of its keys.
    ///
    /// # Errors
    /// It is given under two of them.
    fn given(&mut self, spec: &Spec) -> Result<Option<Value>, Rejection> {
        let mut found = spec.keys().filter_map(|key| Some((key, self.take(key)?)));
        let first = found.next();
        if let Some((other, _)) = found.next() {
            let message = format!("`{}` is given twice, once as `{other}`; give it once", spec.key);
            return Err(Rejection::new("conflicting_entries", message));
        }
        let only = self.only.filter(|(key, _)| *key == spec.key);
        Ok(match (first, only) {
            (Some((key, value)), _) => {
                if key != spec.key {
                    self.note("key_normalised", &format!("`{key}` was read as `{}`", spec.key));
                }
                Some(value)
            }
            (None, Some((key, word))) => {
                let message =
                    format!("`{key}` is missing; read as {word}, the only value allowed here");
                self.note("missing_field", &message);
                Some(Value::from(word))
            }
            (None, None) => None,
        })
    }

    /// Reads a field by its declaration.
    pub fn field<T: FieldType>(&mut self, field: &Field<T>) -> T {
        let spec = &field.spec;
        if matches!(spec.kind, Kind::Ours) {
            return read::ours(field, self);
        }
        let given = self.given(spec);
        let is_given = matches!(given, Ok(Some(_)));
        let read = match given {
            Ok(Some(Value::String(text))) if self.is_template(spec, &text) => {
                Err(Rejection::new("template", read::repeated(spec.key)))
            }
            Ok(Some(value)) => (field.reader)(value, spec, self),
            Ok(None) => Ok(None),
            Err(wrong) => Err(wrong),
        };
        let (class, absent) = (self.class(spec), spec.absent);
        let unasked = self.unasked.contains(&spec.key);
        let replaced = spec.unless.is_some_and(|key| self.take(key).is_some());
        self.lacks |= matches!(read, Ok(None));
        let (code, message) = match read {
            Ok(Some(value)) => return value,
            Err(wrong) => (wrong.code, wrong.message),
            Ok(None) if unasked || replaced => return T::none(spec),
            Ok(None) => match absent {
                Absence::Fine => return T::none(spec),
                // Blank, which says that there is nothing.
                Absence::Noted if is_given => return T::none(spec),
                Absence::Noted => {
                    let usual = spec.usual.map(|usual| format!("; read as {usual}"));
                    let usual = usual.unwrap_or_default();
                    self.note("missing_field", &format!("`{}` is not given{usual}", spec.key));
                    return T::none(spec);
                }
                Absence::Wrong => (missing(spec.kind), read::must_be(spec)),
            },
        };
        let end = match (class, spec.usual) {
            (Class::Required, _) => String::new(),
            (Class::Counts | Class::Extra, None) => "; ignored otherwise".to_owned(),
            (Class::Counts | Class::Extra, Some(usual)) => format!("; read as {usual} otherwise"),
        };
        self.unread.push(spec.key);
        self.fail(class, code, &(message + &end));
        T::none(spec)
    }

    /// Returns the class of a field here: nothing is asked again for what was not asked for.
    pub(super) fn class(&self, spec: &Spec) -> Class {
        if self.unasked.contains(&spec.key) { Class::Extra } else { spec.class }
    }

    /// Reads a list's entries; faulty ones are faults on the first chance and left out on the last. `class`: whether
    /// the answer can do without any.
    pub(super) fn entries<T: Declaration>(
        &mut self,
        (item, noun): (&'static Item, &'static str),
        values: Vec<Value>,
        class: Class,
    ) -> Vec<T> {
        let mut taken = Vec::with_capacity(values.len());
        let mut faulty: Vec<Vec<Rejection>> = Vec::new();
        for (number, value) in (1..).zip(values) {
            let whole = Entry::whole(Map::new(), self.chance);
            let entry = Entry { noun, number, words: self.words, ..whole };
            let mut entry = entry.holding(item, value);
            // An entry that is not an object has one fault, not one per field.
            if entry.faults.is_empty() {
                let said = entry.declared();
                if entry.faults.is_empty() {
                    // Notes on an entry that is left out are of no interest.
                    self.notes.append(&mut entry.notes);
                    taken.push(said);
                    continue;
                }
            }
            faulty.push(entry.faults);
        }
        self.left_out(noun, faulty.len());
        self.report(faulty, taken.is_empty(), class);
        taken
    }

    fn report(&mut self, faulty: Vec<Vec<Rejection>>, none: bool, class: Class) {
        let nothing_left = none && class == Class::Required;
        let count = faulty.len();
        if count == 0 {
            return;
        }
        if nothing_left && self.chance == Chance::Last {
            self.fault("no_valid_entry", &format!("none of the {count} entries could be read"));
        }
        // With nothing left the answer fails, so the reasons are its problems on any chance.
        let fails = (self.chance == Chance::First && class != Class::Extra) || nothing_left;
        for faults in faulty.into_iter().take(NAMED) {
            if fails {
                self.faults.extend(faults);
            } else {
                let all: Vec<&str> = faults.iter().map(|fault| &*fault.message).collect();
                self.note("entry_left_out", &format!("left out: {}", all.join("; ")));
            }
        }
        if count > NAMED {
            let message = format!("{} more have similar faults", count - NAMED);
            self.fail(
                if class == Class::Extra { class } else { Class::Counts },
                "entry_left_out",
                &message,
            );
        }
    }
}

/// Returns the code for a missing value.
const fn missing(kind: Kind) -> &'static str {
    if let Kind::Entries { .. } | Kind::Texts { .. } | Kind::Groups(_) = kind {
        "wrong_type"
    } else {
        "missing_field"
    }
}
