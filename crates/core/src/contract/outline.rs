//! A block without its type: its name and content.

use super::field::{Item, Kind};
use crate::text::block::{Content, ExpectedBlock, Form, Shape};

/// The key of fields that hold what can be looked up, often in the words that were shown.
const REPEATED: [&str; 5] = ["evidence", "covered", "missing_requirements", "files", "depends_on"];

/// The content of a block.
#[derive(Debug, Clone, Copy)]
pub enum Body {
    /// Text.
    Text {
        /// The noun for it in messages: `suggestion`.
        noun: &'static str,
        /// Its placeholder in the template.
        shown: &'static str,
        /// Maximum length in characters.
        most: usize,
    },
    /// A JSON object.
    Object(&'static Item),
    /// A JSON array of ids, each of which may be wrapped in an object.
    Ids,
    /// A JSON object keyed by id, with an object for each; a value in its place is its field that can stand
    /// [alone](super::field::Field::alone).
    ById(&'static Item),
}

/// A block without its type: everything that templates, parsers and samples need.
#[derive(Debug, Clone, Copy)]
pub struct Outline {
    /// Its name, as in `<<<NAME_START>>>`.
    pub name: &'static str,
    /// Its content.
    pub body: Body,
    /// Whether a reply must hold it.
    pub required: bool,
    /// Keys of fields that the turn does not ask for: they may be given, but are not owed.
    pub unasked: &'static [&'static str],
    /// The field that the turn leaves no choice about, and its default word, which the template shows.
    pub only: Option<(&'static str, &'static str)>,
    /// Texts that the template shows for the values of fields with these keys, at any depth.
    pub words: &'static [(&'static str, &'static str)],
}

impl Outline {
    /// Returns the parser's specification of the block.
    pub fn want(&self) -> ExpectedBlock {
        let (shape, form) = match self.body {
            Body::Text { .. } => (Shape::Text, Form::Any),
            Body::Ids => (Shape::Array, Form::Any),
            Body::Object(item) => (Shape::Object, item.form()),
            Body::ById(_) => (Shape::Object, Form::ById),
        };
        let mut fields = Vec::new();
        if let Body::Object(item) | Body::ById(item) = self.body {
            contents(item, &mut fields);
        }
        ExpectedBlock { form, fields, ..ExpectedBlock::new(self.name, shape, self.required) }
    }
}

/// Lists the fields of an object and of the objects in it, by what they hold.
fn contents(item: &Item, into: &mut Vec<(&'static str, Content)>) {
    for spec in item.fields {
        let content = match spec.kind {
            _ if REPEATED.contains(&spec.key) => Content::Shown,
            Kind::Line(_) | Kind::Text(_) | Kind::Texts { .. } => Content::Own,
            Kind::Entries { item, .. } => {
                contents(item, into);
                Content::Own
            }
            Kind::Map | Kind::Json => Content::Free,
            _ => Content::Shown,
        };
        into.extend(spec.keys().map(|key| (key, content)));
    }
}
