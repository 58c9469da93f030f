//! What holds of every protocol.

pub(crate) mod blocks;
mod forms;
mod quotation;
