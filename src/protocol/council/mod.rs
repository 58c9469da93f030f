//! What both councils, reviews and plans, share: rejected keeps, the confidence after a round, who is
//! asked again, the status that votes give, and what a changed repository spoils.
//!
//! Groups, stances, votes and confidence remain separate: a finding is refuted by other rules than a step of a plan,
//! and statements about each are read by other rules, too (see the votes of `VALIDATION`).

mod ballot;
mod news;
mod round;
mod spoil;
mod status;

pub(crate) use ballot::RejectedKeepVotes;
pub(crate) use news::has_news;
pub(crate) use round::RoundRecord;
pub(crate) use spoil::spoil;
pub use status::Status;
