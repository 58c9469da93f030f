//! Why the backlog could not be read or changed, and how to fix it.

use std::path::PathBuf;

use crate::protocol::backlog::intake::IntakeError;
use crate::session::StoreError;

/// Why the backlog could not be read or changed. In every case the file is unchanged.
#[derive(Debug, thiserror::Error)]
pub enum BacklogError {
    /// The file cannot be read, locked or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(
        "the backlog cannot be read: {0}; the file was left unchanged; fix that line by hand, or restore it from version control"
    )]
    Unreadable(#[from] IntakeError),
    /// The file is not an object with `opportunities`.
    #[error(
        "{}:1:1: the backlog must be an object with `opportunities`, not {found}; it was left unchanged: `debate-agent prioritize` ranks such a file, but only an object can be the store",
        path.display()
    )]
    NotAStore { path: PathBuf, found: &'static str },
    #[error("the backlog's folder `{folder}` is outside {}; set `paths.backlog` to a folder of the project", root.display())]
    Outside { folder: String, root: PathBuf },
    #[error("{} is not a record of a partner debate: {why}; it was left unchanged", path.display())]
    NotADebate { path: PathBuf, why: String },
    #[error("`{id}` is the start of {count} records in {}; give more of the id", dir.display())]
    Ambiguous { id: String, count: usize, dir: PathBuf },
    #[error("the change was not made, since it could not be read back: {0}")]
    Unwritable(String),
}
