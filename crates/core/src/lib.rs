//! The pure part of `debate-agent`: no clock, file, process, variable or network, and nothing of the program around it.
//!
//! | module | what it is | uses |
//! |---|---|---|
//! | [`text`] | markers, strict JSON, ids, fences, redaction, sanitizing, text similarity | |
//! | [`mod@change`] | a diff as files, hunks and batches, with the parts that are not shown | `text` |
//! | [`kernel`] | the contract between a protocol and the engine, and the types that all protocols share | `text` |
//! | [`contract`] | how agents are asked for blocks and how their replies are read; input from programs | `kernel`, `text` |
//! | [`journal`] | the journal of a session as data: its records, their lines, their fold | `kernel`, `text` |
//! | [`ordered`] | maps and sets in order, for every module | |
//!
//! Cargo ensures that nothing here depends on the program; `tests/it/tidy.rs`, at the root of the repository, checks
//! the dependencies between the five modules. The root's `lib.rs` has the map of the whole, and re-exports these five
//! modules under their own names.

pub mod contract;
pub mod journal;
pub mod kernel;

// Public for the program alone.
#[doc(hidden)]
pub mod change;
#[doc(hidden)]
pub mod ordered;
#[doc(hidden)]
pub mod text;
