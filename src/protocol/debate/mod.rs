//! The common parts of all styles of a topic debate: the brief, the agents' statements, the consensus measure, the
//! outcome.
//!
//! # Theory of operation
//!
//! `debate` settles one question in one of three styles, each a protocol of its own: [`super::topic`] (a dialogue of
//! two and an expert), [`super::argument`] (typed arguments under a table of what may follow what) and
//! [`super::panel`] (a council that votes). They share:
//!
//! | module | what |
//! |---|---|
//! | [`brief`] | the question and its context: topic, context files, options, tone |
//! | [`input`] | what a debate is opened from |
//! | [`mode`] | the tone in which the debate is conducted |
//! | [`model`] | the agents' statements: positions, stances, judgements |
//! | [`typed`] | typed arguments, their evidence, metrics and resolution |
//! | [`ballot`] | answers and votes of a panel |
//! | [`consensus`] | the measure of agreement: stances decide, the likeness of texts is recorded along with them |
//! | [`outcome`] | the outcome of a debate, in the same form for every style |
//! | [`contract`] | the blocks that all styles ask for |
//! | [`reply`] | the reading of blocks as positions, stances and judgements |
//!
//! Two signals are kept apart everywhere. *Stances* are the agents' judgements on each other's points, by id; they
//! decide. The *likeness of texts* shows that two texts are on the same subject, but cannot tell "we should" from "we
//! should not"; it is recorded, and if the two signals conflict, the check reports it.

pub mod ballot;
pub mod brief;
pub mod consensus;
pub mod contract;
pub mod input;
pub mod mode;
pub mod model;
pub mod outcome;
pub mod reply;
pub mod typed;

/// The role in which a person is asked.
pub const PERSON: &str = "person";

pub use brief::{Brief, BriefError};
pub use input::{Input, Style};
pub use mode::Mode;
pub use model::{Judgement, Point, Position, Ruling, Stance, StanceEntry, Stances};
pub use outcome::{DebateOutcome, Outcome, Status, Verdict};
