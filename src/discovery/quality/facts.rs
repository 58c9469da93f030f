//! What is learned from one file's text, and kept for the next run.

use serde::{Deserialize, Serialize};

/// A function, as it is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Measured {
    pub(super) name: String,
    pub(super) line: u32,
    pub(super) complexity: u32,
    pub(super) cases: u32,
    pub(super) is_test: bool,
}

/// What one file's text says: the same for the same bytes and language.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Facts {
    /// Whether a program wrote it.
    pub(super) generated: bool,
    /// Its lines.
    pub(super) lines: u32,
    /// Its lines that are neither empty nor comments.
    pub(super) code_lines: u32,
    /// Whether it brings its own tests.
    pub(super) tests_inside: bool,
    /// Its functions; empty where the language is none of the six.
    pub(super) functions: Vec<Measured>,
}
