//! The pure part of `debate-agent`: no clock, file, process, variable or network, and nothing of the program around it.
//!
//! | module | what it is | uses |
//! |---|---|---|
//! | [`text`] | markers, strict JSON, ids, fences, redaction, sanitizing, the likeness of texts | |
//! | [`mod@change`] | a diff as files, hunks and batches, and what of it nobody is shown | `text` |
//! | [`kernel`] | the contract between a protocol and the engine, and the words that all protocols share | `text` |
//! | [`contract`] | how agents are asked for blocks, and how their replies are read; what a program may give | `kernel`, `text` |
//! | [`journal`] | the journal of a session as data: its records, their lines, what they come to | `kernel`, `text` |
//!
//! That nothing here knows the program, Cargo holds; the arrows between the five and the rest of it `tests/it/tidy.rs` holds, at the root
//! of the repository. There `lib.rs` has the map of the whole, and hands these five modules on under their own names.

pub mod change;
pub mod contract;
pub mod journal;
pub mod kernel;
pub mod text;
