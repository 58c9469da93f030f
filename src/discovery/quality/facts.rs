//! The facts about one file's text, kept for the next run.

use serde::{Deserialize, Serialize};

/// A function, as stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct FunctionFacts {
    pub(super) name: String,
    pub(super) line: u32,
    pub(super) complexity: u32,
    pub(super) cases: u32,
    pub(super) is_test: bool,
}

/// The facts about one text: the same for the same bytes and language.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Facts {
    pub(super) generated: bool,
    pub(super) lines: u32,
    /// Number of lines that are neither empty nor comments.
    pub(super) code_lines: u32,
    /// Whether it contains its own tests.
    pub(super) tests_inside: bool,
    /// Its functions; empty unless the language is supported.
    pub(super) functions: Vec<FunctionFacts>,
}
