//! The files of a working tree, as far as they are the project's own.

use std::path::PathBuf;

use chrono::{DateTime, Utc};

/// A file of the working tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeFile {
    /// Relative to the root; the bytes of the file system.
    pub path: PathBuf,
    /// The same as text, `/` between its parts, bytes that are not UTF-8 as `\xNN`.
    pub name: String,
    /// Its size.
    pub bytes: u64,
    /// When it was last changed.
    pub modified: DateTime<Utc>,
}

/// The files of a working tree, sorted by path.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tree {
    /// Absolute.
    pub root: PathBuf,
    /// The project's own files.
    pub files: Vec<TreeFile>,
}
