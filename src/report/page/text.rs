//! Text on a page: each piece is marked as ours or untrusted, so that a renderer knows what to make safe.
//!
//! Only literals, templates and values that can contain nothing but numbers become the program's own text. There is no
//! conversion from a `String`: text from an agent, a file, a command line or a stored session enters by
//! [`agent_text`], [`name`], [`path`] or [`code`].

use std::borrow::Cow;
use std::time::Duration;

use crate::kernel::share::Share;
use crate::kernel::{Cost, Usd};
use crate::report::words;
use crate::text::sanitize;

/// Maximum characters of a name (agent, role, vendor, id) on a screen.
const NAME_CHARS: usize = 60;
/// Maximum characters of a sentence on a screen.
const SENTENCE_CHARS: usize = 400;

/// A piece of text, with its origin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Words {
    /// The program's own text.
    Ours(Cow<'static, str>),
    /// Untrusted text, of which a screen shows `most` characters.
    Theirs {
        text: String,
        /// Maximum characters on a screen.
        most: usize,
    },
    /// A path, which no renderer turns into a link.
    Path(String),
    /// Inline code, or a command to type.
    Code(String),
}

/// The significance of a piece of text, beyond its words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Emphasis {
    /// Decided, or successful.
    Good,
    /// Failed, or must not ship.
    Bad,
    /// Needs a look.
    Doubt,
    /// The subject of its line.
    Strong,
}

/// A piece of text with its tone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Span {
    pub(super) words: Words,
    pub(super) tone: Option<Emphasis>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Text {
    pub(super) spans: Vec<Span>,
}

/// Creates a [`Text`] from its parts, in order; a part may be an `Option`.
macro_rules! text {
    ($($part:expr),* $(,)?) => {
        $crate::report::page::Text::of_parts([$(::std::convert::Into::into($part)),*])
    };
}
pub(crate) use text;

/// An untrusted name: an agent, a role, an id.
pub(crate) fn name(text: &str) -> Text {
    agent_text_up_to(text, NAME_CHARS)
}

/// Untrusted text: a sentence.
pub(crate) fn agent_text(text: &str) -> Text {
    agent_text_up_to(text, SENTENCE_CHARS)
}

/// Untrusted text, of which a screen shows this many characters.
pub(crate) fn agent_text_up_to(text: &str, most: usize) -> Text {
    Text::of(Words::Theirs { text: text.to_owned(), most })
}

/// The beginning of an untrusted text: this many characters in every form, for a title or where room is short.
pub(crate) fn shortened(text: &str, most: usize) -> Text {
    agent_text_up_to(&sanitize::line(text, most), most)
}

/// Untrusted names, separated by commas: `claude, codex`.
pub(crate) fn names<S: AsRef<str>>(texts: &[S]) -> Text {
    Text::join(texts.iter().map(|text| name(text.as_ref())), ", ")
}

pub(crate) fn path(text: &str) -> Text {
    Text::of(Words::Path(text.to_owned()))
}

/// Inline code, or a command to type.
pub(crate) fn code(text: impl Into<String>) -> Text {
    Text::of(Words::Code(text.into()))
}

/// `1 round`, `2 rounds`.
pub(crate) fn count<N>(count: N, noun: &'static str) -> Text
where
    N: Copy + PartialEq + From<u8> + Into<Text>,
{
    text![count, " ", noun, (count != N::from(1)).then_some("s")]
}

/// A duration: `12.4s`.
pub(crate) fn took(took: Duration) -> Text {
    Text::ours(words::time(took))
}

/// The cost of a call: `$0.11 (estimated)`.
pub(crate) fn charge(cost: Cost) -> Text {
    Text::ours(words::cost(cost))
}

impl Text {
    fn of(words: Words) -> Self {
        Self { spans: vec![Span { words, tone: None }] }
    }

    /// Creates the program's own text. Private: callers must guarantee that it contains no untrusted text.
    pub(super) fn ours(words: impl Into<Cow<'static, str>>) -> Self {
        Self::of(Words::Ours(words.into()))
    }

    /// Concatenates texts, for [`text!`](macro@text).
    pub(crate) fn of_parts<const N: usize>(parts: [Self; N]) -> Self {
        Self { spans: parts.into_iter().flat_map(|part| part.spans).collect() }
    }

    pub(crate) fn push(&mut self, text: impl Into<Self>) {
        self.spans.extend(text.into().spans);
    }

    #[must_use]
    pub(crate) fn tone(mut self, tone: Emphasis) -> Self {
        for span in &mut self.spans {
            span.tone = Some(tone);
        }
        self
    }

    pub(crate) fn join(
        texts: impl IntoIterator<Item = impl Into<Self>>,
        between: &'static str,
    ) -> Self {
        let mut all = Self::default();
        for text in texts {
            if !all.spans.is_empty() {
                all.push(between);
            }
            all.push(text);
        }
        all
    }

    /// Returns the words as they came, for a quotation or code.
    pub(super) fn raw(&self) -> String {
        self.spans.iter().map(|span| span.words.raw()).collect()
    }

    /// Whether the text is empty or blank.
    pub(crate) fn is_blank(&self) -> bool {
        self.spans.iter().all(|span| span.words.raw().trim().is_empty())
    }
}

impl Words {
    pub(super) fn raw(&self) -> &str {
        match self {
            Self::Ours(text) => text,
            Self::Theirs { text, .. } | Self::Path(text) | Self::Code(text) => text,
        }
    }
}

impl From<&'static str> for Text {
    fn from(words: &'static str) -> Self {
        if words.is_empty() { Self::default() } else { Self::ours(words) }
    }
}

impl<T: Into<Self>> From<Option<T>> for Text {
    fn from(text: Option<T>) -> Self {
        text.map(Into::into).unwrap_or_default()
    }
}

macro_rules! numbers {
    ($($number:ty),*) => {
        $(impl From<$number> for Text {
            fn from(number: $number) -> Self {
                Self::ours(number.to_string())
            }
        })*
    };
}

numbers!(u8, u32, i32, u64, usize, f64, Usd, Share);
