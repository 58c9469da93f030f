//! The dialogue: two participants and, when they cannot agree, an expert.

pub mod input;

pub use input::{Input, Settings};
