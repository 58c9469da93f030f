//! The fields of a block, declared: key, allowed values, and the consequence if one is missing from an answer.

use std::iter;

use serde_json::{Map, Value};

use super::entry::Entry;
use super::read::{Declaration, FieldType, Rejection};
use crate::text::block::Form;
pub use crate::text::word::Word;

/// How much depends on a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// The entry is left out without it, and the block is not an answer: a fault on any chance.
    Required,
    /// Worth a re-ask; on the last chance the answer does without it, with a note.
    Counts,
    /// Decides nothing: taken if it can be read, and never a reason to ask again.
    Extra,
}

/// How a field that is missing, `null` or blank is reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Absence {
    /// Like a field that cannot be read.
    Wrong,
    /// With a note.
    Noted,
    /// Not at all.
    Fine,
}

/// The values a field accepts. Lengths are in characters.
#[derive(Debug, Clone, Copy)]
pub enum Kind {
    /// One line of text, cut at this length.
    Line(usize),
    /// Text of several lines, cut at this length with a note.
    Text(usize),
    /// Code: keeps its indentation and is cut at a line end, so that the rest can still be found.
    Code(usize),
    /// An id that was shown, on one line, cut at this length.
    Id(usize),
    /// A name that the author chooses: one line, or a whole number; a longer one is refused.
    Name(usize),
    /// One word of a list, in the order in which an agent sees them; case and surrounding spaces may differ.
    Word(fn() -> Vec<&'static str>),
    /// A number, as a number or text: `7`, `"7"`, `"7/10"` if 10 is the maximum.
    Number {
        /// Minimum.
        least: f64,
        /// Maximum.
        most: f64,
        /// Whether values from 0 up to the minimum count as the minimum.
        raised: bool,
    },
    /// A whole number.
    Whole {
        /// Minimum.
        least: u8,
        /// Maximum.
        most: u8,
    },
    /// A number from 0 to 1.
    Share,
    /// `true` or `false`.
    Flag,
    /// A line of a file, from 1; as text also `L42` and `42-48`, of which the first number counts.
    LineNumber,
    /// A list of short texts without repeats; a single text is a list of one.
    Texts {
        /// Maximum number of entries; the first ones count.
        most: usize,
        /// Maximum length of each entry; cut there, with a note.
        chars: usize,
        /// Whether an entry that cannot be read is a fault on any chance, and not left out on the last.
        whole: bool,
    },
    /// A list of objects.
    Entries {
        /// The declaration of one entry.
        item: &'static Item,
        /// The noun for one in messages.
        noun: &'static str,
        /// Maximum number of entries.
        most: usize,
        /// The treatment of further entries.
        over: Overflow,
        /// Whether the template shows them on lines of their own, below the other fields.
        apart: bool,
    },
    /// Groups of names, at most so many; anything in them that is not text becomes an empty name.
    Groups(usize),
    /// A JSON object: the protocol decides what it accepts.
    Map,
    /// Any JSON: the protocol decides what it accepts.
    Json,
    /// Not asked for: the program sets it, and notes it if an agent does.
    Ours,
}

/// The treatment of list entries beyond the maximum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Overflow {
    /// The first ones count; worth a re-ask.
    First,
    /// The list is not an answer.
    None,
}

/// An object, declared.
#[derive(Debug, Clone, Copy)]
pub struct Item {
    /// The noun for it in messages: `finding`; empty for a whole block.
    pub noun: &'static str,
    /// Its fields, in the order of the template.
    pub fields: &'static [Spec],
}

impl Item {
    /// Returns the form that a block of it must have, as far as an object's form can express it.
    pub(super) fn form(&self) -> Form {
        let mut owed = self.fields.iter().filter(|spec| spec.class == Class::Required);
        let mut lists = owed.clone().filter(|spec| matches!(spec.kind, Kind::Entries { .. }));
        let first = owed.next();
        Form::Fields {
            list: lists.next().filter(|_| lists.next().is_none()).map(|spec| spec.key),
            key: first.map(|spec| spec.key),
            also: first.map_or(&[], |spec| spec.also),
        }
    }
}

/// A field without its type: everything that templates, messages and samples need.
#[derive(Debug, Clone, Copy)]
pub struct Spec {
    /// Its key in JSON.
    pub key: &'static str,
    /// The values it accepts.
    pub kind: Kind,
    /// How much depends on it.
    pub class: Class,
    /// How its absence is reported.
    pub absent: Absence,
    /// Its placeholder in the template, without quotes; if empty, that of its kind.
    pub shown: &'static str,
    /// Whether it starts a line of the template.
    pub below: bool,
    /// Other keys under which it is accepted.
    pub also: &'static [&'static str],
    /// Its value if it is not given, for a whole number.
    pub usual: Option<u8>,
    /// Whether a text in place of a whole entry is taken as this field.
    pub alone: bool,
    /// Whether templates leave it out.
    pub unlisted: bool,
    /// The key of a field that takes its place: where that is given, this one is not owed.
    pub unless: Option<&'static str>,
}

impl Spec {
    /// Returns its placeholder in the template; `words`: replacements for some.
    pub fn shown_by<'a>(&self, words: &'a [(&'a str, &'a str)]) -> &'a str {
        words.iter().find(|(key, _)| *key == self.key).map_or(self.shown, |(_, word)| word)
    }

    /// Returns the keys under which it is accepted, its own first.
    pub fn keys(&self) -> impl Iterator<Item = &'static str> {
        iter::once(self.key).chain(self.also.iter().copied())
    }
}

/// Reads a value that is not `null`, as [`FieldType::read`] does.
pub type Reader<T> = fn(Value, &Spec, &mut Entry<'_>) -> Result<Option<T>, Rejection>;

/// A field of the type `T`.
#[must_use]
#[derive(Debug)]
pub struct Field<T> {
    /// Its declaration without the type.
    pub spec: Spec,
    pub(super) reader: Reader<T>,
}

impl<T: FieldType> Field<T> {
    pub(super) const fn new(kind: Kind) -> Self {
        let spec = Spec {
            key: "",
            kind,
            class: Class::Required,
            absent: Absence::Wrong,
            shown: "",
            below: false,
            also: &[],
            usual: None,
            alone: false,
            unlisted: false,
            unless: None,
        };
        Self { spec, reader: <T as FieldType>::read }
    }

    /// The same field, `None` if it is missing, which is not reported.
    pub const fn optional(self) -> Field<Option<T>> {
        Field { spec: self.spec, reader: <Option<T> as FieldType>::read }.may_miss()
    }
}

impl<T> Field<T> {
    /// The same field, read by a function of the protocol instead of by its kind.
    pub const fn read_by(mut self, reader: Reader<T>) -> Self {
        self.reader = reader;
        self
    }

    /// The same field, under this key unless one is [declared](Self::key).
    pub const fn named(mut self, key: &'static str) -> Self {
        if self.spec.key.is_empty() {
            self.spec.key = key;
        }
        self
    }

    /// The same field, under a key other than its name in Rust.
    pub const fn key(mut self, key: &'static str) -> Self {
        self.spec.key = key;
        self
    }

    /// The same field, also accepted under these keys; given under two at once, it cannot be read.
    pub const fn also(mut self, keys: &'static [&'static str]) -> Self {
        self.spec.also = keys;
        self
    }

    /// The same field: a text in place of a whole entry is taken as it.
    pub const fn alone(mut self) -> Self {
        self.spec.alone = true;
        self
    }

    /// The same field, which templates leave out: it is read where it is given.
    pub const fn unlisted(mut self) -> Self {
        self.spec.unlisted = true;
        self
    }

    /// The same field, not owed in an object that gives the field with this key instead.
    pub const fn unless(mut self, key: &'static str) -> Self {
        self.spec.unless = Some(key);
        self
    }

    /// The same field, with this placeholder in the template.
    pub const fn shown(mut self, shown: &'static str) -> Self {
        self.spec.shown = shown;
        self
    }

    /// The same field, starting a line of the template.
    pub const fn below(mut self) -> Self {
        self.spec.below = true;
        self
    }

    /// The same field, without which there is no answer.
    pub const fn owed(mut self) -> Self {
        self.spec.class = Class::Required;
        self.spec.absent = Absence::Wrong;
        self
    }
}

/// No default is invented: an optional word, share, number or line of a file is an [`Option`] or declares its
/// [default](Self::usually).
///
/// ```
/// use debate_core::contract::field::{Field, share};
/// use debate_core::kernel::share::Share;
///
/// const CONFIDENCE: Field<Option<Share>> = share().optional().extra();
/// ```
///
/// ```compile_fail,E0080
/// use debate_core::contract::field::{Field, whole};
///
/// const IMPORTANCE: Field<u8> = whole(1, 3).counts();
/// ```
impl<T: FieldType> Field<T> {
    /// The same field, which may be missing silently; a given value must be readable as far as its class
    /// demands.
    pub const fn may_miss(mut self) -> Self {
        self.can_miss();
        self.spec.absent = Absence::Fine;
        self
    }

    /// The same field, which may be missing with a note.
    pub const fn noted(mut self) -> Self {
        self.can_miss();
        self.spec.absent = Absence::Noted;
        self
    }

    /// The same field, as [`Class::Counts`].
    pub const fn counts(mut self) -> Self {
        self.can_miss();
        self.spec.class = Class::Counts;
        self
    }

    /// The same field, as [`Class::Extra`].
    pub const fn extra(mut self) -> Self {
        self.can_miss();
        self.spec.class = Class::Extra;
        self
    }

    /// The same field, deciding nothing: taken if it can be read, and missing silently.
    pub const fn aside(self) -> Self {
        self.extra().may_miss()
    }

    /// Stops the build if there is no default for a missing value.
    const fn can_miss(&self) {
        assert!(
            T::HAS_NONE || self.spec.usual.is_some(),
            "a number that may be missing needs its usual value first"
        );
    }
}

impl Field<u8> {
    /// The same field, optional with this default.
    pub const fn usually(mut self, number: u8) -> Self {
        self.spec.usual = Some(number);
        self.spec.absent = Absence::Fine;
        self
    }
}

impl Field<Vec<String>> {
    /// The same field, of which no entry may be left out.
    pub const fn whole(mut self) -> Self {
        if let Kind::Texts { whole, .. } = &mut self.spec.kind {
            *whole = true;
        }
        self
    }
}

impl<T> Field<Vec<T>> {
    /// The same field, whose entries have another noun in messages: `missing step`.
    pub const fn called(mut self, called: &'static str) -> Self {
        if let Kind::Entries { noun, .. } = &mut self.spec.kind {
            *noun = called;
        }
        self
    }

    /// The same field, whose entries the template shows on lines of their own, below the other
    /// fields.
    pub const fn apart(mut self) -> Self {
        if let Kind::Entries { apart, .. } = &mut self.spec.kind {
            *apart = true;
        }
        self
    }

    /// The same field, which is not an answer if it has too many entries.
    pub const fn or_refused(mut self) -> Self {
        if let Kind::Entries { over, .. } = &mut self.spec.kind {
            *over = Overflow::None;
        }
        self
    }
}

/// One line of text.
pub const fn line(most: usize) -> Field<String> {
    Field::new(Kind::Line(most))
}

/// Text of several lines, without control characters.
pub const fn text(most: usize) -> Field<String> {
    Field::new(Kind::Text(most))
}

/// Code.
pub const fn code(most: usize) -> Field<String> {
    Field::new(Kind::Code(most))
}

/// An id that was shown.
pub const fn id(most: usize) -> Field<String> {
    Field::new(Kind::Id(most))
}

/// A name that the author chooses.
pub const fn name(most: usize) -> Field<String> {
    Field::new(Kind::Name(most))
}

/// One word of a closed list.
pub const fn word<T: Word>() -> Field<T> {
    Field::new(Kind::Word(words::<T>))
}

/// A number.
pub const fn number(least: f64, most: f64) -> Field<f64> {
    Field::new(Kind::Number { least, most, raised: false })
}

/// A number for which values from 0 up to the minimum count as the minimum.
pub const fn raised_number(least: f64, most: f64) -> Field<f64> {
    Field::new(Kind::Number { least, most, raised: true })
}

/// A whole number.
pub const fn whole(least: u8, most: u8) -> Field<u8> {
    Field::new(Kind::Whole { least, most })
}

/// A number from 0 to 1.
pub const fn share() -> Field<crate::kernel::share::Share> {
    Field::new(Kind::Share)
}

/// `true` or `false`.
pub const fn flag() -> Field<bool> {
    Field::new(Kind::Flag)
}

/// A line of a file.
pub const fn line_number() -> Field<u32> {
    Field::new(Kind::LineNumber)
}

/// An optional list of short texts, none of which decides anything.
pub const fn texts(most: usize, chars: usize) -> Field<Vec<String>> {
    Field::new(Kind::Texts { most, chars, whole: false }).aside()
}

/// A list of objects.
pub const fn entries<T: Declaration>(most: usize) -> Field<Vec<T>> {
    let (item, noun) = (T::ITEM, T::ITEM.noun);
    Field::new(Kind::Entries { item, noun, most, over: Overflow::First, apart: false })
}

/// Groups of names.
pub const fn groups(most: usize) -> Field<Vec<Vec<String>>> {
    Field::new(Kind::Groups(most))
}

/// A JSON object of any form.
pub const fn map(shown: &'static str) -> Field<Map<String, Value>> {
    Field::new(Kind::Map).shown(shown)
}

/// Any JSON.
pub const fn json(shown: &'static str) -> Field<Value> {
    Field::new(Kind::Json).shown(shown)
}

/// A field that the program sets.
pub const fn ours<T: FieldType>() -> Field<T> {
    Field::new(Kind::Ours)
}

pub(super) fn words<T: Word>() -> Vec<&'static str> {
    T::WORDS.iter().map(|word| word.word()).collect()
}
