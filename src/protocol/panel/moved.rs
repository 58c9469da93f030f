//! Whether a change of vote names what moved it, so that a program can see it.
//!
//! "The others make good points" is company, not evidence. A change names something if its `moved_by` has
//!
//! | what | for example |
//! |---|---|
//! | the letter of an answer | `[B]`, `answer B`, `B: the pool is shared` |
//! | a quotation of what the seat was shown | `"the pool is per process"` |
//! | a file or a name with a dot or a slash that the seat was shown | `pool.rs`, `docs/load.txt:3` |
//!
//! What it says about it is not judged. A change that names nothing is not counted, and nothing is lost: the seat's
//! last vote stays, and the result shows the change beside it.

use super::letters::names_a_letter;
use crate::text::folded;

/// Minimum number of letters and digits of a quotation or a name.
const LEAST: usize = 4;

/// The marks that open a quotation, with those that close it.
const QUOTES: [(char, &str); 6] =
    [('"', "\""), ('`', "`"), ('“', "”"), ('„', "“”"), ('«', "»"), ('»', "«")];

/// Whether a text names something of what was shown: one of the first `answers` letters, or words of `shown`.
pub(super) fn names_something(text: &str, answers: usize, shown: &[&str]) -> bool {
    let shown: Vec<String> = shown.iter().map(|text| folded(text)).collect();
    let was_shown = |words: &str| {
        let words = folded(words.trim_matches(|c: char| !c.is_alphanumeric()));
        words.chars().filter(|c| c.is_alphanumeric()).count() >= LEAST
            && shown.iter().any(|text| text.contains(&words))
    };
    names_a_letter(text, answers)
        || quotations(text).any(was_shown)
        || text.split_whitespace().filter(|word| is_name(word)).any(|word| {
            // `pool.rs:40` names the file, whatever its line.
            was_shown(word) || word.split_once(':').is_some_and(|(file, _)| was_shown(file))
        })
}

fn quotations(text: &str) -> impl Iterator<Item = &str> {
    text.char_indices().filter_map(|(at, c)| {
        let (_, ends) = QUOTES.iter().find(|(open, _)| *open == c)?;
        let within = &text[at + c.len_utf8()..];
        Some(&within[..within.find(|c: char| ends.contains(c))?])
    })
}

/// Whether a word has a dot or a slash within.
fn is_name(word: &str) -> bool {
    word.trim_matches(|c: char| !c.is_alphanumeric()).contains(['.', '/'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_names_a_letter_a_quotation_or_a_file() {
        let shown = ["| The pool is per  process.\n| See docs/load.txt", "As pool.rs says, 40 ms."];
        for (text, names) in [
            ("B quotes the log.", true),
            ("[A] is measured, mine is not.", true),
            ("The description says \"The pool is per process\".", true),
            ("„the POOL is per process“ widerspricht mir.", true),
            ("`pool.rs` line 40 takes the lock.", true),
            ("See docs/load.txt:3, which I had missed.", true),
            ("The other participants make good points.", false),
            ("Three of four hold it, so it is right.", false),
            ("They say \"never shown to anybody\".", false),
            ("It is in src/gone.rs:7.", false),
            ("A \"the\" and a lone \" mark", false),
            ("D has it.", false),
            ("e.g. this", false),
            ("", false),
        ] {
            assert_eq!(names_something(text, 3, &shown), names, "{text}");
        }
    }
}
