//! Finds keywords in bytes, ignoring case.
//!
//! There are hundreds of keywords, and few in a text: searching for the next one must cost almost nothing. A table
//! says for three bytes whether a keyword may begin with them, anywhere or at the start of a word; few positions need
//! a closer look. An automaton of all keywords was slower, and eight times as large.

use std::ops::Range;

/// Bytes of a keyword that the table knows; no keyword is shorter.
const SHORTEST: usize = 3;

/// Number of bits of a table index.
const BITS: u32 = 15;

/// The table's flag for a keyword that may be inside a word.
const ANYWHERE: u16 = 1;

/// Mask for a table entry by the preceding byte: everything where a word may begin, elsewhere only keywords
/// that may be inside one.
const BEHIND: [u16; 256] = {
    let mut behind = [u16::MAX; 256];
    let mut byte = 0_u8;
    while byte < u8::MAX {
        // An escape like `\n` ends with a letter, and a word may begin after it.
        if is_word(byte) && !matches!(byte, b'n' | b'r' | b't') {
            behind[byte as usize] = ANYWHERE;
        }
        byte += 1;
    }
    behind
};

/// A keyword in lower case, and its rule.
pub(super) struct Keyword {
    pub(super) text: Vec<u8>,
    /// Whether it is found only at the start of a word.
    pub(super) begins_word: bool,
    pub(super) rules: Vec<usize>,
}

/// The first eight bytes of a keyword, or as many as it has.
#[derive(Clone, Copy)]
struct Start {
    bytes: u64,
    mask: u64,
}

pub(super) struct Keywords {
    /// The group of keywords that may begin with three bytes: twice its number, plus `ANYWHERE`; 0 if there is
    /// none.
    begins: Vec<u16>,
    /// The keywords of each group; the first group is empty.
    groups: Vec<Range<usize>>,
    starts: Vec<Start>,
    all: Vec<Keyword>,
    /// Length of the longest keyword in bytes.
    longest: usize,
}

impl Keywords {
    /// Creates a set of keywords; one of less than three bytes is never found.
    pub(super) fn new(mut all: Vec<Keyword>) -> Self {
        all.retain(|keyword| keyword.text.len() >= SHORTEST);
        let place = |keyword: &Keyword| place_of(Start::of(&keyword.text).bytes);
        all.sort_by_key(place);
        let mut begins = vec![0; 1 << BITS];
        let mut groups = vec![Range::default()];
        let mut end = 0;
        for group in all.chunk_by(|one, other| place(one) == place(other)) {
            let inside = |keyword: &Keyword| !keyword.begins_word || !is_word(keyword.text[0]);
            let number = u16::try_from(2 * groups.len()).unwrap_or_default();
            begins[place(&group[0])] = number | (u16::from(group.iter().any(inside)) * ANYWHERE);
            groups.push(end..end + group.len());
            end += group.len();
        }
        Self {
            begins,
            groups,
            starts: all.iter().map(|keyword| Start::of(&keyword.text)).collect(),
            longest: all.iter().map(|keyword| keyword.text.len()).max().unwrap_or(0),
            all,
        }
    }

    /// Finds every keyword that ends after `from`, as `(start, rule)` for each of its rules.
    #[inline(never)]
    pub(super) fn find(&self, buffer: &[u8], from: usize, into: &mut Vec<(usize, usize)>) {
        // A fixed length, so that the loop needs no bounds checks.
        let Ok(begins) = <&[u16; 1 << BITS]>::try_from(self.begins.as_slice()) else {
            return;
        };
        let mut at = from.saturating_sub(self.longest.saturating_sub(1));
        if at == 0 {
            self.look(buffer, 0, from, into);
            at = 1;
        }
        // Eight bytes contain five positions, each with the byte before it.
        while let Some(bytes) = buffer.get(at - 1..).and_then(<[u8]>::first_chunk::<8>) {
            let text = u64::from_le_bytes(*bytes) | CASE;
            for place in 0..8 - SHORTEST {
                let begun = begins[place_of(text >> (8 * (place + 1)))];
                if begun & BEHIND[usize::from(bytes[place])] != 0 {
                    self.look(buffer, at + place, from, into);
                }
            }
            at += 8 - SHORTEST;
        }
        for at in at..buffer.len() {
            self.look(buffer, at, from, into);
        }
    }

    /// Examines a position closely.
    #[inline(never)]
    fn look(&self, buffer: &[u8], at: usize, from: usize, into: &mut Vec<(usize, usize)>) {
        let rest = &buffer[at..];
        let start = Start::of(rest).bytes;
        for index in self.group(start) {
            if !self.starts[index].begins(start) {
                continue;
            }
            let keyword = &self.all[index];
            let length = keyword.text.len();
            if at + length > from
                && starts_with(rest, &keyword.text)
                && (!keyword.begins_word || begins_word(buffer, at))
            {
                into.extend(keyword.rules.iter().map(|rule| (at, *rule)));
            }
        }
    }

    /// The keywords that may begin with these bytes.
    fn group(&self, bytes: u64) -> Range<usize> {
        let group = self.begins[place_of(bytes)] / 2;
        self.groups[usize::from(group)].clone()
    }

    /// The first position from which the buffer's end could be the start of a keyword.
    pub(super) fn unresolved(&self, buffer: &[u8]) -> usize {
        let first = buffer.len().saturating_sub(self.longest.saturating_sub(1));
        let begun = |at: &usize| {
            let tail = &buffer[*at..];
            let Start { bytes, mask } = Start::of(tail);
            let group = if tail.len() < SHORTEST { 0..self.all.len() } else { self.group(bytes) };
            group.into_iter().any(|index| {
                (self.starts[index].bytes ^ bytes) & mask & self.starts[index].mask == 0
                    && starts_with(&self.all[index].text, tail)
            })
        };
        (first..buffer.len()).find(begun).unwrap_or(buffer.len())
    }
}

impl Start {
    /// The same for upper and lower case, like `place`.
    fn of(text: &[u8]) -> Self {
        if let Some(bytes) = text.first_chunk() {
            let bytes = u64::from_le_bytes(*bytes) | CASE;
            return Self { bytes, mask: u64::MAX };
        }
        let each = |bytes, byte: &u8| bytes << 8 | u64::from(*byte);
        Self {
            bytes: text.iter().rev().fold(0, each) | CASE,
            mask: !(u64::MAX << (8 * text.len())),
        }
    }

    fn begins(self, bytes: u64) -> bool {
        (self.bytes ^ bytes) & self.mask == 0
    }
}

/// In every byte, the bit that differs between a letter's cases.
const CASE: u64 = 0x2020_2020_2020_2020;

/// The table index of the lowest three of eight bytes: the contribution of the others to the product is cut
/// off.
fn place_of(bytes: u64) -> usize {
    const FACTOR: u64 = 0x9E_3779 << (64 - 8 * SHORTEST);
    (bytes.wrapping_mul(FACTOR) >> (u64::BITS - BITS)) as usize
}

fn starts_with(text: &[u8], start: &[u8]) -> bool {
    let text = text.get(..start.len());
    text.is_some_and(|text| text.eq_ignore_ascii_case(start))
}

/// Whether no letter, digit or `_` immediately precedes a position.
fn begins_word(buffer: &[u8], at: usize) -> bool {
    match at.checked_sub(1).map(|before| buffer[before]) {
        Some(byte) => !is_word(byte) || !is_word(buffer[at]) || is_escaped(buffer, at),
        None => true,
    }
}

pub(super) const fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Whether an escape like `\n` immediately precedes a position.
pub(super) fn is_escaped(buffer: &[u8], at: usize) -> bool {
    matches!(buffer.get(at.saturating_sub(2)..at), Some([b'\\', b'n' | b'r' | b't']))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::rules::Rules;
    use super::*;

    type Found = Vec<(usize, usize)>;

    fn by_table(keywords: &Keywords, buffer: &[u8], from: usize) -> Found {
        let mut found = Vec::new();
        keywords.find(buffer, from, &mut found);
        found.sort_unstable();
        found
    }

    /// The same without the table: every keyword at every place.
    fn one_by_one(keywords: &Keywords, buffer: &[u8], from: usize) -> Found {
        let word = |at: usize| {
            let byte = buffer[at];
            byte == b'_' || byte.is_ascii_alphanumeric()
        };
        let inside = |at: usize| {
            let escape = buffer[..at].ends_with(b"\\n")
                || buffer[..at].ends_with(b"\\r")
                || buffer[..at].ends_with(b"\\t");
            at > 0 && word(at - 1) && word(at) && !escape
        };
        let mut found = Vec::new();
        for at in 0..buffer.len() {
            for keyword in &keywords.all {
                let end = at + keyword.text.len();
                let stands = buffer.get(at..end).map(<[u8]>::to_ascii_lowercase);
                if end > from
                    && stands.is_some_and(|text| text == keyword.text)
                    && !(keyword.begins_word && inside(at))
                {
                    found.extend(keyword.rules.iter().map(|rule| (at, *rule)));
                }
            }
        }
        found.sort_unstable();
        found
    }

    fn within_a_keyword(keywords: &Keywords, tail: &[u8]) -> bool {
        let tail = tail.to_ascii_lowercase();
        keywords.all.iter().any(|keyword| keyword.text.starts_with(&tail))
    }

    fn agree(buffer: &[u8], from: usize) -> Result<(), TestCaseError> {
        let keywords = Rules::get().keywords();
        let shown = String::from_utf8_lossy(buffer);
        prop_assert_eq!(
            by_table(keywords, buffer, from),
            one_by_one(keywords, buffer, from),
            "{} from {}",
            shown,
            from
        );
        let near = buffer.len().saturating_sub(keywords.longest - 1);
        let first = (near..buffer.len()).find(|at| within_a_keyword(keywords, &buffer[*at..]));
        prop_assert_eq!(keywords.unresolved(buffer), first.unwrap_or(buffer.len()), "{}", shown);
        Ok(())
    }

    #[test]
    fn the_table_finds_what_is_there_in_the_fixtures() {
        let texts = [
            include_str!("../../../../../fixtures/secrets/formats.tsv"),
            include_str!("../../../../../fixtures/secrets/honest.txt"),
        ];
        let keywords = Rules::get().keywords();
        for line in texts.iter().flat_map(|text| text.lines()) {
            agree(line.as_bytes(), 0).unwrap();
            agree(&serde_json::to_vec(line).unwrap(), line.len() / 2).unwrap();
        }
        assert!(!by_table(keywords, texts[0].as_bytes(), 0).is_empty());
    }

    fn pieces() -> impl Strategy<Value = Vec<Vec<u8>>> {
        let keywords = &Rules::get().keywords().all;
        let piece = prop_oneof![
            4 => (0..keywords.len(), any::<u64>(), 0..40_usize).prop_map(|(index, capitals, end)| {
                let text = keywords[index].text.iter().enumerate().map(|(at, byte)| {
                    if capitals >> (at % 64) & 1 == 1 { byte.to_ascii_uppercase() } else { *byte }
                });
                text.take(end.max(1)).collect()
            }),
            1 => prop::sample::select(vec!["\\n", "\\r", "\\t", "n", "_", " ", "-", "\"", "é", "\\"])
                .prop_map(|text| text.as_bytes().to_vec()),
            1 => prop::collection::vec(any::<u8>(), 0..4),
        ];
        prop::collection::vec(piece, 0..12)
    }

    proptest! {
        /// The table skips no keyword.
        #[test]
        fn the_table_finds_what_is_there(pieces in pieces(), from in 0..60_usize) {
            let buffer = pieces.concat();
            agree(&buffer, from.min(buffer.len()))?;
        }
    }
}
