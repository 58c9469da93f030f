//! Why the backlog could not be read or changed, and how to mend it.

use std::io;
use std::path::{Path, PathBuf};

use crate::protocol::backlog::intake::IntakeError;
use crate::session::Holder;

/// Why the backlog could not be read or changed. In every case the file is as it was.
#[derive(Debug, thiserror::Error)]
pub enum BacklogError {
    /// An operation on the file system failed.
    #[error("failed to {doing} {}: {source}{}", path.display(), mend(source))]
    Io {
        /// What was done: `write`, `read`, `create`.
        doing: &'static str,
        /// To what.
        path: PathBuf,
        /// The system's answer.
        source: io::Error,
    },
    /// The file cannot be understood.
    #[error(
        "the backlog cannot be read, and was left as it is: {0}; mend that place by hand, or restore the file from version control"
    )]
    Unreadable(#[from] IntakeError),
    /// The file is no object with `opportunities`.
    #[error(
        "{}:1:1: the backlog must be an object with `opportunities`, not {found}; it was left as it is: `debate-agent prioritize` ranks such a file, but only an object can be the store",
        path.display()
    )]
    NotAStore {
        /// The file.
        path: PathBuf,
        /// What it is instead.
        found: &'static str,
    },
    /// Something else stands where a file or directory must be.
    #[error("{} is {found}, not {wanted}; move it away (symbolic links are not followed here)", path.display())]
    WrongKind {
        /// Where.
        path: PathBuf,
        /// What must stand there: `a directory`.
        wanted: &'static str,
        /// What stands there: `a symbolic link`.
        found: &'static str,
    },
    /// The configured folder is not within the project.
    #[error("the backlog's folder `{folder}` lies outside of {}; set `paths.backlog` to a folder of the project", root.display())]
    Outside {
        /// The setting.
        folder: String,
        /// The project's root.
        root: PathBuf,
    },
    /// More than is read or written.
    #[error("{} would have {bytes} bytes, more than the {limit} that are read and written; remove items that are done with", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// Its size; the limit where it was not counted further.
        bytes: u64,
        /// The limit.
        limit: u64,
    },
    /// Another process is changing the backlog, and did not end in time.
    #[error(
        "{} is held by {}; waited {waited_seconds} s: wait for it to end, or stop it",
        path.display(),
        holder.as_ref().map_or_else(|| "another process".to_owned(), Holder::to_string)
    )]
    Locked {
        /// The lock file.
        path: PathBuf,
        /// Who holds it, if the file says so.
        holder: Option<Holder>,
        /// How long we waited.
        waited_seconds: u64,
    },
    /// The file system has no locks.
    #[error(
        "{} cannot be locked: its file system has no locks, so two runs could lose each other's changes; move the project to a local disk",
        path.display()
    )]
    LockUnsupported {
        /// The lock file.
        path: PathBuf,
    },
    /// The record of a partner debate cannot be understood.
    #[error("{} is no record of a partner debate: {why}; it was left as it is", path.display())]
    NotADebate {
        /// The file.
        path: PathBuf,
        /// What is wrong, and where.
        why: String,
    },
    /// Several records of debates begin like this.
    #[error("`{id}` is the start of {count} records in {}; give more of the id", dir.display())]
    Ambiguous {
        /// What was given.
        id: String,
        /// How many begin like it.
        count: usize,
        /// Where.
        dir: PathBuf,
    },
    /// A change would make the file unreadable, so it was not made.
    #[error("the change was not made, since it could not be read back: {0}")]
    Unwritable(String),
}

impl BacklogError {
    /// Makes the closure for `map_err` on a file system operation.
    pub(super) fn io(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io { doing, path: path.to_owned(), source }
    }
}

/// Says how to mend the system's commonest answers.
fn mend(source: &io::Error) -> &'static str {
    if source.kind() == io::ErrorKind::StorageFull || source.kind() == io::ErrorKind::QuotaExceeded
    {
        "; free some space and try again: the backlog is as it was"
    } else if source.kind() == io::ErrorKind::PermissionDenied
        || source.kind() == io::ErrorKind::ReadOnlyFilesystem
    {
        "; make the folder readable and writable, or set `paths.backlog` to another one"
    } else {
        ""
    }
}
