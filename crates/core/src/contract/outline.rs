//! A block without its type: its name, and what stands in it.

use super::field::{Item, Spec};
use crate::text::block::{Form, Shape, Want};

/// What stands in a block.
#[derive(Debug, Clone, Copy)]
pub enum Body {
    /// Text.
    Text {
        /// What it is called in messages: `suggestion`.
        noun: &'static str,
        /// What the template shows in its place.
        shown: &'static str,
        /// Most characters.
        most: usize,
    },
    /// A JSON object.
    Object(&'static Item),
    /// A JSON array of ids, each of which may stand in an object.
    Ids,
    /// A JSON object with ids as keys.
    ById(Spec),
}

/// A block without its type: everything that template, parser and samples need.
#[derive(Debug, Clone, Copy)]
pub struct Outline {
    /// Its name, as in `<<<NAME_START>>>`.
    pub name: &'static str,
    /// What stands in it.
    pub body: Body,
    /// Whether a reply must hold it.
    pub required: bool,
    /// Keys of fields that the turn does not ask for: they may be given, and are not owed.
    pub unasked: &'static [&'static str],
    /// The field of which a turn leaves no choice, and the word that stands for it where it is missing.
    pub only: Option<(&'static str, &'static str)>,
    /// Whether a key in another writing is one of ours.
    pub any_writing: bool,
    /// What the template shows for the values of fields with these keys, wherever they stand.
    pub words: &'static [(&'static str, &'static str)],
}

impl Outline {
    /// Returns what the parser looks for.
    pub fn want(&self) -> Want {
        let (shape, form) = match self.body {
            Body::Text { .. } => (Shape::Text, Form::Any),
            Body::Ids => (Shape::Array, Form::Any),
            Body::Object(item) => (Shape::Object, item.form()),
            Body::ById(_) => (Shape::Object, Form::ById),
        };
        let mut decides = Vec::new();
        if let Body::Object(item) = self.body {
            item.decides(&mut decides);
        }
        Want { form, decides, ..Want::new(self.name, shape, self.required) }
    }
}
