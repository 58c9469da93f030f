//! What the councils, reviews and plans, share: their votes, and how sure they were after a round.
//!
//! Groups, stances and confidence stay with each of them: a finding is refuted by other rules than a step of a plan.

mod ballot;
mod round;

pub use ballot::{Ballot, KeepRejected, VALIDATION, ValidationSaid};
pub use round::RoundRecord;
