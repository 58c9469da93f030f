//! The words of an answer while it is written, which some CLIs print as events of their own.

use std::borrow::Cow;

/// Maximum bytes of an event that are read; the rest of a longer one is passed over.
const EVENT_BYTES: usize = 64 << 10;
/// Maximum bytes of the last words: enough to find a secret in them before they are shown.
const WORDS_BYTES: usize = 4_000;

/// Separates the lines that begin with a mark from an output that comes in chunks.
#[derive(Debug, Default)]
pub(super) struct Partials {
    /// The beginning of the current line, while it may be or is a partial event.
    held: Vec<u8>,
    /// Whether the current line is something else, or the rest of an event that is too long.
    other: Option<Line>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Line {
    Kept,
    Dropped,
}

impl Partials {
    /// Returns a chunk without its partial events, each of which goes to `event`. An unfinished one is held back.
    pub(super) fn split<'c>(
        &mut self,
        chunk: &'c [u8],
        mark: &[u8],
        mut event: impl FnMut(&[u8]),
    ) -> Cow<'c, [u8]> {
        if mark.is_empty() {
            return Cow::Borrowed(chunk);
        }
        let mut rest = Vec::with_capacity(chunk.len());
        for piece in chunk.split_inclusive(|&byte| byte == b'\n') {
            match self.other {
                Some(Line::Kept) => rest.extend_from_slice(piece),
                Some(Line::Dropped) => {}
                None => {
                    self.held.extend_from_slice(piece);
                    let known = self.held.len().min(mark.len());
                    if self.held[..known] != mark[..known] {
                        rest.append(&mut self.held);
                        self.other = Some(Line::Kept);
                    } else if self.held.len() > EVENT_BYTES {
                        self.held.clear();
                        self.other = Some(Line::Dropped);
                    }
                }
            }
            if piece.ends_with(b"\n") {
                if self.other.take().is_none() {
                    event(&self.held);
                }
                self.held.clear();
            }
        }
        Cow::Owned(rest)
    }
}

/// Adds words to the last ones, of which no more than needed are kept.
pub(super) fn add(last: &mut String, words: &str) {
    last.push_str(words);
    let surplus = last.len().saturating_sub(WORDS_BYTES);
    let from = (surplus..last.len()).find(|&at| last.is_char_boundary(at));
    last.drain(..from.unwrap_or_default());
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const MARK: &[u8] = b"{\"partial\"";

    fn split(chunks: &[&[u8]]) -> (Vec<u8>, Vec<Vec<u8>>) {
        let (mut partials, mut rest, mut events) = (Partials::default(), Vec::new(), Vec::new());
        for chunk in chunks {
            let kept = partials.split(chunk, MARK, |event| events.push(event.to_vec()));
            rest.extend_from_slice(&kept);
        }
        (rest, events)
    }

    proptest! {
        #[test]
        fn however_it_is_cut_the_same_lines_are_set_aside(cuts in prop::collection::vec(0_usize..60, 0..6)) {
            let text: &[u8] = b"{\"a\":1}\n{\"partial\":1}\n{\"par\n{\"partial\":2}\nend";
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(text.len())).collect();
            cuts.sort_unstable();
            let mut chunks = Vec::new();
            let mut from = 0;
            for cut in cuts.into_iter().chain([text.len()]) {
                chunks.push(&text[from..cut]);
                from = cut;
            }
            let (rest, events) = split(&chunks);
            prop_assert_eq!(rest, b"{\"a\":1}\n{\"par\nend");
            let wanted: [&[u8]; 2] = [b"{\"partial\":1}\n", b"{\"partial\":2}\n"];
            prop_assert_eq!(events, wanted);
        }
    }

    #[test]
    fn an_endless_event_takes_no_memory_and_hides_nothing_after_it() {
        let long = [MARK, &vec![b'x'; 2 * EVENT_BYTES]].concat();
        let (rest, events) = split(&[&long, &long, b"\nnext\n"]);
        assert_eq!((rest.as_slice(), events.len()), (b"next\n".as_slice(), 0));
    }
}
