//! The similarity of two texts: the share of their keywords that they have in common.
//!
//! Keywords are lower-cased, stemmed English words except the commonest; identifiers and paths are
//! split into their parts, so that `parseConfig`, `parse_config` and "parsing a config" have words
//! in common. Nothing here understands a text: it is for noticing repetitions and suggesting
//! similar texts.

pub mod score;

use std::collections::BTreeSet;

use rust_stemmers::{Algorithm, Stemmer};
use unicode_normalization::char::is_combining_mark;

pub type Keywords = BTreeSet<String>;

/// Words that say nothing about a text's subject, sorted.
const STOP_WORDS: [&str; 76] = [
    "a", "about", "after", "all", "also", "an", "and", "any", "are", "as", "at", "be", "been",
    "before", "but", "by", "can", "could", "did", "do", "does", "for", "from", "had", "has",
    "have", "how", "if", "in", "into", "is", "it", "its", "may", "more", "most", "no", "not", "of",
    "on", "one", "only", "or", "other", "our", "out", "over", "should", "so", "some", "such",
    "than", "that", "the", "their", "them", "then", "there", "these", "they", "this", "those",
    "to", "up", "was", "we", "were", "what", "when", "which", "while", "who", "will", "with",
    "would", "you",
];

/// Maximum length of a word in characters; a longer one is cut, so that a blob costs no more than a
/// word.
const WORD_CHARS: usize = 64;

/// Returns the combined keywords of some texts.
pub fn keywords<'a>(texts: impl IntoIterator<Item = &'a str>) -> Keywords {
    let stemmer = Stemmer::create(Algorithm::English);
    let mut keywords = Keywords::new();
    for text in texts {
        for word in words(text) {
            if !is_stop_word(&word) {
                keywords.insert(stemmer.stem(&word).into_owned());
            }
        }
    }
    keywords
}

/// Whether a lower-case word says nothing about a text's subject.
pub fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.binary_search(&word).is_ok()
}

/// Returns the Jaccard index of two sets, 0 to 1: the size of their intersection over that of their union. Two empty
/// sets give 0.
pub fn jaccard(first: &Keywords, second: &Keywords) -> f64 {
    let shared = first.intersection(second).count();
    let all = first.len() + second.len() - shared;
    if all == 0 {
        return 0.0;
    }
    #[expect(clippy::cast_precision_loss, reason = "counts of words are far below 2^52")]
    let share = shared as f64 / all as f64;
    share
}

/// Returns the words of a text in lower case: runs of letters and digits, split at camel case.
pub fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut length = 0;
    let mut before: Option<char> = None;
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        // A combining mark belongs to its letter: otherwise a decomposed text would fall apart.
        let part = character.is_alphanumeric() || is_combining_mark(character);
        // `parseConfig` is split before C, `HTTPServer` before the S.
        let hump = character.is_uppercase()
            && before.is_some_and(|before| {
                before.is_lowercase()
                    || (before.is_uppercase()
                        && characters.peek().is_some_and(|next| next.is_lowercase()))
            });
        if (!part || hump) && !word.is_empty() {
            words.push(std::mem::take(&mut word));
            length = 0;
        }
        if part && length < WORD_CHARS {
            word.extend(character.to_lowercase());
            length += 1;
        }
        before = part.then_some(character);
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of(text: &str) -> Vec<String> {
        keywords([text]).into_iter().collect()
    }

    #[test]
    fn stop_words_are_sorted_for_the_search() {
        assert!(STOP_WORDS.is_sorted());
        assert_eq!(of("This is what it was about"), Vec::<String>::new());
    }

    #[test]
    fn identifiers_paths_and_forms_of_a_word_meet() {
        for text in [
            "parse_config",
            "parseConfig",
            "parse::config",
            "src/../parse/config",
            "Parsing the CONFIG",
        ] {
            let words = keywords([text]);
            assert!(words.contains("pars") && words.contains("config"), "{text}: {words:?}");
        }
        assert_eq!(of("HTTPServer"), ["http", "server"]);
        assert_eq!(of("e\u{301}tude"), ["e\u{301}tud"]);
        assert_eq!(of("Größe ИЗМЕРЕНИЕ 検索"), ["größe", "измерение", "検索"]);
    }

    #[test]
    fn what_two_texts_share_is_counted_once() {
        let one = keywords(["failing test parser", "parser"]);
        let other = keywords(["slow test lexer"]);
        assert!((jaccard(&one, &other) - 0.2).abs() < 1e-9);
        assert!(jaccard(&Keywords::new(), &Keywords::new()).abs() < f64::EPSILON);
    }

    #[test]
    fn a_blob_is_one_short_word() {
        assert_eq!(of(&"x".repeat(1 << 20))[0].len(), WORD_CHARS);
    }

    proptest! {
        #[test]
        fn it_is_symmetric_within_bounds_and_one_with_itself(one in any::<String>(), other in any::<String>()) {
            let (one, other) = (keywords([one.as_str()]), keywords([other.as_str()]));
            let alike = jaccard(&one, &other);
            prop_assert!((0.0..=1.0).contains(&alike));
            prop_assert!((alike - jaccard(&other, &one)).abs() < f64::EPSILON);
            let own = if one.is_empty() { 0.0 } else { 1.0 };
            prop_assert!((jaccard(&one, &one) - own).abs() < f64::EPSILON);
        }
    }
}
