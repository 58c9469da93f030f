//! Contracts: how an agent is asked for blocks, and how its reply is read; and what a program may give.
//!
//! Which blocks there are, and what they hold, each protocol declares beside its types ([`declare!`](crate::declare)), and so does
//! the MCP server with the arguments of its tools.
//!
//! | module | what |
//! |---|---|
//! | [`field`] | a field: its key, its kind, what it decides |
//! | [`outline`] | a block without its type: its name, what stands in it |
//! | [`block`] | a block with the type that reading it gives |
//! | [`read`] | reading a field by its kind, and the declaration of an object |
//! | [`exact`] | what a program gives, taken exactly or refused |
//! | [`generous`] | the forms besides the asked one in which models write |
//! | [`Entry`] | one object while it is read: its faults and notes |
//! | [`Judge`] | one block after it was read: ids that were shown, what is wrong with it |
//! | [`reply`] | a reply: its blocks are found, read and judged together |
//! | [`template`] | the text that asks for blocks |
//! | [`sample`] | valid answers, for stand-ins and tests |
//!
//! `field`, `read`, `entry` and `exact` are one recursion in four files: a field is read by its kind within an entry, and the entries
//! of a list are such a kind. `generous` knows declarations and values alone. The others stand above them, each only on those
//! before it: `outline`, `template`, `judge`, `block`, `reply`.

pub mod block;
mod entry;
pub mod exact;
pub mod field;
pub mod generous;
mod judge;
pub mod outline;
pub mod read;
pub mod reply;
pub mod sample;
pub mod template;

pub use block::Block;
pub use entry::Entry;
pub use judge::Judge;
pub use read::Declared;
pub use reply::{Reading, Terms};

/// Names at most ten, each as long as an id can be, and how many more there are.
pub fn some_of(items: &[&str]) -> String {
    let mut text: Vec<String> =
        items.iter().take(10).map(|item| crate::text::sanitize::line(item, 128)).collect();
    if items.len() > text.len() {
        text.push(format!("and {} more", items.len() - text.len()));
    }
    text.join(", ")
}

#[cfg(test)]
mod tests;
