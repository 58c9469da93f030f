//! The journal as data: its records, their lines, and their fold. The program handles the file.

pub mod attempt;
pub mod key;
pub mod ledger;
pub mod record;
pub mod wire;
