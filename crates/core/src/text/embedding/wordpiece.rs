//! Splits a word into tokens of the vocabulary: the longest prefix, then the longest continuation, as the model was
//! trained.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use super::table::Table;

/// Returns a lower-case word without its accents.
pub(super) fn plain(word: &str) -> String {
    word.nfd().filter(|c| !is_combining_mark(*c)).collect()
}

/// Returns the tokens of a plain word; `None` if the vocabulary cannot spell it.
pub(super) fn pieces(table: &Table, word: &str) -> Option<Vec<usize>> {
    let mut found = Vec::new();
    let mut rest = word;
    let mut token = String::new();
    while !rest.is_empty() {
        let mark = if found.is_empty() { "" } else { "##" };
        let mut end = rest.floor_char_boundary(table.longest());
        let at = loop {
            token.clear();
            token.push_str(mark);
            token.push_str(&rest[..end]);
            if let Some(at) = table.find(&token) {
                break at;
            }
            end = rest[..end].char_indices().next_back()?.0;
            if end == 0 {
                return None;
            }
        };
        found.push(at);
        rest = &rest[end..];
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::table::BUILT_IN;
    use super::*;

    fn table() -> Table {
        Table::read(BUILT_IN).unwrap()
    }

    #[test]
    fn the_longest_token_is_taken_first() {
        let table = table();
        let of = |tokens: &[&str]| {
            let at = tokens.iter().map(|token| table.find(token).unwrap());
            Some(at.collect::<Vec<_>>())
        };
        // As the model's own tokenizer splits them.
        assert_eq!(pieces(&table, "database"), of(&["database"]));
        assert_eq!(pieces(&table, "redis"), of(&["red", "##is"]));
        assert_eq!(pieces(&table, "unaffable"), of(&["una", "##ffa", "##ble"]));
        assert_eq!(pieces(&table, &plain("za\u{308}hler")), of(&["za", "##hler"]));
        assert_eq!(pieces(&table, "\u{1f980}"), None);
        assert_eq!(pieces(&table, ""), Some(Vec::new()));
    }

    proptest! {
        #[test]
        fn any_word_is_spelled_or_refused(word in "\\PC{0,80}") {
            let table = table();
            if let Some(found) = pieces(&table, &plain(&word)) {
                prop_assert!(found.len() <= plain(&word).chars().count());
            }
        }
    }
}
