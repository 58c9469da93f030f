//! The evaluation of debates on cases whose answers are known (`docs/eval.md`).
//!
//! # Theory of operation
//!
//! A [`case`](mod@case) says what is right; a stored session, what each of several *arms* makes of it: methods to get an
//! answer. [`matching`] says which findings are about which defects, [`score`] counts that per arm and case, and
//! [`statistics`] says how far a figure of so many cases can be trusted. Every figure is a ratio of sums over cases.

pub mod case;
pub mod matching;
pub mod score;
pub mod statistics;

use sha2::{Digest as _, Sha256};

crate::words! {
    /// The part that a case belongs to, by the hash of its name: nobody chooses it.
    #[derive(Hash)]
    pub enum Part {
        /// For changing prompts, rules and settings by.
        Tuning = "tuning",
        /// For measuring what came of that, once per version.
        HeldOut = "held-out",
    }
}

impl Part {
    /// Returns the part of a case by its name.
    pub fn of(name: &str) -> Self {
        if Sha256::digest(name)[0] < 128 { Self::Tuning } else { Self::HeldOut }
    }
}

/// Returns the shard of a case by its name, from 1 to `shards`. It depends on other bytes of the hash than the part, so
/// each shard has cases of both.
pub fn shard(name: &str, shards: u32) -> u32 {
    let hash = Sha256::digest(name);
    let number = (u32::from(hash[8]) << 8) | u32::from(hash[9]);
    number % shards.max(1) + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn part_and_shard_follow_from_the_name_alone() {
        // As `printf a | sha256sum` says: ca978112..., and 3e23e816... of "b".
        assert_eq!((Part::of("a"), Part::of("b")), (Part::HeldOut, Part::Tuning));
        let names: Vec<String> = (0..400).map(|number| format!("case-{number}")).collect();
        for shards in [1, 3, 4] {
            let of = |at| names.iter().filter(|name| shard(name, shards) == at).count();
            let sizes: Vec<usize> = (1..=shards).map(of).collect();
            assert_eq!(sizes.iter().sum::<usize>(), 400, "each case is in one shard");
            assert!(sizes.iter().all(|size| *size > 300 / shards as usize), "{sizes:?}");
        }
        let held_out = names.iter().filter(|name| Part::of(name) == Part::HeldOut);
        let first = held_out.filter(|name| shard(name, 2) == 1).count();
        assert!((70..130).contains(&first), "a shard has cases of both parts: {first}");
    }
}
