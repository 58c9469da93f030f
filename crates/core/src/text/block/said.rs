//! What a block says, as it is read: the texts that a quotation is told by.

use serde_json::Value;

use super::letters::letters;
use super::shape::{OWN_WORDS, is_name};
use super::{Content, ExpectedBlock, Form, Shape};
use crate::text::json;

/// Number of letters from which JSON without a text of several words is told from others.
pub(super) const LETTERS: usize = 12;

/// Maximum number of texts that are looked up.
const TEXTS: usize = 200;

/// A text of several words.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Text {
    pub(super) letters: String,
    pub(super) behind: String,
    pub(super) words: usize,
}

/// The content of a block.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Said {
    /// The texts of several words that are the author's, not copies of code and evidence.
    pub(super) texts: Vec<Text>,
    /// The other values, in order: ids, single words, numbers.
    pub(super) atoms: Vec<String>,
    /// The words by which the author stands for it.
    pub(super) own_words: Vec<String>,
    /// Everything, with its keys.
    pub(super) all: String,
}

impl Said {
    /// Reads a block's content; one that cannot be read is one text.
    pub(super) fn of(want: &ExpectedBlock, content: &str) -> Self {
        let mut said = Self::default();
        if want.shape == Shape::Text {
            said.all = letters(content);
            for line in content.lines().take(TEXTS) {
                said.text(line, "", true);
            }
            return said;
        }
        let Ok((value, _)) = json::read_generously(content, true) else {
            // A few letters, as of a template, are everywhere.
            if letters(content).len() >= LETTERS {
                said.text(content, "", true);
            }
            return said;
        };
        said.all = letters(&value.to_string());
        match &value {
            Value::Object(entries) if want.form == Form::ById => {
                for (id, value) in entries {
                    if !is_name(id, OWN_WORDS) {
                        said.atoms.push(letters(id));
                    }
                    said.field(want, id, value, Some(Content::Own));
                }
            }
            value => said.value(want, "", value, None),
        }
        said
    }

    /// Whether a stretch of data holds the values of a block without texts: ids in their order.
    pub(super) fn is_in(&self, stretch: &str, shape: Shape) -> bool {
        let mut rest = stretch;
        match shape {
            Shape::Text => stretch.contains(&self.all),
            Shape::Object if self.atoms.is_empty() => stretch.contains(&self.all),
            Shape::Object => self.atoms.iter().all(|atom| stretch.contains(atom)),
            Shape::Array => self.atoms.iter().all(|atom| match rest.split_once(atom) {
                Some((_, after)) => {
                    rest = after;
                    true
                }
                None => false,
            }),
        }
    }

    fn value(&mut self, want: &ExpectedBlock, key: &str, value: &Value, content: Option<Content>) {
        match value {
            Value::String(text) => self.text(text, key, content != Some(Content::Shown)),
            Value::Array(entries) => {
                let mut before = key.to_owned();
                for entry in entries {
                    self.value(want, &before, entry, content);
                    if let Value::String(text) = entry {
                        before.clone_from(text);
                    }
                }
            }
            Value::Object(entries) => {
                for (key, value) in entries {
                    let known = || want.fields.iter().find(|(name, _)| is_name(name, key));
                    let content = match content {
                        Some(Content::Free) => Some(Content::Free),
                        _ => known().map(|(_, content)| *content),
                    };
                    self.field(want, key, value, content);
                }
            }
            Value::Bool(_) | Value::Number(_) => self.atoms.push(letters(&value.to_string())),
            Value::Null => {}
        }
    }

    /// Reads a field; what a block does not have says nothing, unless something that it has is in it.
    fn field(&mut self, want: &ExpectedBlock, key: &str, value: &Value, content: Option<Content>) {
        if let (true, Value::String(text)) = (is_name(key, OWN_WORDS), value) {
            self.own_words.extend((words(text) > 1).then(|| letters(text)));
            return;
        }
        let all_count = want.fields.is_empty();
        let is_within = value.is_object()
            || value.as_array().is_some_and(|entries| entries.iter().any(Value::is_object));
        match content {
            None if all_count => self.value(want, key, value, Some(Content::Free)),
            None if !is_within => {}
            _ => self.value(want, key, value, content),
        }
    }

    fn text(&mut self, text: &str, before: &str, is_own: bool) {
        let (letters_of, words) = (letters(text), words(text));
        if words > 1 && is_own {
            if self.texts.len() < TEXTS {
                let behind = letters(before) + &letters_of;
                self.texts.push(Text { letters: letters_of, behind, words });
            }
        } else if words == 1 && !letters_of.is_empty() {
            self.atoms.push(letters_of);
        }
    }
}

/// Returns the number of words; in a script without spaces, two characters are one.
fn words(text: &str) -> usize {
    let dense = text.chars().filter(|c| *c > '\u{2e7f}' && c.is_alphanumeric()).count();
    text.split_whitespace().count().max(dense / 2)
}
