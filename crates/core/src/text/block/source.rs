//! A reply's bytes as text, recording which bytes were not text.

use std::borrow::Cow;
use std::ops::Range;

use super::thinking;
use crate::text::sanitize;

pub(super) struct Source<'a> {
    pub(super) text: Cow<'a, str>,
    /// Positions of bytes that are not UTF-8 (row 38).
    pub(super) broken: Vec<usize>,
    /// Positions of escape sequences (row 39).
    pub(super) escapes: Vec<usize>,
}

impl<'a> Source<'a> {
    /// Decodes the bytes, and strips escape sequences and what was thought aloud before the answer.
    pub(super) fn decode(reply: &'a [u8]) -> Self {
        let (text, broken) = match str::from_utf8(reply) {
            Ok(text) => (Cow::Borrowed(text), Vec::new()),
            Err(_) => lossy(reply),
        };
        let (text, stripped) = sanitize::strip_escapes(text);
        let escapes = stripped.iter().map(|escape| escape.at).collect();
        // Both lists are in order, so one pass adjusts every position.
        let mut moved = Vec::with_capacity(broken.len());
        let mut removed = 0;
        let mut next = stripped.iter().peekable();
        for place in broken {
            while let Some(escape) = next.next_if(|escape| escape.from + escape.len <= place) {
                removed += escape.len;
            }
            let inside = next.peek().is_some_and(|escape| escape.from <= place);
            if !inside {
                moved.push(place - removed);
            }
        }
        let source = Self { text, broken: moved, escapes };
        let from = thinking::end(&source.text);
        if from == 0 { source } else { source.after(from) }
    }

    fn after(self, from: usize) -> Self {
        let kept = |places: Vec<usize>| {
            places.into_iter().filter_map(|place| place.checked_sub(from)).collect()
        };
        let text = match self.text {
            Cow::Borrowed(text) => Cow::Borrowed(&text[from..]),
            Cow::Owned(text) => Cow::Owned(text[from..].to_owned()),
        };
        Self { text, broken: kept(self.broken), escapes: kept(self.escapes) }
    }
}

/// Decodes with a replacement character for each broken sequence, and returns their positions.
fn lossy(reply: &[u8]) -> (Cow<'_, str>, Vec<usize>) {
    let mut text = String::with_capacity(reply.len());
    let mut broken = Vec::new();
    for chunk in reply.utf8_chunks() {
        text.push_str(chunk.valid());
        if !chunk.invalid().is_empty() {
            broken.push(text.len());
            text.push(char::REPLACEMENT_CHARACTER);
        }
    }
    (Cow::Owned(text), broken)
}

/// The text between two markers.
#[derive(Debug, Clone)]
pub(super) struct Body {
    pub(super) range: Range<usize>,
    /// Whether its END marker is there.
    pub(super) closed: bool,
    pub(super) variant: bool,
}

/// Whether any of the ordered positions is within the range.
pub(super) fn any_within(places: &[usize], range: &Range<usize>) -> bool {
    let first = places.partition_point(|place| *place < range.start);
    places.get(first).is_some_and(|place| *place < range.end)
}

/// Whether a value is only a placeholder in angle brackets: `<id>`, `<true|false>`.
pub(super) fn holds_placeholder(text: &str) -> bool {
    let mut rest = text;
    while let Some(start) = rest.find('<') {
        let (before, inner) = (&rest[..start], &rest[start + 1..]);
        let Some(end) = inner.find(['<', '>', '\n']) else {
            return false;
        };
        let after = &inner[end..];
        if after.starts_with('>') && end > 0 {
            // Alone in its quotes, or in place of a bare value.
            let left = before.trim_end().chars().next_back();
            let right = after[1..].trim_start().chars().next();
            let quoted = before.ends_with('"') && after[1..].starts_with('"');
            let bare = matches!(left, None | Some(':' | '[' | ','))
                && matches!(right, None | Some(',' | ']' | '}'));
            if quoted || bare {
                return true;
            }
        }
        rest = after;
        if rest.starts_with(['>', '\n']) {
            rest = &rest[1..];
        }
    }
    false
}
