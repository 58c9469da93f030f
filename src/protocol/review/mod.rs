//! Code review: independent, blind, cross-examined, scored by rules.

pub mod agreement;
pub mod compose;
pub mod confidence;
pub mod fingerprint;
pub mod group;
pub mod input;
pub mod locate;
pub mod model;
#[cfg(test)]
mod samples;
pub mod score;
pub mod status;
pub mod validate;
pub mod verdict;

pub use input::{Input, Settings};
pub use model::*;
