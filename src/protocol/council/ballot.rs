//! The votes on what a council made of its answers: a composer's decisions, the steps of a merged plan.

use std::cmp::Ordering;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::words;

words! {
    /// A seat's vote on one decision, or on one step.
    pub enum Vote {
        /// It is right.
        Approve = "approve" | "approves" | "approved",
        /// It is not.
        Reject = "reject" | "rejects" | "rejected",
    }
}

words! {
    /// What the votes on a decision come to (`docs/review.md`, step 8). The majority of the votes cast decides.
    #[derive(PartialOrd, Ord, Hash)]
    pub enum ValidationResult {
        /// More votes for it than against it: it is carried out.
        Approved = "approved",
        /// More votes against it than for it: what it is about stays as it was.
        Rejected = "rejected",
        /// As many for it as against it, and the winner, whose own words it does not touch, wants it.
        TieBroken = "tie_broken",
        /// As many for it as against it otherwise: what it is about stays as it was.
        TieKept = "tie_kept",
        /// Nobody voted who may: what it is about stays as it was.
        Unvalidated = "unvalidated",
    }
}

impl ValidationResult {
    /// Returns the result of this many votes. `winner`: whether the seat with the best answer wants the decision, which
    /// it may only where that is not about its own words.
    pub(crate) fn of(approves: u32, rejects: u32, winner: bool) -> Self {
        match approves.cmp(&rejects) {
            Ordering::Greater => Self::Approved,
            Ordering::Less => Self::Rejected,
            Ordering::Equal if approves == 0 => Self::Unvalidated,
            Ordering::Equal if winner => Self::TieBroken,
            Ordering::Equal => Self::TieKept,
        }
    }

    /// Whether the decision is carried out.
    pub const fn stands(self) -> bool {
        matches!(self, Self::Approved | Self::TieBroken)
    }
}

/// The votes on a finding that the validators voted against keeping.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RejectedKeepVotes {
    /// Votes for keeping it.
    pub approves: u32,
    /// Votes against keeping it.
    pub rejects: u32,
}
