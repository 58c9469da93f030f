//! Contracts: how an agent is asked for blocks, and how its reply is read.
//!
//! Which blocks there are, and what they hold, each protocol says itself.
//!
//! | module | what |
//! |---|---|
//! | [`template`] | the text that asks for blocks |
//! | [`reply`] | a reply: its blocks are found, read and judged together |
//! | [`Judge`] | one block: lists of entries, texts, ids that were shown |
//! | [`Fields`] | one entry of a list: typed access to its fields |
//! | [`lines`] | a list of short texts |

pub mod block;
mod entry;
pub mod field;
mod fields;
mod judge;
pub mod lines;
pub mod read;
pub mod reply;
pub mod sample;
pub mod template;

pub use block::Block;
pub use entry::Entry;
pub use fields::Fields;
pub use judge::{Judge, some_of};
pub use read::Declared;
pub use reply::{Reading, Terms};

#[cfg(test)]
mod tests;
