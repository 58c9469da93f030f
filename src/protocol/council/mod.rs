//! The result types that both councils, reviews and plans, share: rejected keeps, and the confidence after a round.
//!
//! Groups, stances, votes and confidence remain separate: a finding is refuted by other rules than a step of a plan,
//! and statements about each are read by other rules, too (see the votes of `VALIDATION`).

mod ballot;
mod round;

pub(crate) use ballot::RejectedKeepVotes;
pub(crate) use round::RoundRecord;
