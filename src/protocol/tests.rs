//! What holds of every protocol.

mod blocks;
mod forms;
mod quotation;
