//! Files that a person gives along with a question or a task.

use serde::{Deserialize, Serialize};

/// Maximum number of context files.
pub const MAX_FILES: usize = 20;
/// Maximum size of all context files together, in bytes; anything beyond is cut, with a note.
pub const CONTEXT_BYTES: usize = 400_000;

/// A file shown to the agents, as it was when the session was opened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContextFile {
    /// The file's name as the person gave it.
    pub name: String,
    /// The file's text, redacted; only the first part if `cut`.
    pub text: String,
    /// Whether the end is missing.
    #[serde(default)]
    pub cut: bool,
}
