//! What a block holds, declared: a field's key, what may stand in it, and what becomes of an answer that lacks it.

use std::iter;

use serde_json::{Map, Value};

use super::entry::Entry;
use super::exact::Exact;
use super::read::{Declared, Read, Wrong};
use crate::text::block::Form;
use crate::text::block::same::{Decisive, Values};
pub use crate::text::word::Word;

/// What a field decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// Without it the entry is left out, and the block is no answer: a fault on any chance.
    Required,
    /// It is worth a re-ask; on the last chance the answer does without it, with a note.
    Counts,
    /// It decides nothing: taken if it can be read, and never a reason to ask again.
    Extra,
}

/// What is said of a field that is not given, `null`, or blank.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Absent {
    /// The same as of one that cannot be read.
    Wrong,
    /// A note.
    Noted,
    /// Nothing.
    Fine,
}

/// What may stand in a field. Lengths are characters.
#[derive(Debug, Clone, Copy)]
pub enum Kind {
    /// One line of text; cut at `most`.
    Line {
        /// Most characters.
        most: usize,
    },
    /// Text of several lines; what is beyond `most` is cut, with a note.
    Text {
        /// Most characters.
        most: usize,
        /// Whether control characters stay, because the text is made safe where it is shown.
        raw: bool,
    },
    /// Code: its indentation stays, and it is cut at a line, so that what is left can still be found.
    Code {
        /// Most characters.
        most: usize,
    },
    /// An id that was shown, in one line.
    Id {
        /// Most characters; it is cut there.
        most: usize,
    },
    /// A name that the author gives: one line, or a whole number.
    Name {
        /// Most characters; a longer one is none.
        most: usize,
    },
    /// One of these words; case and spaces around it may differ.
    Word(Words),
    /// A number, as a number or as text: `7`, `"7"`, `"7/10"` where 10 is the most.
    Number {
        /// The least.
        least: f64,
        /// The most.
        most: f64,
        /// Whether less than the least, down to 0, counts as the least.
        raised: bool,
    },
    /// A whole number.
    Whole {
        /// The least.
        least: u8,
        /// The most.
        most: u8,
    },
    /// A number from 0 to 1.
    Share,
    /// `true` or `false`.
    Flag,
    /// One of two words, for yes and no.
    Either {
        /// The word for `true`.
        yes: &'static str,
        /// The word for `false`.
        no: &'static str,
    },
    /// A line of a file, from 1; as text also `L42` and `42-48`, of which the first counts.
    LineNumber,
    /// A list of short texts; one text alone is a list of one.
    Texts {
        /// Most entries; the first count.
        most: usize,
        /// Most characters of one; it is cut there.
        chars: usize,
        /// Whether each stays as it stands, because it is made safe where it is shown.
        raw: bool,
    },
    /// A list of names or paths, each once; a whole number stands for itself, and more than `most` are a fault.
    Names {
        /// Most entries.
        most: usize,
        /// Most characters of one; it is cut there.
        chars: usize,
    },
    /// A list of objects.
    Entries {
        /// What one is.
        item: &'static Item,
        /// Most entries.
        most: usize,
        /// What becomes of more.
        over: Over,
        /// Whether the template shows them below, apart from what stands around them.
        apart: bool,
    },
    /// Lists of names that belong together; what is no text in one stands as an empty name.
    Groups {
        /// Most groups; more are none.
        most: usize,
    },
    /// Any JSON: the protocol says what it may be.
    Json {
        /// What the template shows in its place.
        shown: &'static str,
        /// Whether it must be an object.
        object: bool,
    },
    /// Given by a program and not by an agent: taken as it is declared, or refused.
    Exact(Exact),
    /// Not asked for: the program sets it, and says so where an agent does.
    Ours,
}

/// What becomes of more entries than a list may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Over {
    /// The first count; worth a re-ask.
    First,
    /// The list is no answer.
    None,
}

/// An object, declared.
#[derive(Debug, Clone, Copy)]
pub struct Item {
    /// What one is called in messages: `finding`; empty for a whole block.
    pub noun: &'static str,
    /// What it holds, in the order of the template.
    pub fields: &'static [Spec],
}

impl Item {
    /// The same, called otherwise in messages: `missing step`.
    #[must_use]
    pub const fn called(self, noun: &'static str) -> Self {
        Self { noun, ..self }
    }

    /// Returns what a block of it must hold, as far as the form of an object can say it.
    pub(super) fn form(&self) -> Form {
        let mut owed = self.fields.iter().filter(|spec| spec.terms(true).0 == Class::Required);
        let mut lists = owed.clone().filter(|spec| matches!(spec.kind, Kind::Entries { .. }));
        let first = owed.next();
        Form::Fields {
            list: lists.next().filter(|_| lists.next().is_none()).map(|spec| spec.key),
            key: first.map(|spec| spec.key),
            also: first.map_or(&[], |spec| spec.also),
        }
    }

    /// Adds the fields by whose values rules decide, wherever they stand.
    pub(super) fn decides(&self, into: &mut Vec<Decisive>) {
        for spec in self.fields {
            let values = match spec.kind {
                Kind::Entries { item, .. } => {
                    item.decides(into);
                    continue;
                }
                Kind::Id { .. } => Values::Ids,
                Kind::Name { .. } => Values::Names,
                Kind::Word(words) => Values::Words((words.meant)()),
                Kind::Either { yes, no } => Values::Words(vec![(yes, yes), (no, no)]),
                Kind::Whole { least, most } => Values::Whole { least, most },
                Kind::Line { .. }
                | Kind::Text { .. }
                | Kind::Code { .. }
                | Kind::Number { .. }
                | Kind::Share
                | Kind::Flag
                | Kind::LineNumber
                | Kind::Texts { .. }
                | Kind::Names { .. }
                | Kind::Groups { .. }
                | Kind::Json { .. }
                | Kind::Exact(_)
                | Kind::Ours => continue,
            };
            into.push(Decisive { keys: spec.keys().collect(), values });
        }
    }
}

/// A field without its type: everything that template, messages and samples need.
#[derive(Debug, Clone, Copy)]
pub struct Spec {
    /// Its key in JSON.
    pub key: &'static str,
    /// What may stand in it.
    pub kind: Kind,
    /// What it decides.
    pub class: Class,
    /// What is said where it is not given.
    pub absent: Absent,
    /// What the template shows for its value, without quotes; empty: what its kind shows.
    pub shown: &'static str,
    /// Whether it begins a line of the template.
    pub below: bool,
    /// Other keys under which it is taken.
    pub also: &'static [&'static str],
    /// What stands for it where it is not given.
    pub usual: Usual,
    /// What it means, for a schema.
    pub about: &'static str,
    /// Class and absence since [`RuleVersion`](crate::kernel::RuleVersion) 2, where they were changed then.
    pub since: Option<(Class, Absent)>,
    /// Whether a text in place of a whole entry is this field of it.
    pub alone: bool,
}

impl Spec {
    /// Returns what it decides, and what is said where it is not given. `generous`: by the rules since version 2.
    pub fn terms(&self, generous: bool) -> (Class, Absent) {
        self.since.filter(|_| generous).unwrap_or((self.class, self.absent))
    }

    /// Returns what the template shows for its value; `words`: what it shows instead of some.
    pub fn shown_by<'a>(&self, words: &'a [(&'a str, &'a str)]) -> &'a str {
        words.iter().find(|(key, _)| *key == self.key).map_or(self.shown, |(_, word)| word)
    }

    /// Returns the keys under which it is taken, its own first.
    pub fn keys(&self) -> impl Iterator<Item = &'static str> {
        iter::once(self.key).chain(self.also.iter().copied())
    }
}

/// The value that stands for one that is not given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Usual {
    /// None but the type's own, an empty text or list.
    None,
    /// Of a flag.
    Flag(bool),
    /// Of a whole number.
    Whole(u32),
    /// Of a word; one of its words.
    Word(&'static str),
}

impl Usual {
    /// Returns it as messages name it, if there is one.
    pub fn named(self) -> Option<String> {
        match self {
            Self::None => None,
            Self::Flag(flag) => Some(flag.to_string()),
            Self::Whole(number) => Some(number.to_string()),
            Self::Word(word) => Some(word.to_owned()),
        }
    }
}

/// Reads a value that is not `null`, as [`Read::read`] does.
pub type Reader<T> = fn(Value, &Spec, &mut Entry<'_>) -> Result<Option<T>, Wrong>;

/// A field of the type `T`.
#[derive(Debug)]
pub struct Field<T> {
    /// What it is.
    pub spec: Spec,
    /// How it is read.
    pub(super) reader: Reader<T>,
}

impl<T> Clone for Field<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Field<T> {}

impl<T: Read> Field<T> {
    pub(super) const fn new(kind: Kind) -> Self {
        let spec = Spec {
            key: "",
            kind,
            class: Class::Required,
            absent: Absent::Wrong,
            shown: "",
            below: false,
            also: &[],
            usual: Usual::None,
            about: "",
            since: None,
            alone: false,
        };
        Self { spec, reader: <T as Read>::read }
    }

    /// The same, that is `None` where it is missing, of which nothing is said.
    #[must_use]
    pub const fn optional(self) -> Field<Option<T>> {
        self.nullable().may_miss()
    }

    /// The same, for a place in which a program may have none: an agent owes it all the same.
    #[must_use]
    pub const fn nullable(self) -> Field<Option<T>> {
        Field { spec: self.spec, reader: <Option<T> as Read>::read }
    }
}

impl<T> Field<T> {
    /// The same, read by a function of the protocol and not by its kind.
    #[must_use]
    pub const fn read_by(mut self, reader: Reader<T>) -> Self {
        self.reader = reader;
        self
    }

    /// The same, under the key that it has where none is [declared](Self::key).
    #[must_use]
    pub const fn named(mut self, key: &'static str) -> Self {
        if self.spec.key.is_empty() {
            self.spec.key = key;
        }
        self
    }

    /// The same, under another key than its name in Rust.
    #[must_use]
    pub const fn key(mut self, key: &'static str) -> Self {
        self.spec.key = key;
        self
    }

    /// The same, taken under these keys too; under two at once it cannot be read.
    #[must_use]
    pub const fn also(mut self, keys: &'static [&'static str]) -> Self {
        self.spec.also = keys;
        self
    }

    /// The same, with what it means, for a schema.
    #[must_use]
    pub const fn about(mut self, about: &'static str) -> Self {
        self.spec.about = about;
        self
    }

    /// The same: a text in place of a whole entry is this field of it.
    #[must_use]
    pub const fn alone(mut self) -> Self {
        self.spec.alone = true;
        self
    }

    /// The same, that may be missing: this stands for it.
    const fn or_usual(mut self, usual: Usual) -> Self {
        self.spec.usual = usual;
        self.spec.absent = Absent::Fine;
        self
    }

    /// The same, with what the template shows for its value.
    #[must_use]
    pub const fn shown(mut self, shown: &'static str) -> Self {
        self.spec.shown = shown;
        self
    }

    /// The same, at the beginning of a line of the template.
    #[must_use]
    pub const fn below(mut self) -> Self {
        self.spec.below = true;
        self
    }

    /// The same, without which there is no answer.
    #[must_use]
    pub const fn owed(mut self) -> Self {
        self.spec.class = Class::Required;
        self.spec.absent = Absent::Wrong;
        self.spec.since = None;
        self
    }
}

impl<T: MayMiss> Field<T> {
    /// The same, that may be missing without a word; what is there must be readable as far as its class says.
    #[must_use]
    pub const fn may_miss(mut self) -> Self {
        self.can_miss();
        self.spec.absent = Absent::Fine;
        self
    }

    /// The same, that may be missing, which is noted.
    #[must_use]
    pub const fn noted(mut self) -> Self {
        self.can_miss();
        self.spec.absent = Absent::Noted;
        self
    }

    /// The same, as [`Class::Counts`].
    #[must_use]
    pub const fn counts(mut self) -> Self {
        self.can_miss();
        self.spec.class = Class::Counts;
        self
    }

    /// The same, as [`Class::Extra`].
    #[must_use]
    pub const fn extra(mut self) -> Self {
        self.can_miss();
        self.spec.class = Class::Extra;
        self
    }

    /// The same, which since version 2 of the rules is of this class, and may be missing.
    #[must_use]
    pub const fn since(mut self, class: Class, absent: Absent) -> Self {
        self.can_miss();
        self.spec.since = Some((class, absent));
        self
    }

    /// The same, which since version 2 of the rules decides nothing: taken if it can be read, missing without a word.
    #[must_use]
    pub const fn since_extra(self) -> Self {
        self.since(Class::Extra, Absent::Fine)
    }

    /// Stops the build where nothing can stand for a value that is not there.
    const fn can_miss(&self) {
        assert!(
            T::HAS_NONE || !matches!(self.spec.usual, Usual::None),
            "a number that may be missing needs its usual value first"
        );
    }
}

impl Field<bool> {
    /// The same, that may be missing: this stands for it.
    #[must_use]
    pub const fn usually(self, flag: bool) -> Self {
        self.or_usual(Usual::Flag(flag))
    }
}

impl Field<u8> {
    /// The same, that may be missing: this stands for it.
    #[must_use]
    pub const fn usually(self, number: u8) -> Self {
        self.or_usual(Usual::Whole(number as u32))
    }
}

impl Field<u32> {
    /// The same, that may be missing: this stands for it.
    #[must_use]
    pub const fn usually(self, number: u32) -> Self {
        self.or_usual(Usual::Whole(number))
    }
}

impl<T: Word> Field<T> {
    /// The same, that may be missing: this word stands for it.
    #[must_use]
    pub const fn usual_word(self, word: &'static str) -> Self {
        self.or_usual(Usual::Word(word))
    }
}

/// What can stand for a value that is not there, so that no default is invented: a word, a share, a number or a line of a
/// file that may be missing is an [`Option`], or has a value that [usually](Field::usually) stands for it.
///
/// ```
/// use debate_core::contract::field::{Field, share};
/// use debate_core::kernel::share::Share;
///
/// const CONFIDENCE: Field<Option<Share>> = share().optional().extra();
/// ```
///
/// ```compile_fail,E0599
/// use debate_core::contract::field::{Field, share};
/// use debate_core::kernel::share::Share;
///
/// const CONFIDENCE: Field<Share> = share().extra();
/// ```
///
/// ```compile_fail,E0080
/// use debate_core::contract::field::{Field, whole};
///
/// const IMPORTANCE: Field<u8> = whole(1, 3).counts();
/// ```
pub trait MayMiss {
    /// Whether the type has a value that says nothing; without it, one must be declared.
    const HAS_NONE: bool = true;
}

impl MayMiss for String {}
impl MayMiss for bool {}
impl MayMiss for u8 {
    const HAS_NONE: bool = false;
}
impl<T> MayMiss for Option<T> {}
impl<T> MayMiss for Vec<T> {}

impl<T> Field<Vec<T>> {
    /// The same, whose entries the template shows below, apart from what stands around them.
    #[must_use]
    pub const fn apart(mut self) -> Self {
        if let Kind::Entries { item, most, over, .. } = self.spec.kind {
            self.spec.kind = Kind::Entries { item, most, over, apart: true };
        }
        self
    }

    /// The same, of which one is called otherwise than it is declared.
    #[must_use]
    pub const fn of(mut self, item: &'static Item) -> Self {
        if let Kind::Entries { most, over, apart, .. } = self.spec.kind {
            self.spec.kind = Kind::Entries { item, most, over, apart };
        }
        self
    }

    /// The same, that is no answer where it has more entries than it may have.
    #[must_use]
    pub const fn or_refused(mut self) -> Self {
        if let Kind::Entries { item, most, apart, .. } = self.spec.kind {
            self.spec.kind = Kind::Entries { item, most, over: Over::None, apart };
        }
        self
    }
}

/// One line of text.
pub const fn line(most: usize) -> Field<String> {
    Field::new(Kind::Line { most })
}

/// Text of several lines, without control characters.
pub const fn text(most: usize) -> Field<String> {
    Field::new(Kind::Text { most, raw: false })
}

/// Text of several lines, as it stands.
pub const fn raw_text(most: usize) -> Field<String> {
    Field::new(Kind::Text { most, raw: true })
}

/// Code.
pub const fn code(most: usize) -> Field<String> {
    Field::new(Kind::Code { most })
}

/// An id that was shown.
pub const fn id(most: usize) -> Field<String> {
    Field::new(Kind::Id { most })
}

/// A name that the author gives.
pub const fn name(most: usize) -> Field<String> {
    Field::new(Kind::Name { most })
}

/// One word of a closed list.
pub const fn word<T: Word>() -> Field<T> {
    Field::new(Kind::Word(Words { all: words::<T>, meant: meant::<T> }))
}

/// A number.
pub const fn number(least: f64, most: f64) -> Field<f64> {
    Field::new(Kind::Number { least, most, raised: false })
}

/// A number, of which less than the least, down to 0, counts as the least.
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

/// One of two words, for yes and no.
pub const fn either(yes: &'static str, no: &'static str) -> Field<bool> {
    Field::new(Kind::Either { yes, no })
}

/// A line of a file.
pub const fn line_number() -> Field<u32> {
    Field::new(Kind::LineNumber)
}

/// A list of short texts that may be missing, of which none decides anything.
pub const fn texts(most: usize, chars: usize) -> Field<Vec<String>> {
    Field::new(Kind::Texts { most, chars, raw: false }).counts().may_miss().since_extra()
}

/// A list of texts, each as it stands.
pub const fn raw_texts() -> Field<Vec<String>> {
    Field::new(Kind::Texts { most: usize::MAX, chars: usize::MAX, raw: true })
}

/// A list of names or paths.
pub const fn names(most: usize, chars: usize) -> Field<Vec<String>> {
    Field::new(Kind::Names { most, chars })
}

/// A list of objects.
pub const fn entries<T: Declared>(most: usize) -> Field<Vec<T>> {
    Field::new(Kind::Entries { item: T::ITEM, most, over: Over::First, apart: false })
}

/// Lists of names that belong together.
pub const fn groups(most: usize) -> Field<Vec<Vec<String>>> {
    Field::new(Kind::Groups { most })
}

/// A JSON object of any form.
pub const fn map(shown: &'static str) -> Field<Map<String, Value>> {
    Field::new(Kind::Json { shown, object: true })
}

/// Any JSON.
pub const fn json(shown: &'static str) -> Field<Value> {
    Field::new(Kind::Json { shown, object: false })
}

/// A field that is the program's to set.
pub const fn ours<T: Read>() -> Field<T> {
    Field::new(Kind::Ours)
}

/// A closed list of words, without its type.
#[derive(Debug, Clone, Copy)]
pub struct Words {
    /// All, in the order in which they are listed for an agent.
    pub all: fn() -> Vec<&'static str>,
    /// Each word that is read as one of them, with that one.
    pub(super) meant: fn() -> Vec<(&'static str, &'static str)>,
}

pub(super) fn words<T: Word>() -> Vec<&'static str> {
    T::WORDS.iter().map(|word| word.word()).collect()
}

fn meant<T: Word>() -> Vec<(&'static str, &'static str)> {
    let own = T::WORDS.iter().map(|word| (word.word(), word.word()));
    own.chain(T::SYNONYMS.iter().map(|(other, word)| (*other, word.word()))).collect()
}
