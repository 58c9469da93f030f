//! Closed lists of words on the command line.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use crate::text::word::Word;

/// Parses a word of an enumeration; its help is the enumeration's own description of each word.
pub(crate) fn word<T: Word + Send + Sync>() -> impl TypedValueParser<Value = T> {
    let words = T::WORDS.iter().map(|each| (each.word(), Some(each.about()), *each));
    one_of(words.chain(T::SYNONYMS.iter().map(|(other, each)| (*other, None, *each))))
}

/// Parses some words of an enumeration, or all, each with its meaning for this option.
pub(crate) fn some<T: Word + Send + Sync>(
    words: &'static [(T, &'static str)],
) -> impl TypedValueParser<Value = T> {
    one_of(words.iter().map(|(each, about)| (each.word(), Some(*about), *each)))
}

/// Parses words: the spelling, the meaning and the value of each. One without a meaning is not listed.
pub(crate) fn one_of<T: Clone + Send + Sync + 'static>(
    words: impl Iterator<Item = (&'static str, Option<&'static str>, T)>,
) -> impl TypedValueParser<Value = T> {
    let words: Vec<_> = words.collect();
    let values = words.iter().map(|(word, about, _)| {
        let value = PossibleValue::new(*word);
        match about.map(|about| about.strip_suffix('.').unwrap_or(about)) {
            None => value.hide(true),
            Some("") => value,
            Some(about) => value.help(about),
        }
    });
    PossibleValuesParser::new(values).try_map(move |given| {
        // Case-insensitively, as the option itself.
        let found = words.iter().find(|(word, ..)| word.eq_ignore_ascii_case(&given));
        found.map(|(.., meant)| meant.clone()).ok_or("it is not one of the words")
    })
}
