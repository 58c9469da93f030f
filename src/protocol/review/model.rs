//! What reviewers say (`said`), what the rules make of it (`judged`), and what a result shows
//! (`result`).
//!
//! A *seat* is an agent's place in the panel, counted from 0 here and from 1 in names (`s1`). What
//! one seat reads of another never names it; agents' names come back in the [`Outcome`].

mod blocks;
mod judgement;
mod result;

pub use blocks::{
    Ballot, CompositionBlock, Content, CrossReviewBlock, Eliminate, Finding, Judgement, KeptGroup,
    Merge, ReviewBlock, Severity, Stance, ValidationBlock,
};
pub use judgement::{
    AuthoredFinding, Distance, Group, LocatedFinding, Location, ReviewOutcome, SeatJudgement,
    Status, Verdict,
};
pub use result::{
    Agreement, DecisionKind, EliminatedFinding, EliminatedStatus, FinalFinding, JudgementRecord,
    Outcome, ReportedFinding, ScoreBreakdown, SuppressedFinding, SuppressionReason,
    ValidationRecord, ValidationResult,
};
