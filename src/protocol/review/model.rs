//! The agents' statements (`blocks`), what the rules derive from them (`judgement`), and the contents of a result
//! (`result`).
//!
//! A *seat* is an agent's place in the panel, counted from 0 in code and from 1 in names (`s1`). Text shown to one
//! seat never names another; the agents' names return in the [`Outcome`].

mod blocks;
mod judgement;
mod result;

pub use crate::protocol::council::{Ballot, Status, Tally, ValidationBlock, ValidationResult};
pub use blocks::{
    CompositionBlock, Content, CrossReviewBlock, Eliminate, Finding, Judgement, KeptGroup, Merge,
    ReviewBlock, Severity, Stance,
};
pub(super) use blocks::{LINES, ONLY, TRIGGER};
pub use judgement::{
    AuthoredFinding, Distance, Group, LocatedFinding, Location, SeatJudgement, Verdict,
};
pub use result::{
    Agreement, DecisionKind, EliminatedFinding, EliminatedStatus, FinalFinding, JudgementRecord,
    Outcome, RepeatRecord, ReportedFinding, ReviewFindings, ScoreBreakdown, SuppressedFinding,
    SuppressionReason, ValidationRecord,
};
