//! What the results of the councils, reviews and plans, share: rejected keeps, and how sure they were after a round.
//!
//! Groups, stances, votes and confidence stay with each of them: a finding is refuted by other rules than a step of a plan, and what is
//! said of either is read by other rules, too (the votes of `VALIDATION` say which).

mod ballot;
mod round;

pub use ballot::RejectedKeepVotes;
pub use round::RoundRecord;
