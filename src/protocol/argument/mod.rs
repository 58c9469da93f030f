//! Typed arguments: proposal, challenge, defense, counter, resolution, under a table of what may follow what.

pub mod input;
pub mod legality;

pub use input::{Input, Settings, Sources};
