//! Closed lists of words, each declared once: in JSON and its schema, on the command line, to agents and of them; and
//! tables of words, which are files beside their modules.

use std::collections::HashSet;

/// Returns the words of a table: one a line, without the lines that begin with `#`.
pub fn table(text: &'static str) -> HashSet<&'static str> {
    text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).collect()
}

/// A closed list of words.
pub trait Word: Copy + PartialEq + 'static {
    /// All, in the order in which they are listed.
    const WORDS: &'static [Self];

    fn word(self) -> &'static str;

    /// Returns what it means, in a sentence; empty where it says so itself.
    fn about(self) -> &'static str {
        ""
    }

    /// Returns what a word stands for, spelled as it is.
    fn of(word: &str) -> Option<Self> {
        Self::WORDS.iter().copied().find(|each| each.word() == word)
    }

    /// Returns what another spelling stands for.
    fn alias(_: &str) -> Option<Self> {
        None
    }

    /// Other words, in lower case, and what each stands for where an answer is read generously.
    const SYNONYMS: &'static [(&'static str, Self)] = &[];

    /// Returns what another word stands for, in lower case, where an answer is read generously.
    fn synonym(word: &str) -> Option<Self> {
        Self::SYNONYMS.iter().find(|(other, _)| *other == word).map(|(_, meant)| *meant)
    }
}

/// Declares an enumeration with its words, each once: `ALL`, `name`, JSON with its schema, and [`Word`] come of it. Behind a
/// word stand its synonyms; `usually` names the default; behind the enumeration, what else of [`Word`] is its own.
///
/// ```
/// use debate_core::text::word::Word as _;
///
/// debate_core::words! {
///     /// How large it is.
///     #[derive(PartialOrd, Ord)]
///     pub enum Size, usually Small {
///         /// It fits into a hand.
///         Small = "small" | "tiny" | "little",
///         /// It does not.
///         Large = "large",
///     }
/// }
///
/// assert_eq!((Size::default().name(), Size::of("large")), ("small", Some(Size::Large)));
/// assert_eq!((Size::synonym("tiny"), Size::Large.about()), (Some(Size::Small), "It does not."));
/// assert_eq!(serde_json::to_string(&Size::ALL)?, r#"["small","large"]"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[macro_export]
macro_rules! words {
    (
        $(#[$meta:meta])*
        $vis:vis enum $name:ident $(, usually $usual:ident)? {
            $($(#[doc = $doc:tt])* $each:ident = $word:tt $(| $other:tt)*),* $(,)?
        }
        $($own:item)*
    ) => {
        $(#[$meta])*
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
        )]
        $vis enum $name {
            $($(#[doc = $doc])* #[serde(rename = $word)] $each,)*
        }

        impl $name {
            /// All, in the order of their declaration.
            $vis const ALL: [Self; [$($word),*].len()] = [$(Self::$each),*];

            /// Returns the word as it stands in JSON.
            $vis const fn name(self) -> &'static str {
                match self {
                    $(Self::$each => $word,)*
                }
            }
        }

        impl $crate::text::word::Word for $name {
            const WORDS: &'static [Self] = &Self::ALL;
            const SYNONYMS: &'static [(&'static str, Self)] = &[$($(($other, Self::$each),)*)*];

            fn word(self) -> &'static str {
                self.name()
            }

            fn about(self) -> &'static str {
                match self {
                    $(Self::$each => concat!($($doc),*).trim_ascii(),)*
                }
            }

            $($own)*
        }

        $(impl Default for $name {
            fn default() -> Self {
                Self::$usual
            }
        })?
    };
}
