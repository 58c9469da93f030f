//! Valid answers generated from declarations, as a starting point for tests.

use serde_json::{Map, Value, json};

use crate::contract::field::{Item, Kind, Spec};
use crate::contract::outline::{Body, Outline};

#[derive(Debug, Clone, Copy)]
pub(crate) struct Sample<'a> {
    /// The ids that it may name; an entry's id is one of them.
    pub(crate) ids: &'a [String],
    /// Number of entries in a list, within its maximum.
    pub(crate) entries: usize,
}

impl Sample<'_> {
    /// Returns a block's body that reads without a note.
    pub(crate) fn body(&self, outline: &Outline) -> String {
        match outline.body {
            Body::Text { noun, .. } => format!("A {noun}."),
            Body::Object(item) => Value::Object(self.object(item, 1)).to_string(),
            Body::Ids => json!(self.ids).to_string(),
            Body::ById(item) => {
                let each = self.ids.iter().map(|id| (id.clone(), self.object(item, 1).into()));
                Value::Object(each.collect()).to_string()
            }
        }
    }

    fn object(&self, item: &Item, number: usize) -> Map<String, Value> {
        let listed = |spec: &&Spec| !spec.unlisted && !matches!(spec.kind, Kind::Ours);
        let asked = item.fields.iter().filter(listed);
        asked.map(|spec| (spec.key.to_owned(), self.value(spec, number))).collect()
    }

    fn value(&self, spec: &Spec, number: usize) -> Value {
        let text = || text_of(spec, number);
        match spec.kind {
            Kind::Id(_) => json!(self.ids.get(number - 1).cloned().unwrap_or_else(text)),
            Kind::Line(_) | Kind::Text(_) | Kind::Code(_) | Kind::Name(_) => {
                json!(text())
            }
            Kind::Word(words) => json!(words().first()),
            Kind::Number { least, .. } => json!(least),
            Kind::Whole { least, .. } => json!(least),
            Kind::Share => json!(0.5),
            Kind::Flag => json!(false),
            Kind::LineNumber => json!(number),
            Kind::Texts { most, .. } => {
                (1..=self.entries.min(most)).map(|number| json!(text_of(spec, number))).collect()
            }
            Kind::Entries { item, most, .. } => {
                let count = if self.ids.is_empty() { self.entries } else { self.ids.len() };
                (1..=count.min(most)).map(|number| json!(self.object(item, number))).collect()
            }
            Kind::Groups(_) => json!([]),
            Kind::Map | Kind::Json => json!({"text": text()}),
            // Agents are not asked for it.
            Kind::Ours => Value::Null,
        }
    }
}

/// Returns a text that names its field: `fix 1`.
fn text_of(spec: &Spec, number: usize) -> String {
    format!("{} {number}", spec.key.replace('_', " "))
}
