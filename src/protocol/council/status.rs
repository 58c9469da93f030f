//! The status that votes give a group.

use std::cmp::Ordering;

use crate::words;

words! {
    /// What the votes say of a group (`docs/review.md`, step 4).
    #[derive(PartialOrd, Ord, Hash)]
    pub enum Status {
        /// A test shows it, whatever the votes say; in a review alone.
        Reproduced = "reproduced",
        /// More agree than disagree, of two vendors or more.
        Confirmed = "confirmed",
        /// As many agree as disagree, or a step is only wanted otherwise.
        Contested = "contested",
        /// More agree than disagree, all of one vendor: it counts as unverified.
        OneVendor = "agreed (one vendor)",
        /// Nobody but its author spoke; or a P0 or P1 that names no trigger.
        Unverified = "unverified",
        /// More disagree than agree, but a single seat must not end a P0 or P1.
        Disputed = "disputed",
        /// More disagree than agree.
        Refuted = "refuted",
    }
}

impl Status {
    /// Returns the status of a group on which seats other than its author spoke: this many agree and disagree, and
    /// vendors stand behind it.
    pub(crate) fn of<N: Ord + Copy + From<u8>>(agree: N, disagree: N, vendors: N) -> Self {
        match disagree.cmp(&agree) {
            Ordering::Greater => Self::Refuted,
            Ordering::Equal => Self::Contested,
            Ordering::Less if vendors >= N::from(2) => Self::Confirmed,
            Ordering::Less => Self::OneVendor,
        }
    }

    /// Whether the votes are final: no further round asks about the group.
    pub const fn settled(self) -> bool {
        match self {
            Self::Reproduced | Self::Confirmed | Self::Refuted | Self::Disputed => true,
            Self::Contested | Self::OneVendor | Self::Unverified => false,
        }
    }
}
