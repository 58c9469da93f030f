//! Typed arguments: proposal, challenge, defense, counter, resolution, under a table of what may follow what.

pub mod content;
pub mod course;
pub mod input;
pub mod legality;
pub mod metrics;

pub use input::{Input, Settings, Sources};
