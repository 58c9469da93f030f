//! The letters under which a reader is shown answers or choices, and texts that name them.
//!
//! Models prefer some letters to others. If all readers were shown the same ones, that preference would look like
//! agreement; so every seat has letters of its own, a turn of the wheel apart, so that over all seats each answer is
//! `A` once. A seat keeps its letters, so that its last vote still says what it said. Of the two orders of a judge
//! each has letters in that order: a choice that was `A` in the one is the last letter in the other.
//!
//! Within the machine, in votes that were read, and in the result there is one set of letters, that of the answers'
//! places. [`Lettering`] translates to and from it: an id, and a letter that a text names as `[B]` or `answer B`. Any
//! other capital letter stays, since `C` may be a language.

/// Words before a letter that names an answer.
const NOUNS: [&str; 3] = ["answer", "answers", "choice"];

/// Words between two letters that are named together.
const LINKS: [&str; 4] = ["and", "or", "und", "oder"];

/// Returns the letter of a place: `A` for the first.
pub(super) fn letter(place: usize) -> String {
    // There are at most `MAX_SEATS` answers, so one letter is enough.
    let offset = u8::try_from(place).unwrap_or(25).min(25);
    char::from(b'A' + offset).to_string()
}

pub(super) fn place_of(letter: &str) -> Option<usize> {
    match letter.as_bytes() {
        [byte @ b'A'..=b'Z'] => Some(usize::from(byte - b'A')),
        _ => None,
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Lettering {
    /// Pairs of the place of a letter and of the answer that it names.
    pairs: Vec<(usize, usize)>,
}

impl Lettering {
    /// Returns the letters of the result for these answers.
    pub(super) fn usual(answers: impl IntoIterator<Item = usize>) -> Self {
        Self { pairs: answers.into_iter().map(|answer| (answer, answer)).collect() }
    }

    /// Returns the letters of a reader who is `turns` of the wheel away from those of the result.
    pub(super) fn turned(answers: usize, turns: usize) -> Self {
        Self { pairs: (0..answers).map(|place| (place, (place + turns) % answers)).collect() }
    }

    pub(super) fn in_order(answers: &[usize]) -> Self {
        Self { pairs: answers.iter().copied().enumerate().collect() }
    }

    /// Returns the letters, in the alphabet's order.
    pub(super) fn letters(&self) -> Vec<String> {
        let mut places: Vec<usize> = self.pairs.iter().map(|(place, _)| *place).collect();
        places.sort_unstable();
        places.into_iter().map(letter).collect()
    }

    pub(super) fn of(&self, answer: usize) -> Option<String> {
        self.shown(answer).map(letter)
    }

    /// Returns the result's letter for a letter of this reader, which stays if it is none.
    pub(super) fn back(&self, written: &str) -> String {
        let answer = place_of(written).and_then(|place| self.meant(place));
        answer.map_or_else(|| written.to_owned(), letter)
    }

    /// Returns a text of this reader with the result's letters.
    pub(super) fn text_back(&self, text: &str) -> String {
        translated(text, |place| self.meant(place))
    }

    /// Returns a text that has the result's letters with those of this reader.
    pub(super) fn text(&self, text: &str) -> String {
        translated(text, |answer| self.shown(answer))
    }

    fn shown(&self, answer: usize) -> Option<usize> {
        self.pairs.iter().find(|(_, other)| *other == answer).map(|(place, _)| *place)
    }

    fn meant(&self, place: usize) -> Option<usize> {
        self.pairs.iter().find(|(other, _)| *other == place).map(|(_, answer)| *answer)
    }
}

/// Replaces the letters that a text names as answers.
fn translated(text: &str, other: impl Fn(usize) -> Option<usize>) -> String {
    let (mut told, mut from) = (String::with_capacity(text.len()), 0);
    for at in lone_letters(text).filter(|at| is_named(text, *at)) {
        let Some(other) = place_of(&text[at..=at]).and_then(&other) else { continue };
        told.push_str(&text[from..at]);
        told.push_str(&letter(other));
        from = at + 1;
    }
    told.push_str(&text[from..]);
    told
}

/// Returns the places of capital letters that stand alone.
fn lone_letters(text: &str) -> impl Iterator<Item = usize> {
    let in_word = |c: char| c.is_alphanumeric() || c == '_';
    (text.bytes().enumerate())
        .filter(|(_, byte)| byte.is_ascii_uppercase())
        .map(|(at, _)| at)
        .filter(move |at| {
            let (before, after) = (text[..*at].chars().next_back(), text[at + 1..].chars().next());
            !before.is_some_and(in_word) && !after.is_some_and(in_word)
        })
}

/// Whether a lone letter is named as an answer: `[B]`, `answer B`, `answers B and C`.
fn is_named(text: &str, at: usize) -> bool {
    let mut at = at;
    loop {
        let before = &text[..at];
        if before.ends_with('[') && text[at + 1..].starts_with(']') {
            return true;
        }
        let before = before.trim_end();
        let word = before.rsplit(|c: char| !c.is_alphabetic()).next().unwrap_or_default();
        if NOUNS.iter().any(|noun| word.eq_ignore_ascii_case(noun)) {
            return true;
        }
        // A letter after another one is named if that one is.
        let first = if LINKS.contains(&word) {
            before[..before.len() - word.len()].trim_end()
        } else {
            before.trim_end_matches([',', '/', '&'])
        };
        let first = first.trim_end_matches([',', ' ']);
        let other = first.len().checked_sub(1).filter(|_| first.len() < before.len());
        match other.filter(|other| first.is_char_boundary(*other)) {
            Some(other) if lone_letters(first).any(|lone| lone == other) => at = other,
            Some(_) | None => return false,
        }
    }
}

/// Whether a text names one of the first `answers` letters. A lone `A` or `I` before a word may be one of the language.
pub(super) fn names_a_letter(text: &str, answers: usize) -> bool {
    let known = |at: &usize| place_of(&text[*at..=*at]).is_some_and(|place| place < answers);
    lone_letters(text).filter(known).any(|at| {
        let is_word = matches!(&text[at..=at], "A" | "I") && text[at + 1..].starts_with(' ');
        !is_word || is_named(text, at)
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn each_answer_has_each_letter_once_over_all_seats() {
        for answers in 1..=12 {
            for place in 0..answers {
                let mut meant: Vec<Option<usize>> = (0..answers)
                    .map(|turns| Lettering::turned(answers, turns).meant(place))
                    .collect();
                meant.sort_unstable();
                assert_eq!(meant, (0..answers).map(Some).collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn letters_are_translated_where_they_name_an_answer() {
        let letters = Lettering::turned(3, 1);
        for (written, told) in [
            ("[A] is measured", "[B] is measured"),
            ("answer B, Answer C's figure", "answer C, Answer A's figure"),
            ("answers A and B", "answers B and C"),
            ("answers A, B or C", "answers B, C or A"),
            ("Answers A/B", "Answers B/C"),
            ("[A], [B]", "[B], [C]"),
            // Not known to be answers.
            ("A pool in C is not B", "A pool in C is not B"),
            ("[D] and answer Ab", "[D] and answer Ab"),
            ("ä [A] 本[B]", "ä [B] 本[C]"),
            ("and A", "and A"),
            ("", ""),
        ] {
            assert_eq!(letters.text_back(written), told);
            assert_eq!(letters.text(told), written);
        }
        assert_eq!((letters.back("C"), letters.back("X")), ("A".to_owned(), "X".to_owned()));
    }

    #[test]
    fn two_orders_have_no_letter_in_common_but_the_middle_one() {
        let (one, other) = (Lettering::in_order(&[0, 3, 2]), Lettering::in_order(&[2, 3, 0]));
        assert_eq!(one.letters(), ["A", "B", "C"]);
        assert_eq!((one.of(0), other.of(0)), (Some("A".to_owned()), Some("C".to_owned())));
        assert_eq!((one.of(3), other.of(3)), (Some("B".to_owned()), Some("B".to_owned())));
        assert_eq!((one.of(1), one.back("B")), (None, "D".to_owned()));
    }

    #[test]
    fn a_letter_is_told_from_a_word() {
        for (text, names) in [
            ("B quotes the log.", true),
            ("A: the pool is shared.", true),
            ("answer A shows it", true),
            ("[A] shows it", true),
            ("A good point was made.", false),
            ("I was wrong.", false),
            ("The others make good points.", false),
            ("X does.", false),
        ] {
            assert_eq!(names_a_letter(text, 3), names, "{text}");
        }
    }

    proptest! {
        #[test]
        fn there_and_back_is_the_same(text in "(\\[|\\]|[A-F]|answers?| |and|,|ä|[ -~]){0,20}", turns in 0_usize..4) {
            let letters = Lettering::turned(4, turns);
            prop_assert_eq!(letters.text(&letters.text_back(&text)), text);
        }
    }
}
