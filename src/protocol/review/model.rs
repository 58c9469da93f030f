//! What reviewers say (`said`), what the rules make of it (`judged`), and what a result shows
//! (`result`).
//!
//! A *seat* is an agent's place in the panel, counted from 0 here and from 1 in names (`s1`). What
//! one seat reads of another never names it; agents' names come back in the [`Outcome`].

mod judged;
mod result;
mod said;

pub use judged::{
    Group, Judged, Location, Nearness, Placed, Raised, ReviewOutcome, Status, Verdict,
};
pub use result::{
    Agreement, DecisionKind, Eliminated, EliminatedStatus, FinalFinding, JudgementRecord, Known,
    Outcome, Reported, ScoreBreakdown, Suppressed, ValidationRecord, ValidationResult,
};
pub use said::{
    Ballot, CompositionSaid, CrossSaid, Eliminate, Finding, Judgement, Keep, Merge, ReviewSaid,
    Said, Severity, Stance, ValidationSaid,
};
