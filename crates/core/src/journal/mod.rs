//! The journal as data: its records, their lines, and their fold. The file itself is the program's business, not this
//! crate's.

pub mod attempt;
pub mod key;
pub mod ledger;
pub mod record;
pub mod wire;
