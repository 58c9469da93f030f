//! The embedding of a build without the table: character 3- to 5-grams, hashed.
//!
//! It knows nothing of meaning: texts are alike if their letters are. Every record names it `ngram`.

/// Number of vector dimensions.
const DIMENSIONS: usize = 1024;

/// Sums the grams of a text; `None` if it has no letter or digit.
pub(super) fn embed(text: &str) -> Option<Vec<f32>> {
    let mut vector = vec![0.0_f32; DIMENSIONS];
    let mut any = false;
    for word in text.split(|character: char| !character.is_alphanumeric()) {
        if word.is_empty() {
            continue;
        }
        any = true;
        // Word boundaries count: `<un` is a different gram from the one in `run`.
        let letters: Vec<char> = std::iter::once('<')
            .chain(word.chars().flat_map(char::to_lowercase))
            .chain(std::iter::once('>'))
            .collect();
        for size in 3..=5 {
            for gram in letters.windows(size) {
                let hash = hash(gram);
                #[expect(clippy::cast_possible_truncation, reason = "the remainder is below 1024")]
                let at = (hash % DIMENSIONS as u64) as usize;
                // A sign from another bit makes collisions cancel instead of adding up.
                vector[at] += if hash >> 63 == 0 { 1.0 } else { -1.0 };
            }
        }
    }
    any.then_some(vector)
}

/// FNV-1a over the characters, mixed again so that the low bits depend on all.
fn hash(gram: &[char]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for character in gram {
        hash = (hash ^ u64::from(u32::from(*character))).wrapping_mul(0x0100_0000_01b3);
    }
    (hash ^ (hash >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9)
}
