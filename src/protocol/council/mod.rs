//! What both councils, reviews and plans, share: how answers are grouped, the quorum, the confidence after a round, who
//! is asked again, the status that votes give, the final votes, and what a changed repository spoils.
//!
//! Groups themselves and stances remain separate: a finding is refuted by other rules than a step of a plan, and
//! statements about each are read by other rules, too.

mod ballot;
pub(crate) mod gist;
pub(crate) mod group;
mod news;
mod round;
mod same;
mod spoil;
mod status;

pub use ballot::{Ballot, Tally, VALIDATION, ValidationBlock, ValidationResult};
pub(crate) use ballot::{Ballots, RejectedKeepVotes, Vote, votes_on};
pub(crate) use news::has_news;
pub(crate) use round::{QUORUM, RoundRecord};
pub(crate) use same::{once, same_as, unsaid};
pub(crate) use spoil::spoil;
pub use status::Status;
