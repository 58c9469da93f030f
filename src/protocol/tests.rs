//! Tests of all protocols.

pub(crate) mod blocks;
mod forms;
mod prompts;
mod quotation;
#[path = "../../crates/core/src/contract/sample.rs"]
pub(crate) mod sample;
