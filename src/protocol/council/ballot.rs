//! The votes on what a council made of its answers: a composer's decisions, the steps of a merged plan.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::contract::block::object;
use crate::contract::field::{entries, id, text, word};
use crate::contract::{Block, Diagnostics, Entry};
use crate::{declare, words};

/// Maximum number of characters of an id as an agent writes it.
const ID_CHARS: usize = 64;
/// Maximum number of characters of a vote's reason.
const REASON_CHARS: usize = 1_500;

declare! {
    /// One vote of a `VALIDATION` block.
    #[derive(Debug, Clone, PartialEq, Eq, Serialize)]
    pub struct Ballot as "vote", then reasoned {
        /// The id of the group that the composer decided on, or of the step.
        pub id: String = id(ID_CHARS).shown("<id>").also(&["finding_id", "step_id"]),
        /// Why; empty only for an approval.
        pub reason: String = text(REASON_CHARS).may_miss().shown("<why>").aside(),
        /// Whether it is approved.
        pub vote: Vote = word(),
    }
}

declare! {
    /// A `VALIDATION` block.
    #[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
    pub struct ValidationBlock {
        /// One entry per id that was shown; missing entries do not count as votes.
        pub votes: Vec<Ballot> = entries(usize::MAX),
    }
}

#[cfg(test)]
impl Ballot {
    pub(crate) fn on(id: &str, approve: bool) -> Self {
        let vote = if approve { Vote::Approve } else { Vote::Reject };
        Self { id: id.to_owned(), vote, reason: "So I see it.".to_owned() }
    }
}

/// The block of the final votes.
pub const VALIDATION: Block<ValidationBlock> = object("VALIDATION");

/// Requires a reason unless the seat approves.
fn reasoned(ballot: &mut Ballot, entry: &mut Entry<'_>) {
    if ballot.vote == Vote::Reject {
        entry.needs("reason", &ballot.reason);
    }
}

impl ValidationBlock {
    /// Returns the votes on what was shown, one each.
    pub(crate) fn checked(judge: &mut Diagnostics, said: Self) -> Option<Self> {
        let votes = judge.has_read("votes").then_some(said.votes)?;
        Some(Self { votes: judge.by_id("vote", votes, |ballot| &mut ballot.id) })
    }

    /// Returns the vote on something.
    pub(crate) fn on(&self, id: &str) -> Option<&Ballot> {
        self.votes.iter().find(|vote| vote.id == id)
    }
}

/// The votes of the seats that answered.
pub(crate) type Ballots = BTreeMap<usize, ValidationBlock>;

/// Returns the votes on something of the seats that may vote on it, in the order of the seats.
pub(crate) fn votes_on<'a>(
    ballots: &'a Ballots,
    id: &str,
    may_vote: impl Fn(usize) -> bool,
) -> Vec<(usize, &'a Ballot)> {
    let ballots = ballots.iter().filter(|(seat, _)| may_vote(**seat));
    ballots.filter_map(|(seat, said)| Some((*seat, said.on(id)?))).collect()
}

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
    fn of(approves: u32, rejects: u32, winner: bool) -> Self {
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

/// What the votes on something come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Tally {
    /// Votes for it.
    pub approves: u32,
    /// Votes against it.
    pub rejects: u32,
    /// What follows.
    pub result: ValidationResult,
}

impl Tally {
    /// Counts votes. `winner`: whether the seat with the best answer wants what they are about, which it may only where
    /// that is not about its own words.
    pub(crate) fn of(votes: &[(usize, &Ballot)], winner: bool) -> Self {
        let (mut approves, mut rejects) = (0, 0);
        for (_, vote) in votes {
            *if vote.vote == Vote::Approve { &mut approves } else { &mut rejects } += 1;
        }
        Self { approves, rejects, result: ValidationResult::of(approves, rejects, winner) }
    }

    /// Returns the votes on something that stays although more were against it than for it.
    pub(crate) fn rejected(self) -> Option<RejectedKeepVotes> {
        (self.result == ValidationResult::Rejected)
            .then_some(RejectedKeepVotes { approves: self.approves, rejects: self.rejects })
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

#[cfg(test)]
mod tests {
    //! Tests of what any votes come to.

    use super::*;

    #[test]
    fn the_majority_decides_a_tie_goes_as_the_winner_wants_and_silence_approves_nothing() {
        use ValidationResult::{Approved, Rejected, TieBroken, TieKept, Unvalidated};
        for (cast, wanted, otherwise) in [
            ("", Unvalidated, Unvalidated),
            ("a", Approved, Approved),
            ("aar", Approved, Approved),
            ("r", Rejected, Rejected),
            ("arr", Rejected, Rejected),
            ("ar", TieBroken, TieKept),
            ("raar", TieBroken, TieKept),
        ] {
            let ballot = |cast| Ballot::on("F1", cast == 'a');
            let ballots: Vec<Ballot> = cast.chars().map(ballot).collect();
            let votes: Vec<(usize, &Ballot)> = ballots.iter().enumerate().collect();
            for (winner, result) in [(true, wanted), (false, otherwise)] {
                let tally = Tally::of(&votes, winner);
                assert_eq!(tally.result, result, "{cast}");
                assert_eq!((tally.approves + tally.rejects) as usize, cast.len());
                assert_eq!(tally.rejected().is_some(), result == Rejected, "{cast}");
                assert_eq!(result.stands(), matches!(result, Approved | TieBroken));
            }
        }
    }
}
