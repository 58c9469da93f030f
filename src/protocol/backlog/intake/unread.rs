//! The unread fields of a file's items, and the number of items with each.

use std::collections::{BTreeMap, BTreeSet};

use super::fields;
use crate::text::{Note, sanitize};

#[derive(Debug, Default)]
pub(super) struct UnreadFields {
    items: BTreeMap<String, usize>,
}

impl UnreadFields {
    pub(super) fn count(&mut self, fields: BTreeSet<String>) {
        for field in fields {
            *self.items.entry(field).or_default() += 1;
        }
    }

    /// Returns a note that names every unread field.
    pub(super) fn note(&self) -> Option<Note> {
        self.note_of(|_, _| true)
    }

    /// Returns a note that names only fields that look like a misspelling of ours, or that a reader would have had to
    /// drop.
    pub(super) fn misspelt(&self) -> Option<Note> {
        self.note_of(|field, hint| field.contains('.') || !hint.is_empty())
    }

    fn note_of(&self, is_wanted: impl Fn(&str, &str) -> bool) -> Option<Note> {
        let names: Vec<String> = (self.items.iter())
            .filter_map(|(field, items)| {
                let hint = fields::nearest_strict(field);
                let field = sanitize::line(field, 64);
                let of = if *items == 1 { "item" } else { "items" };
                is_wanted(&field, &hint).then(|| format!("`{field}` ({items} {of}{hint})"))
            })
            .collect();
        let what = match names.len() {
            0 => return None,
            1 => "1 field of the items is not read",
            _ => "fields of the items are not read",
        };
        let count = if names.len() > 1 { format!("{} ", names.len()) } else { String::new() };
        let message = format!("{count}{what}: {}", names.join(", "));
        Some(Note::new("unknown_field", message))
    }
}
