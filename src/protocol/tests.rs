//! What holds of every protocol.

mod quotation;
