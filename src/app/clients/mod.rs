//! Registers this program as an MCP server with the clients that a person has, and tells where it stands.
//!
//! # Theory of operation
//!
//! ```text
//!   places (facts) --> entry (what stands there) --> own command of the client, or edit + disk --> entry again
//! ```
//!
//! * A client that has a command for it is told by that command, since it alone knows its files (with one exception, see
//!   `places`); the others have one JSON file, in which one entry is edited (`edit`) with a backup and an atomic rename (`disk`).
//! * Codex and Gemini CLI overwrite an entry of the same name without a word, and both say "removed" with exit code 0 where
//!   nothing was; so what stands there is read first and judged here: the same is left alone, another is refused and shown.
//! * What a client says of its success is not believed: its file is read again, and must hold the entry.
//! * Only what this program knows becomes an argument: its own path, two constants, and a name and scope of the command line.
//! * `status` starts what the user's own files register, and what a project's files register only if it is this very binary
//!   with the arguments of ours, because such a file comes with a clone; `--probe` is the user's word to start it all the same.

mod change;
mod disk;
pub(crate) mod edit;
mod entry;
mod own_program;
mod places;
mod start;
mod status;

pub use change::{Request, install, uninstall};
pub use status::status;
