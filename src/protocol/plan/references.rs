//! References of texts to steps: a planner calls the steps of its plan by its own ids, which others are not shown.
//!
//! Only what is certainly a reference is replaced: a name after the word "step" (`step schema`, ``step `schema` ``), and
//! a label of letters and a number (`S2`, `step-3`), which nobody tells from the id of another plan. Any other word
//! stays as it is: the id `schema` is a word of many sentences, and may be the name of a table.

use std::collections::BTreeMap;

/// Maximum number of letters before the number of a label.
const LABEL_LETTERS: usize = 5;

/// Replaces references to steps in a text; `names` holds the replacement of each id.
pub(crate) fn renamed(text: &str, names: &BTreeMap<String, String>) -> String {
    let mut told = String::with_capacity(text.len());
    let mut after_step = false;
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let end = rest.find(|c: char| !in_word(c)).unwrap_or(rest.len());
        if end == 0 {
            // Between "step" and a name stand a space and perhaps a quote.
            after_step &= matches!(first, ' ' | '`' | '"' | '\'');
            told.push(first);
            rest = &rest[first.len_utf8()..];
            continue;
        }
        let (word, further) = rest.split_at(end);
        let name = word.trim_end_matches(['.', '-']);
        match names.get(name).filter(|_| after_step || is_label(name)) {
            Some(id) => {
                told.push_str(id);
                told.push_str(&word[name.len()..]);
            }
            None => told.push_str(word),
        }
        after_step = matches!(&*name.to_lowercase(), "step" | "steps");
        rest = further;
    }
    told
}

/// Returns a text's words, to compare it with another.
pub(crate) fn bare(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").to_lowercase()
}

/// Whether a character belongs to a word; a path is one word.
fn in_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/')
}

fn is_label(name: &str) -> bool {
    let letters = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let number = name.len() - letters.len();
    let letters = letters.trim_end_matches(['-', '_']);
    (1..=3).contains(&number)
        && (1..=LABEL_LETTERS).contains(&letters.len())
        && letters.bytes().all(|byte| byte.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_certainly_a_step_is_renamed() {
        let names = [("schema", "S4"), ("S2", "S7"), ("step-3", "S9"), ("api-client", "S1")];
        let names: BTreeMap<String, String> =
            names.map(|(from, to)| (from.to_owned(), to.to_owned())).into();
        for (text, expected) in [
            ("After step schema.", "After step S4."),
            ("Needs step `schema`, then more.", "Needs step `S4`, then more."),
            ("Steps \"api-client\" comes first", "Steps \"S1\" comes first"),
            ("As S2 says; see (S2).", "As S7 says; see (S7)."),
            ("step-3 builds on S2", "S9 builds on S7"),
            // Words, paths and identifiers of the project.
            ("The schema of `schema`", "The schema of `schema`"),
            ("src/S2/schema.rs and S2.rs", "src/S2/schema.rs and S2.rs"),
            ("S22, xS2, S2x", "S22, xS2, S2x"),
            ("This step. Schema: step, schema", "This step. Schema: step, schema"),
            ("", ""),
        ] {
            assert_eq!(renamed(text, &names), expected);
        }
        assert_eq!(renamed("S2 \u{e9} step schema", &BTreeMap::new()), "S2 \u{e9} step schema");
    }

    #[test]
    fn replacements_are_not_replaced_again() {
        let names = BTreeMap::from([
            ("S1".to_owned(), "S2".to_owned()),
            ("S2".to_owned(), "S1".to_owned()),
        ]);
        assert_eq!(renamed("S1 before S2", &names), "S2 before S1");
    }
}
