//! Finds keywords in bytes, in any case of letters.
//!
//! There are hundreds of them, and a text has few: the search for the next must cost next to nothing. Three bytes, of
//! which five bits each count (those that are alike in both cases), say by a table of 32,768 bits whether a keyword may
//! begin there; one place in a hundred has to be looked at closely. An automaton of all keywords was slower, and eight
//! times as large.

use std::collections::BTreeMap;

/// Bytes of a keyword that the table knows; no keyword is shorter.
const SHORTEST: usize = 3;

/// The places of the table.
const PLACES: usize = 1 << (5 * SHORTEST);

/// A set of keywords, each with what belongs to it.
pub(super) struct Keywords {
    /// Whether a keyword begins so.
    begins: Vec<bool>,
    /// Which of the groups begins so.
    group: Vec<u16>,
    /// Keywords that begin alike, in small letters.
    groups: Vec<Vec<(Vec<u8>, Vec<usize>)>>,
    /// All keywords, by their first byte.
    starts: Vec<Vec<Vec<u8>>>,
    /// Bytes of the longest.
    longest: usize,
}

impl Keywords {
    /// Makes a set of keywords in small letters; one of less than three bytes is never found.
    pub(super) fn new(keywords: BTreeMap<Vec<u8>, Vec<usize>>) -> Self {
        let longest = keywords.keys().map(Vec::len).max().unwrap_or(0);
        let mut begins = vec![false; PLACES];
        let mut group = vec![0; PLACES];
        let mut groups: Vec<Vec<(Vec<u8>, Vec<usize>)>> = Vec::new();
        let mut starts = vec![Vec::new(); 256];
        for (keyword, owners) in keywords {
            let Some(start) = keyword.first_chunk() else {
                continue;
            };
            let place = place(*start);
            if !begins[place] {
                begins[place] = true;
                group[place] = u16::try_from(groups.len()).unwrap_or(u16::MAX);
                groups.push(Vec::new());
            }
            starts[usize::from(keyword[0])].push(keyword.clone());
            groups[usize::from(group[place])].push((keyword, owners));
        }
        Self {
            begins,
            group,
            groups,
            starts,
            longest,
        }
    }

    /// Calls `found` with the start of every keyword that ends behind `from`, and what belongs to the keyword.
    pub(super) fn find(&self, buffer: &[u8], from: usize, mut found: impl FnMut(usize, &[usize])) {
        let start = from.saturating_sub(self.longest.saturating_sub(1));
        // Of a known length, so that the loop asks for no bounds.
        let Ok(begins) = <&[bool; PLACES]>::try_from(self.begins.as_slice()) else {
            return;
        };
        let mut rolling = 0;
        for (behind, byte) in buffer[start..].iter().enumerate() {
            rolling = (rolling << 5) | usize::from(byte & 31);
            let place = rolling % PLACES;
            if !begins[place] || behind + 1 < SHORTEST {
                continue;
            }
            let at = start + behind + 1 - SHORTEST;
            for (keyword, owners) in &self.groups[usize::from(self.group[place])] {
                let text = buffer.get(at..at + keyword.len());
                if at + keyword.len() > from
                    && text.is_some_and(|text| text.eq_ignore_ascii_case(keyword))
                {
                    found(at, owners);
                }
            }
        }
    }

    /// The first place where the buffer ends within a keyword.
    pub(super) fn unresolved(&self, buffer: &[u8]) -> usize {
        let first = buffer.len().saturating_sub(self.longest.saturating_sub(1));
        (first..buffer.len())
            .find(|at| {
                let tail = &buffer[*at..];
                self.starts[usize::from(tail[0].to_ascii_lowercase())]
                    .iter()
                    .filter_map(|keyword| keyword.get(..tail.len()))
                    .any(|start| start.eq_ignore_ascii_case(tail))
            })
            .unwrap_or(buffer.len())
    }
}

/// The place of three bytes in the table.
fn place(bytes: [u8; SHORTEST]) -> usize {
    let place = bytes
        .iter()
        .fold(0, |place, byte| (place << 5) | usize::from(byte & 31));
    place % PLACES
}
