//! One entry of a list, while it is read: typed access to its fields, and what is wrong with it.

use serde_json::{Map, Value};

use super::lines::{MAX_LINES, lines};
use crate::kernel::Chance;
use crate::kernel::share::Share;
use crate::text::{Note, sanitize};

/// Why an entry cannot be taken.
pub(super) struct Fault {
    pub(super) code: &'static str,
    pub(super) message: String,
}

/// One entry of a list, opened by [`Judge::entries`](super::Judge::entries), or what a block holds beside its list ([`Judge::whole`](super::Judge::whole)).
///
/// `max` and `chars` are characters.
pub struct Fields<'a> {
    map: Map<String, Value>,
    noun: &'a str,
    number: usize,
    chance: Chance,
    /// What makes it unusable.
    pub(super) faults: Vec<Fault>,
    /// What was normalised in it.
    pub(super) notes: Vec<Note>,
}

impl<'a> Fields<'a> {
    /// Opens an entry; what is no object has no fields, and says so. A bare text where only an id is needed stands for it.
    pub(super) fn new(noun: &'a str, number: usize, entry: Value, chance: Chance) -> Self {
        let mut fields =
            Self { map: Map::new(), noun, number, chance, faults: Vec::new(), notes: Vec::new() };
        match entry {
            Value::Object(map) => fields.map = map,
            Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::String(_)
            | Value::Array(_) => fields.fault("wrong_type", "must be a JSON object"),
        }
        fields
    }

    fn name(&self) -> String {
        let title = ["title", "id", "into", "point", "claim"]
            .iter()
            .find_map(|key| self.map.get(*key)?.as_str())
            .map(|title| format!(" (`{}`)", sanitize::line(title, 60)));
        // What is no entry of a list has no number.
        if self.number == 0 {
            return self.noun.to_owned();
        }
        format!("{} {}{}", self.noun, self.number, title.unwrap_or_default())
    }

    /// Says what makes the entry unusable; the message begins with the entry's name.
    pub fn fault(&mut self, code: &'static str, message: &str) {
        let message = format!("{}: {message}", self.name());
        self.faults.push(Fault { code, message });
    }

    /// Says what was normalised in the entry; the message begins with the entry's name.
    pub fn note(&mut self, code: &str, message: &str) {
        let message = format!("{}: {message}", self.name());
        self.notes.push(Note::new(code, message));
    }

    /// Something that a re-ask can mend, and that the entry can do without when there is none.
    pub fn lenient(&mut self, code: &'static str, message: &str) {
        match self.chance {
            Chance::First => self.fault(code, message),
            Chance::Last => self.note(code, message),
        }
    }

    /// Takes a field, `null` as if it were not there.
    pub fn take(&mut self, key: &str) -> Option<Value> {
        // The name of the entry is made of its title or id, so those stay.
        self.map.get(key).filter(|value| !value.is_null()).cloned()
    }

    /// Takes one line of text that the entry cannot do without.
    pub fn line(&mut self, key: &str, max: usize) -> String {
        let line = match self.take(key) {
            Some(Value::String(text)) => sanitize::line(&text, max),
            Some(_) | None => String::new(),
        };
        if line.is_empty() {
            self.fault("missing_field", &format!("`{key}` must be text"));
        }
        line
    }

    /// Takes a text that the entry cannot do without.
    pub fn required(&mut self, key: &str, max: usize) -> String {
        let text = self.text(key, max).unwrap_or_default();
        if text.is_empty() {
            self.fault("missing_field", &format!("`{key}` must be text"));
        }
        text
    }

    /// Takes a text of several lines, if it is there and not blank.
    pub fn text(&mut self, key: &str, max: usize) -> Option<String> {
        let text = match self.take(key)? {
            Value::String(text) => text,
            Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::Array(_)
            | Value::Object(_) => {
                self.lenient("wrong_type", &format!("`{key}` must be text"));
                return None;
            }
        };
        let text = text.trim();
        let chars = text.chars().count();
        if chars > max {
            self.note("shortened", &format!("`{key}` has {chars} characters and may have {max}"));
            return Some(text.chars().take(max - 1).chain(['…']).collect());
        }
        (!text.is_empty()).then(|| text.to_owned())
    }

    /// Takes a text that may be missing, without control characters.
    pub fn words(&mut self, key: &str, max: usize) -> String {
        let text = self.text(key, max).unwrap_or_default();
        sanitize::terminal(&text).trim().to_owned()
    }

    /// Takes a text that the entry cannot do without, without control characters.
    pub fn needed(&mut self, key: &str, max: usize) -> String {
        let text = self.words(key, max);
        if text.is_empty() {
            self.fault("missing_field", &format!("`{key}` must be text"));
        }
        text
    }

    /// Takes a list of short texts that may be missing.
    pub fn lines(&mut self, key: &str, chars: usize) -> Vec<String> {
        let (lines, noticed) = lines(self.take(key), key, MAX_LINES, chars);
        for each in noticed {
            if each.lenient {
                self.lenient(each.code, &each.message);
            } else {
                self.note(each.code, &each.message);
            }
        }
        lines
    }

    /// Takes a number from 0 to 1 that the entry cannot do without.
    pub fn share(&mut self, key: &str) -> Share {
        let share = (self.take(key).as_ref().and_then(Value::as_f64)).and_then(Share::nearest);
        if share.is_none() {
            self.fault("out_of_range", &format!("`{key}` must be a number from 0 to 1"));
        }
        share.unwrap_or_default()
    }

    /// Takes `true` or `false`, if it is given.
    pub fn flag(&mut self, key: &str) -> Option<bool> {
        match self.take(key)? {
            Value::Bool(flag) => Some(flag),
            Value::Null
            | Value::Number(_)
            | Value::String(_)
            | Value::Array(_)
            | Value::Object(_) => {
                self.lenient("wrong_type", &format!("`{key}` must be true or false"));
                None
            }
        }
    }

    /// Takes code: its indentation stays, and one that is too long is cut at a line, so that what is left can still be found.
    pub fn code(&mut self, key: &str, max: usize) -> Option<String> {
        let text = match self.take(key)? {
            Value::String(text) => text,
            Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::Array(_)
            | Value::Object(_) => {
                self.lenient("wrong_type", &format!("`{key}` must be text"));
                return None;
            }
        };
        let text = text.trim_end().trim_start_matches(['\n', '\r']);
        let chars = text.chars().count();
        let text = if chars > max {
            self.note("shortened", &format!("`{key}` has {chars} characters and may have {max}"));
            let head: String = text.chars().take(max).collect();
            match head.rsplit_once('\n') {
                Some((whole, _)) => whole.to_owned(),
                None => head,
            }
        } else {
            text.to_owned()
        };
        (!text.trim().is_empty()).then_some(text)
    }

    /// Takes one of some words; case and spaces may differ. `None` is a fault that was told.
    pub fn word<T: Copy>(&mut self, key: &str, words: &[(&str, T)]) -> Option<T> {
        let written = match self.take(key) {
            Some(Value::String(text)) => text,
            Some(_) | None => String::new(),
        };
        let plain = written.trim();
        let found = words.iter().find(|(word, _)| plain.eq_ignore_ascii_case(word));
        let Some((word, value)) = found else {
            let all: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
            let shown = sanitize::line(&written, 40);
            let message = format!("`{key}` must be one of {}, not `{shown}`", all.join(", "));
            self.fault("unknown_word", &message);
            return None;
        };
        if written != *word {
            let shown = sanitize::line(&written, 40);
            self.note("word_normalised", &format!("`{key}` `{shown}` was read as `{word}`"));
        }
        Some(*value)
    }
}
