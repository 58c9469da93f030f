//! What the styles of a topic debate have in common: what is debated, what agents say, how consensus is measured, how it ended.
//!
//! # Theory of operation
//!
//! `debate` settles one question in one of three styles, each a protocol of its own:
//! [`super::topic`] (a dialogue of two and an expert), [`super::argument`] (typed arguments under a
//! table of what may follow what) and [`super::panel`] (a council that votes). They share:
//!
//! | module | what |
//! |---|---|
//! | [`brief`] | what is debated: topic, context files, options, the tone |
//! | [`mode`] | how it is led |
//! | [`model`] | positions, stances, judgements: what agents say |
//! | [`typed`] | typed arguments, their evidence, metrics and resolution |
//! | [`ballot`] | answers and votes of a panel |
//! | [`consensus`] | how agreement is measured: stances decide, the texts' likeness is recorded beside |
//! | [`outcome`] | how a debate ended, for every style the same |
//! | [`contract`] | the blocks that all styles ask for, their limits, the text that asks for them |
//! | [`reply`] | how blocks become positions, stances and judgements |
//! | [`prompt`] | the part of a prompt that all turns share, and how data of a turn is shown |
//!
//! Two signals are kept apart everywhere. *Stances* are what agents say of each other's points, by id; they
//! decide. The *likeness of texts* says that two texts are on the same thing, and cannot tell "we should" from
//! "we should not"; it is recorded, and where the two clash the check says so.

pub mod ballot;
pub mod brief;
pub mod consensus;
pub mod contract;
pub mod mode;
pub mod model;
pub mod outcome;
pub mod prompt;
pub mod reply;
pub mod typed;

/// The role in which a person is asked for a remark between rounds.
pub const PERSON: &str = "person";

pub use brief::{Brief, BriefError, ContextFile};
pub use mode::Mode;
pub use model::{Judgement, Point, Position, Ruling, Stance, StanceEntry, Stances};
pub use outcome::{DebateOutcome, Outcome, Status, Verdict};
