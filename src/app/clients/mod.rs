//! Registers this program as an MCP server with the user's clients, and reports where it is registered.
//!
//! # Theory of operation
//!
//! ```text
//!   places (facts) --> entry (the current one) --> own command of the client, or edit + disk --> entry again
//! ```
//!
//! * A client with a command for registering is changed through that command, since only the client knows its own
//!   files (with one exception, see `places`); each of the others has one JSON file, in which one entry is edited
//!   (`edit`) with a backup and an atomic rename (`disk`).
//! * Codex and Gemini CLI silently overwrite an entry of the same name, and both print "removed" with exit code 0 if
//!   there was none; so the existing entry is read first and judged by this program: the same entry is left alone,
//!   another one is refused and shown.
//! * A client's own report of success is not trusted: its file is read again and must contain the entry.
//! * The arguments consist only of values known to this program: its own path, two constants, and a name and scope
//!   from the command line.
//! * `status` starts what the user's own files register, but what a project's files register only if it is this very
//!   binary with this program's own arguments, because such a file comes with a clone; with `--probe` the user asks
//!   to start it anyway.

mod change;
mod disk;
pub(crate) mod edit;
mod entry;
mod own_program;
mod places;
mod start;
mod status;

pub(crate) use change::{Request, install, uninstall};
pub(crate) use status::status;
