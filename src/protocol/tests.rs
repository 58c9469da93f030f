//! Tests of all protocols.

pub(crate) mod blocks;
mod forms;
mod quotation;
