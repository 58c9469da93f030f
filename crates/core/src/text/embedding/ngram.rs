//! The embedding of a build without the table: character 3- to 5-grams, hashed.
//!
//! It knows nothing of meaning: two texts are alike where their letters are. It is named `ngram` in every record.

/// Dimensions of a vector.
const DIMENSIONS: usize = 1024;

/// Adds a text up, gram by gram; `None` of a text without a letter or digit.
pub(super) fn embed(text: &str) -> Option<Vec<f32>> {
    let mut vector = vec![0.0_f32; DIMENSIONS];
    let mut any = false;
    for word in text.split(|character: char| !character.is_alphanumeric()) {
        if word.is_empty() {
            continue;
        }
        any = true;
        // The edges count: `<un` is another gram than `run`'s.
        let letters: Vec<char> = std::iter::once('<')
            .chain(word.chars().flat_map(char::to_lowercase))
            .chain(std::iter::once('>'))
            .collect();
        for size in 3..=5 {
            for gram in letters.windows(size) {
                let hash = hash(gram);
                #[expect(clippy::cast_possible_truncation, reason = "the remainder is below 1024")]
                let at = (hash % DIMENSIONS as u64) as usize;
                // A sign out of another bit makes collisions cancel instead of add up.
                vector[at] += if hash >> 63 == 0 { 1.0 } else { -1.0 };
            }
        }
    }
    any.then_some(vector)
}

/// FNV-1a over the characters, mixed once more so that the low bits depend on all.
fn hash(gram: &[char]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for character in gram {
        hash = (hash ^ u64::from(u32::from(*character))).wrapping_mul(0x0100_0000_01b3);
    }
    (hash ^ (hash >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9)
}
