//! Contracts: how an agent is asked for blocks, and how its reply is read.
//!
//! Each protocol declares its blocks next to its types ([`declare!`](crate::declare)).
//!
//! | module | what |
//! |---|---|
//! | [`field`] | a field: its key, its kind, how much depends on it |
//! | [`outline`] | a block without its type: its name and content |
//! | [`block`] | a block with the type it is read into |
//! | [`read`] | reading a field by its kind, and the declaration of an object |
//! | [`generous`] | the other forms in which models write |
//! | [`Entry`] | one object while it is read: its faults and notes |
//! | [`Diagnostics`] | one block after it was read: its ids, notes and problems |
//! | [`reply`] | a reply: its blocks are found, read and judged together |
//! | [`template`] | the text that asks for blocks |
//!
//! `field`, `read` and `entry` are one recursion in three files: a field is read by its kind within an entry,
//! and the entries of a list are such a kind. `generous` knows only declarations and values. The others build on
//! them, each only on those before it: `outline`, `template`, `judge`, `block`, `reply`.
//!
//! # Example
//!
//! A block is declared, asked for, and read out of a reply. A program that declares [words](crate::words) of its own
//! depends on `serde` and `schemars` for them.
//!
//! ```
//! use debate_core::contract::field::{line, texts, whole};
//! use debate_core::contract::{Block, Defect, Note, RawReply, ReplyReader, ReplyRules, block, template};
//!
//! debate_core::declare! {
//!     /// What a tester says of a build.
//!     struct BuildReport {
//!         /// How it went.
//!         summary: String = line(80).shown("<one line>"),
//!         /// How good it is, 1 to 5.
//!         rating: u8 = whole(1, 5),
//!         /// The tests that failed.
//!         failed: Vec<String> = texts(20, 200).shown("<name of a test>"),
//!     }
//! }
//!
//! const BUILD: Block<BuildReport> = block::object("BUILD");
//!
//! fn read(reply: &str) -> Result<(BuildReport, Vec<Note>), Defect> {
//!     let reply = RawReply { bytes: reply.into(), cut: false };
//!     let mut reader = ReplyReader::of(&reply, &[&BUILD.outline], ReplyRules::default())?;
//!     let report = reader.read(&BUILD, |_, report| Some(report));
//!     reader.close(report)
//! }
//!
//! // The last part of the prompt.
//! let asked = template::ask(&[&BUILD.outline], &["A flaky test counts as failed."]);
//! let shown = r#"{"summary": "<one line>", "rating": <1 to 5>, "failed": ["<name of a test>", ...]}"#;
//! assert!(asked.contains(shown), "{asked}");
//!
//! // Another form of a number is read, and noted.
//! let reply = r#"It went well.
//! <<<BUILD_START>>>
//! {"summary": "Green", "rating": "4/5", "failed": []}
//! <<<BUILD_END>>>"#;
//! let (report, notes) = read(reply)?;
//! assert_eq!((&*report.summary, report.rating, report.failed.len()), ("Green", 4, 0));
//! assert_eq!(notes[0].code, "number_normalised");
//!
//! // A defect says how to repair the reply.
//! let defect = read(&reply.replace("4/5", "nine")).map(drop).unwrap_err();
//! assert_eq!(defect.to_string(), "BUILD: `rating` must be a whole number from 1 to 5, not `nine`");
//! # Ok::<(), Defect>(())
//! ```

// A door of the library: see docs/library.md.
#![warn(missing_docs)]

pub mod block;
mod entry;
pub mod field;
pub mod generous;
mod judge;
pub mod outline;
pub mod read;
pub mod reply;
#[cfg(test)]
pub(crate) mod sample;
pub mod template;

pub use block::Block;
pub use entry::Entry;
pub use judge::Diagnostics;
pub use read::Declaration;
pub use reply::{ReplyReader, ReplyRules};

// What the kit's own signatures mention.
pub use crate::kernel::{Chance, Defect, RawReply};
pub use crate::text::{Note, Problem};

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
