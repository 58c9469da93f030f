//! Typed arguments: proposal, challenge, defense, counter, resolution, under a table of what may follow what.

pub mod content;
pub mod contract;
pub mod course;
pub mod evidence;
pub mod input;
pub mod legality;
pub mod metrics;
pub mod prompt;
pub mod reply;
#[cfg(test)]
pub(crate) mod testing;

pub use input::{Input, Settings, Sources};
