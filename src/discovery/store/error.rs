//! Why the backlog could not be read or changed, and how to fix it.

use std::io;
use std::path::{Path, PathBuf};

use crate::protocol::backlog::intake::IntakeError;
use crate::session::Holder;

/// Why the backlog could not be read or changed. In every case the file is unchanged.
#[derive(Debug, thiserror::Error)]
pub enum BacklogError {
    #[error("failed to {doing} {}: {source}{}", path.display(), mend(source))]
    Io {
        /// The operation: `write`, `read`, `create`.
        doing: &'static str,
        path: PathBuf,
        source: io::Error,
    },
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
    #[error("{} is {found}, not {wanted}; move it away (symbolic links are not followed here)", path.display())]
    WrongKind {
        path: PathBuf,
        /// The expected kind: `a directory`.
        wanted: &'static str,
        /// The kind found: `a symbolic link`.
        found: &'static str,
    },
    #[error("the backlog's folder `{folder}` is outside {}; set `paths.backlog` to a folder of the project", root.display())]
    Outside { folder: String, root: PathBuf },
    #[error("{} would have {bytes} bytes, more than the {limit} that are read and written; remove finished items", path.display())]
    TooLarge { path: PathBuf, bytes: u64, limit: u64 },
    #[error(
        "{} is held by {}; waited {waited_seconds} s: wait for it to end, or stop it",
        path.display(),
        holder.as_ref().map_or_else(|| "another process".to_owned(), Holder::to_string)
    )]
    Locked { path: PathBuf, holder: Option<Holder>, waited_seconds: u64 },
    #[error(
        "{} cannot be locked: its file system has no locks, so two runs could lose each other's changes; move the project to a local disk",
        path.display()
    )]
    LockUnsupported { path: PathBuf },
    #[error("{} is not a record of a partner debate: {why}; it was left unchanged", path.display())]
    NotADebate { path: PathBuf, why: String },
    #[error("`{id}` is the start of {count} records in {}; give more of the id", dir.display())]
    Ambiguous { id: String, count: usize, dir: PathBuf },
    #[error("the change was not made, since it could not be read back: {0}")]
    Unwritable(String),
}

impl BacklogError {
    /// Creates the closure for `map_err` on a file system operation.
    pub(super) fn io(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io { doing, path: path.to_owned(), source }
    }
}

/// Returns advice on the system's most common errors.
fn mend(source: &io::Error) -> &'static str {
    if source.kind() == io::ErrorKind::StorageFull || source.kind() == io::ErrorKind::QuotaExceeded
    {
        "; free some space and try again: the backlog is unchanged"
    } else if source.kind() == io::ErrorKind::PermissionDenied
        || source.kind() == io::ErrorKind::ReadOnlyFilesystem
    {
        "; make the folder readable and writable, or set `paths.backlog` to another one"
    } else {
        ""
    }
}
