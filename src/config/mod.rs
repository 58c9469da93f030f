//! The configuration: schema, layers with provenance, trust.
//!
//! [`load::load`] reads the layers (embedded default, user's file, project's
//! file, `--config FILE`, `DEBATE_AGENT_*`, flags), lays each over the one
//! below and remembers for every value where it came from. Each layer is judged
//! by itself first, so that a fault is reported where it stands even if a
//! higher layer would hide it; what needs the whole (does the role's agent
//! exist?) is judged at the end. [`trust::check`] then says whether what the
//! *project* brings may act; nothing of it runs before.

pub mod agents;
pub mod debate;
pub mod discovery;
pub mod discuss;
pub mod document;
pub mod error;
pub mod file;
mod judge;
pub mod key;
pub mod layers;
pub mod limits;
pub mod load;
pub mod mcp;
pub mod review;
pub mod schema;
pub mod sinks;
pub mod store;
mod survey;
#[cfg(test)]
pub(crate) mod tests;
pub mod trust;
pub mod validate;
pub mod vars;
mod words;

pub use error::ConfigError;
pub use layers::{Layer, Source};
pub use load::{Effective, Flag, Request, load};
pub use schema::Config;

/// The default configuration: the file at the root of this repository.
pub const EMBEDDED: &str = include_str!("../../debate-agent.config.json");

/// The name of a project's configuration.
pub const FILE_NAME: &str = "debate-agent.config.json";
