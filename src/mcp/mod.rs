//! The MCP server: the use cases of [`crate::app`] as tools, for the assistants that a person already works with.
//!
//! # Theory of operation
//!
//! ```text
//!   descriptor 0 ─ reader thread ─ lines ─┐                     ┌─ worker (cheap tools, one blocking call)
//!                                         ├─ rpc (rmcp) ─ server ┤
//!   descriptor 1 ─ writer thread ─────────┘      │              └─ run: a thread with a runtime of its own (debates)
//!      (moved away: only the writer has it)      └ progress, cancellation
//! ```
//!
//! * `rpc` is the only module that knows `rmcp` and JSON-RPC. Everything else speaks in `tool`s, their arguments
//!   and `Answer`s.
//! * A tool is data: its name, its words, the type of its arguments (`calls`, listed in `table`). The schema that clients
//!   see derives from that type, and a call is held against it (`arguments`). It contains nothing from a configuration.
//! * A debate is a `Run` (`runs`): it goes on when the call that began it has waited long enough, and ends when it is
//!   cancelled, when the client goes away or when the server is stopped. No run outlives the server.
//! * Money: `cap` bounds the spending of one server process, from the user's own configuration.
//! * Paths: `places` decides which folders a client may name.
//!
//! A client can choose what is debated. It cannot choose a program, a flag, a variable, a budget or a root.

mod answer;
mod arguments;
mod aside;
mod calls;
mod cap;
mod compact;
mod find;
mod places;
mod prompts;
mod rpc;
mod runs;
mod schema;
mod serve;
mod server;
mod shutdown;
mod streams;
mod table;
mod tool;
mod wait;

pub(crate) use serve::serve;
