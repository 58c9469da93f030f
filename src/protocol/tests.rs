//! What holds of every protocol.

mod blocks;
mod quotation;
