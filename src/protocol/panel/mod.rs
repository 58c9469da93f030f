//! The panel: answers alone, blind votes, a cross round, a judge in both orders.

pub mod input;

pub use input::{Input, Judge, Settings};
