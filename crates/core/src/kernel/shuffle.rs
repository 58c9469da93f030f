//! A small deterministic shuffle: the order in which a seat is shown the others' texts.
//!
//! Orders must differ between seats and rounds, so that no position in a list gives an author away
//! and the first one shown has no advantage, and must be the same on a resume. So they are derived
//! from the session's seed and the turn's id. [SplitMix64] (Steele, Lea, Flood 2014) is enough for
//! that: nobody gains by guessing an order.
//!
//! [SplitMix64]: https://doi.org/10.1145/2660193.2660195

#[derive(Debug, Clone)]
struct SplitMix64(u64);

impl SplitMix64 {
    const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number below `bound`, which is not 0. The bias of the remainder is below one in 2^32 for lists of
    /// any realistic length.
    fn below(&mut self, bound: usize) -> usize {
        let bound = u64::try_from(bound).unwrap_or(u64::MAX).max(1);
        usize::try_from(self.next() % bound).unwrap_or(0)
    }
}

/// Shuffles `items` by the session's seed and `salt` (the turn's id): the same two give the same
/// order.
pub fn shuffle<T>(items: &mut [T], seed: u64, salt: &str) {
    let mut random = SplitMix64(seed ^ fnv(salt));
    // Fisher-Yates, from the end.
    for last in (1..items.len()).rev() {
        items.swap(last, random.below(last + 1));
    }
}

/// FNV-1a: spreads turn ids that differ in one character.
fn fnv(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    fn order(count: u8, seed: u64, salt: &str) -> Vec<u8> {
        let mut items: Vec<u8> = (0..count).collect();
        shuffle(&mut items, seed, salt);
        items
    }

    /// The first numbers of the published reference for seed 1234567.
    #[test]
    fn the_generator_is_splitmix64() {
        let mut random = SplitMix64(1_234_567);
        let first = [random.next(), random.next(), random.next()];
        assert_eq!(
            first,
            [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]
        );
    }

    #[test]
    fn seeds_seats_and_rounds_have_orders_of_their_own() {
        let one = order(8, 7, "r2/cross/s1");
        assert_eq!(one, order(8, 7, "r2/cross/s1"));
        for other in
            [order(8, 8, "r2/cross/s1"), order(8, 7, "r2/cross/s2"), order(8, 7, "r3/cross/s1")]
        {
            assert_ne!(one, other);
        }
    }

    /// The hashes are the published ones of FNV-1a; the orders are those that stored sessions used.
    #[test]
    fn an_order_is_the_same_in_every_version() {
        for (text, hash) in [
            ("", 0xcbf2_9ce4_8422_2325),
            ("a", 0xaf63_dc4c_8601_ec8c),
            ("foobar", 0x8594_4171_f739_67e8),
        ] {
            assert_eq!(fnv(text), hash, "{text}");
        }
        assert_eq!(order(8, 7, "r2/cross/s1"), [4, 0, 3, 2, 6, 7, 5, 1]);
    }

    /// Each of the six orders of three comes about equally often.
    #[test]
    fn no_order_is_favoured() {
        let mut counts: BTreeMap<Vec<u8>, u32> = BTreeMap::new();
        for seed in 0..6_000 {
            *counts.entry(order(3, seed, "r2/cross/s1")).or_default() += 1;
        }
        assert_eq!(counts.len(), 6);
        assert!(counts.values().all(|count| (850..1_150).contains(count)), "{counts:?}");
    }

    proptest! {
        #[test]
        fn it_keeps_every_item(count in 0..200_u8, seed in any::<u64>(), salt in any::<String>()) {
            let mut items = order(count, seed, &salt);
            items.sort_unstable();
            prop_assert_eq!(items, (0..count).collect::<Vec<u8>>());
        }
    }
}
