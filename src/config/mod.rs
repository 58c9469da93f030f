//! The configuration: schema, layers with provenance, trust.
//!
//! [`load::load`] reads the layers (embedded default, user's file, project's file, `--config FILE`, `DEBATE_AGENT_*`,
//! flags), lays each over the one below and remembers the source of every value. Each layer is judged by itself
//! first, so that a fault is reported at its position even if a higher layer would hide it; rules about the whole
//! (does the role's agent exist?) are judged at the end. [`trust::check`] then decides whether the *project's* values
//! may act; nothing of the project runs before.

/// Takes a section's defaults from the embedded file, at a JSON pointer.
macro_rules! section {
    ($section:ty, $pointer:literal) => {
        impl Default for $section {
            fn default() -> Self {
                $crate::config::embedded($pointer)
            }
        }
    };
}

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
pub mod set;
pub(crate) mod setting;
pub mod sinks;
pub mod store;
#[cfg(test)]
pub(crate) mod tests;
pub mod trust;
pub mod validate;
pub mod vars;
mod words;

use std::sync::LazyLock;

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::text::json::typed;

pub use error::ConfigError;
pub use layers::{Layer, Source};
pub use load::{Effective, Flag, Request, load};
pub use schema::Config;

/// The default configuration: the file at the root of this repository.
pub const EMBEDDED: &str = include_str!("../../debate-agent.config.json");

/// The parsed default configuration.
static DEFAULT: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(EMBEDDED).unwrap_or_default());

/// Reads a part of the default configuration.
#[expect(clippy::expect_used, reason = "the embedded file has all of it: a test reads each part")]
fn embedded<T: DeserializeOwned>(pointer: &str) -> T {
    let part = DEFAULT.pointer(pointer).expect("the default has the section");
    typed(part).expect("the default has the section's form")
}

/// File name of a project's configuration.
pub const FILE_NAME: &str = "debate-agent.config.json";
