//! What both councils, reviews and plans, share: the quorum, the confidence after a round, who is asked again, the
//! status that votes give, what the final votes come to, and what a changed repository spoils.
//!
//! Groups and stances remain separate: a finding is refuted by other rules than a step of a plan, and statements about
//! each are read by other rules, too.

mod ballot;
mod news;
mod round;
mod spoil;
mod status;

pub use ballot::ValidationResult;
pub(crate) use ballot::{RejectedKeepVotes, Vote};
pub(crate) use news::has_news;
pub(crate) use round::{QUORUM, RoundRecord};
pub(crate) use spoil::spoil;
pub use status::Status;
