//! The journal as data: what its records say, how one stands in a line, and what all of them come to. The file that holds it is
//! the program's matter.

pub mod attempt;
pub mod key;
pub mod ledger;
pub mod record;
pub mod wire;
