//! Finds words in the bytes of a stream: the keywords of the rules, and exact values.

use std::ops::Range;

use aho_corasick::{AhoCorasick, Input};

#[derive(Clone)]
pub(super) struct Words {
    search: AhoCorasick,
    all: Vec<Vec<u8>>,
    any_case: bool,
    /// Length of the longest word in bytes.
    longest: usize,
}

impl Words {
    #[expect(
        clippy::expect_used,
        reason = "its only limit is far above what an environment or the rules can hold"
    )]
    pub(super) fn new(all: Vec<Vec<u8>>, any_case: bool) -> Self {
        let search = AhoCorasick::builder().ascii_case_insensitive(any_case).build(&all);
        Self {
            search: search.expect("words of a few megabytes"),
            longest: all.iter().map(Vec::len).max().unwrap_or(0),
            any_case,
            all,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    /// Finds every word that ends after `from`, as its number and its extent.
    pub(super) fn find(
        &self,
        buffer: &[u8],
        from: usize,
    ) -> impl Iterator<Item = (usize, Range<usize>)> {
        let start = from.saturating_sub(self.longest.saturating_sub(1));
        let found = self.search.find_overlapping_iter(Input::new(buffer).range(start..));
        found
            .filter(move |found| found.end() > from)
            .map(|found| (found.pattern().as_usize(), found.range()))
    }

    /// The first position from which the buffer's end could be the start of a word.
    pub(super) fn unresolved(&self, buffer: &[u8]) -> usize {
        let first = buffer.len().saturating_sub(self.longest.saturating_sub(1));
        let begun = |at: &usize| self.all.iter().any(|word| self.begins(word, &buffer[*at..]));
        (first..buffer.len()).find(begun).unwrap_or(buffer.len())
    }

    fn begins(&self, word: &[u8], tail: &[u8]) -> bool {
        word.get(..tail.len()).is_some_and(|start| {
            if self.any_case { start.eq_ignore_ascii_case(tail) } else { start == tail }
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// No word is skipped, whatever overlaps it and wherever the search goes on.
        #[test]
        fn every_word_is_found(
            words in prop::collection::vec("[abAB]{1,5}", 1..6),
            text in "[abAB]{0,30}",
            from in 0..30_usize,
            any_case in any::<bool>(),
        ) {
            let (text, from) = (text.as_bytes(), from.min(text.len()));
            let words: Vec<Vec<u8>> = words.into_iter().map(String::into_bytes).collect();
            let search = Words::new(words.clone(), any_case);
            let same = |word: &[u8], part: &[u8]| {
                if any_case { word.eq_ignore_ascii_case(part) } else { word == part }
            };
            let mut expected = Vec::new();
            for (number, word) in words.iter().enumerate() {
                for start in 0..text.len() {
                    let end = start + word.len();
                    if end > from && text.get(start..end).is_some_and(|part| same(word, part)) {
                        expected.push((number, start..end));
                    }
                }
            }
            let mut found: Vec<_> = search.find(text, from).collect();
            found.sort_by_key(|(number, span)| (*number, span.start));
            prop_assert_eq!(found, expected);
            let begun = |at: &usize| words.iter().any(|word| {
                word.get(..text.len() - at).is_some_and(|start| same(start, &text[*at..]))
            });
            let near = text.len().saturating_sub(search.longest - 1);
            let first = (near..text.len()).find(begun).unwrap_or(text.len());
            prop_assert_eq!(search.unresolved(text), first);
        }
    }
}
