//! The table of token vectors, as written by `distill.py` and read in place, without a copy.
//!
//! All numbers are little-endian: 8 bytes `DBEMBED1`; four `u32`: the layout's version (2), number of tokens,
//! dimensions, bytes of the vocabulary; 32 bytes SHA-256 of the rest (checked by a test, as bytes within the program
//! cannot change). Then the vocabulary, each token followed by a line feed, sorted by bytes; an `f32` scale per
//! token; and a row of half bytes per token, the lower half first, each a number from -7 to 7 plus 8.

pub(super) const BUILT_IN: &[u8] = include_bytes!("minilm-128.bin");

const MAGIC: &[u8] = b"DBEMBED1";
const VERSION: u32 = 2;
/// Bytes before the vocabulary: magic, four numbers, the hash.
pub(super) const HEAD: usize = 8 + 4 * 4 + 32;

/// Token vectors by token.
#[derive(Debug)]
pub(super) struct Table {
    tokens: Vec<&'static str>,
    scales: &'static [u8],
    rows: &'static [u8],
    dimensions: usize,
    /// Length of the longest token in bytes; longer ones need no look-up.
    longest: usize,
}

impl Table {
    /// Parses a table; `None` if the bytes are not one.
    pub(super) fn read(bytes: &'static [u8]) -> Option<Self> {
        let number = |at: usize| -> Option<u32> {
            let bytes = bytes.get(8 + 4 * at..)?.first_chunk()?;
            Some(u32::from_le_bytes(*bytes))
        };
        let size = |at: usize| usize::try_from(number(at)?).ok();
        if !bytes.starts_with(MAGIC) || number(0)? != VERSION {
            return None;
        }
        let (count, dimensions, vocabulary) = (size(1)?, size(2)?, size(3)?);
        let (vocabulary, rest) = bytes.get(HEAD..)?.split_at_checked(vocabulary)?;
        let (scales, rows) = rest.split_at_checked(count.checked_mul(4)?)?;
        let tokens: Vec<&str> = std::str::from_utf8(vocabulary).ok()?.lines().collect();
        let whole = tokens.len() == count
            && Some(2 * rows.len()) == count.checked_mul(dimensions)
            && tokens.is_sorted();
        whole.then(|| Self {
            longest: tokens.iter().map(|token| token.len()).max().unwrap_or(0),
            tokens,
            scales,
            rows,
            dimensions,
        })
    }

    pub(super) fn find(&self, token: &str) -> Option<usize> {
        self.tokens.binary_search(&token).ok()
    }

    /// Returns the length of the longest token in bytes.
    pub(super) fn longest(&self) -> usize {
        self.longest
    }

    pub(super) fn zero(&self) -> Vec<f32> {
        vec![0.0; self.dimensions]
    }

    pub(super) fn add(&self, token: usize, sum: &mut [f32]) {
        let scale = (self.scales.get(4 * token..)).and_then(|bytes| bytes.first_chunk());
        let scale = scale.map_or(0.0, |bytes| f32::from_le_bytes(*bytes));
        let row = self.rows.chunks_exact(self.dimensions / 2).nth(token);
        for (sums, part) in sum.chunks_exact_mut(2).zip(row.unwrap_or_default()) {
            for (sum, half) in sums.iter_mut().zip([part & 15, part >> 4]) {
                *sum += scale * (f32::from(half) - 8.0);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use sha2::{Digest, Sha256};

    use super::*;

    #[test]
    fn the_built_in_table_is_whole_and_is_what_its_hash_says() {
        let table = Table::read(BUILT_IN).unwrap();
        assert_eq!((table.tokens.len(), table.dimensions), (29_523, 128));
        assert_eq!(&BUILT_IN[24..HEAD], &*Sha256::digest(&BUILT_IN[HEAD..]));
        assert!(table.tokens.is_sorted());
        for token in ["the", "redis", "##ing", "zurich"] {
            let mut row = table.zero();
            if let Some(at) = table.find(token) {
                table.add(at, &mut row);
                assert!(row.iter().any(|part| part.abs() > 0.0), "{token}");
            } else {
                assert_eq!(token, "redis");
            }
        }
    }

    #[test]
    fn what_is_no_table_is_refused() {
        let mut wrong: Vec<Vec<u8>> =
            vec![Vec::new(), b"DBEMBED1".to_vec(), BUILT_IN[1..].to_vec()];
        wrong.push(BUILT_IN[..BUILT_IN.len() - 1].to_vec());
        for (at, byte) in [(8, 1), (12, 0), (16, 127), (20, 0xff), (HEAD, 0xff)] {
            let mut bytes = BUILT_IN.to_vec();
            bytes[at] = byte;
            wrong.push(bytes);
        }
        for bytes in wrong {
            assert!(Table::read(bytes.leak()).is_none());
        }
    }
}
