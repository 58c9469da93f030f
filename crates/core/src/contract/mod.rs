//! Contracts: how an agent is asked for blocks, how its reply is read, and which input a program may give.
//!
//! Each protocol declares its blocks next to its types ([`declare!`](crate::declare)), as the MCP server does with
//! the arguments of its tools.
//!
//! | module | what |
//! |---|---|
//! | [`field`] | a field: its key, its kind, how much depends on it |
//! | [`outline`] | a block without its type: its name and content |
//! | [`block`] | a block with the type it is read into |
//! | [`read`] | reading a field by its kind, and the declaration of an object |
//! | [`exact`] | input from a program, accepted exactly or refused |
//! | [`generous`] | the other forms in which models write |
//! | [`Entry`] | one object while it is read: its faults and notes |
//! | [`Diagnostics`] | one block after it was read: its ids, notes and problems |
//! | [`reply`] | a reply: its blocks are found, read and judged together |
//! | [`template`] | the text that asks for blocks |
//! | [`sample`] | valid answers, for stand-ins and tests |
//!
//! `field`, `read`, `entry` and `exact` are one recursion in four files: a field is read by its kind within an entry,
//! and the entries of a list are such a kind. `generous` knows only declarations and values. The others build on
//! them, each only on those before it: `outline`, `template`, `judge`, `block`, `reply`.

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
pub use judge::Diagnostics;
pub use read::Declaration;
pub use reply::{ReplyReader, ReplyRules};

/// Lists at most ten names, each cut to the length of an id, and the number of the others.
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
