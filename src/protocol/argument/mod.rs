//! Typed arguments: proposal, challenge, defense, counter, resolution, under a table of what may follow what.

pub mod content;
pub mod contract;
pub mod course;
pub mod debate;
pub mod evidence;
pub mod input;
pub mod legality;
pub mod machine;
pub mod metrics;
mod outcome;
pub mod prompt;
pub mod reply;
mod resolve;
#[cfg(test)]
pub(crate) mod testing;

pub use input::{Input, InputError, Settings, Sources};
pub use machine::Machine;
pub use reply::Reply;
