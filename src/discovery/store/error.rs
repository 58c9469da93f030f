//! Why the backlog could not be read or changed, and how to fix it.

use std::io;
use std::path::{Path, PathBuf};

use crate::protocol::backlog::intake::IntakeError;
use crate::session::Holder;

/// Why the backlog could not be read or changed. In every case the file is unchanged.
#[derive(Debug, thiserror::Error)]
pub enum BacklogError {
    /// An operation on the file system failed.
    #[error("failed to {doing} {}: {source}{}", path.display(), mend(source))]
    Io {
        /// The operation: `write`, `read`, `create`.
        doing: &'static str,
        /// Its path.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The file cannot be parsed.
    #[error(
        "the backlog cannot be read: {0}; the file was left unchanged; fix that line by hand, or restore it from version control"
    )]
    Unreadable(#[from] IntakeError),
    /// The file is not an object with `opportunities`.
    #[error(
        "{}:1:1: the backlog must be an object with `opportunities`, not {found}; it was left unchanged: `debate-agent prioritize` ranks such a file, but only an object can be the store",
        path.display()
    )]
    NotAStore {
        /// The file.
        path: PathBuf,
        /// The kind of JSON found instead.
        found: &'static str,
    },
    /// There is something else in place of a file or directory.
    #[error("{} is {found}, not {wanted}; move it away (symbolic links are not followed here)", path.display())]
    WrongKind {
        /// Its path.
        path: PathBuf,
        /// The expected kind: `a directory`.
        wanted: &'static str,
        /// The kind found: `a symbolic link`.
        found: &'static str,
    },
    /// The configured folder is outside the project.
    #[error("the backlog's folder `{folder}` is outside {}; set `paths.backlog` to a folder of the project", root.display())]
    Outside {
        /// The setting.
        folder: String,
        /// The project's root.
        root: PathBuf,
    },
    /// A file larger than the maximum.
    #[error("{} would have {bytes} bytes, more than the {limit} that are read and written; remove finished items", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// Its size, or the limit if it was not counted further.
        bytes: u64,
        /// The limit.
        limit: u64,
    },
    /// Another process is changing the backlog, and did not finish in time.
    #[error(
        "{} is held by {}; waited {waited_seconds} s: wait for it to end, or stop it",
        path.display(),
        holder.as_ref().map_or_else(|| "another process".to_owned(), Holder::to_string)
    )]
    Locked {
        /// The lock file.
        path: PathBuf,
        /// The holder, if the file names it.
        holder: Option<Holder>,
        /// How long we waited, in seconds.
        waited_seconds: u64,
    },
    /// The file system does not support locks.
    #[error(
        "{} cannot be locked: its file system has no locks, so two runs could lose each other's changes; move the project to a local disk",
        path.display()
    )]
    LockUnsupported {
        /// The lock file.
        path: PathBuf,
    },
    /// The record of a partner debate cannot be parsed.
    #[error("{} is not a record of a partner debate: {why}; it was left unchanged", path.display())]
    NotADebate {
        /// The file.
        path: PathBuf,
        /// The fault, and its location.
        why: String,
    },
    /// Several debate records match.
    #[error("`{id}` is the start of {count} records in {}; give more of the id", dir.display())]
    Ambiguous {
        /// The prefix given.
        id: String,
        /// The number of matches.
        count: usize,
        /// The folder of the records.
        dir: PathBuf,
    },
    /// A change would make the file unreadable, so it was not made.
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
