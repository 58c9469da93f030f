//! Code review: independent, blind, cross-examined, scored by rules.

pub mod input;
pub mod model;
pub mod platform;

pub use input::{Input, Settings};
pub use model::*;
