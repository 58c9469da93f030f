//! Why a session could not be read or written, and how to fix it.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use super::lock::Holder;

/// Why a session could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
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
    /// The text cannot be a session id or a prefix of one.
    #[error(
        "`{id}` is not a session id: up to 64 of a-z, 0-9 and -, not starting with -; `debate-agent sessions list` shows them"
    )]
    InvalidId {
        /// The text, shortened.
        id: String,
    },
    /// No session has this id.
    #[error("there is no session `{id}` in {}; `debate-agent sessions list` shows those that exist", root.display())]
    UnknownId {
        /// The id or prefix.
        id: String,
        /// The folder that was searched.
        root: PathBuf,
    },
    /// Several sessions match.
    #[error("`{prefix}` is the start of {} sessions ({}); give more of the id", matches.len(), listed(matches))]
    AmbiguousId {
        /// The prefix.
        prefix: String,
        /// All their ids.
        matches: Vec<String>,
    },
    /// A new session's directory already exists.
    #[error("session `{id}` already exists; resume it, or start again to get a new id")]
    Exists {
        /// The id.
        id: String,
    },
    /// Another process has the session open.
    #[error("{} is held by {}; wait for it to end, or stop it", path.display(), holder_name(holder.as_ref()))]
    Locked {
        /// The lock file.
        path: PathBuf,
        /// The holder, if the file names it.
        holder: Option<Holder>,
    },
    /// The file system does not support locks.
    #[error(
        "{} cannot be locked: its file system has no locks, so two runs could spend twice, or lose each other's changes; move the project to a local disk",
        path.display()
    )]
    LockUnsupported {
        /// The lock file.
        path: PathBuf,
    },
    /// A record that is not the last one is damaged.
    #[error(
        "{}: record {record} at byte {offset} is damaged ({reason}); nothing was changed: restore the file from a backup, or start a new session",
        path.display()
    )]
    Corrupt {
        /// The journal.
        path: PathBuf,
        /// The record's number, from 1.
        record: u64,
        /// The offset of its line.
        offset: u64,
        /// The damage.
        reason: String,
    },
    /// A later version of this program wrote the record.
    #[error(
        "{}: record {record} has format version {v}, this program reads up to {ours}; nothing was changed: update debate-agent",
        path.display()
    )]
    Newer {
        /// The journal.
        path: PathBuf,
        /// The record's number, from 1.
        record: u64,
        /// Its version.
        v: u64,
        /// The newest version we read.
        ours: u64,
    },
    /// An older version of this program wrote the journal.
    #[error(
        "{} has no chain of hashes: an older version of debate-agent wrote it; it can be shown and exported, not continued: start a new session",
        path.display()
    )]
    Unchained {
        /// The journal.
        path: PathBuf,
    },
    /// A record of our version has an unknown type.
    #[error(
        "{}: record {record} has the unknown type `{kind}`; nothing was changed: update debate-agent, or restore the file from a backup",
        path.display()
    )]
    UnknownType {
        /// The journal.
        path: PathBuf,
        /// The record's number, from 1.
        record: u64,
        /// Its type, shortened.
        kind: String,
    },
    /// A record does not fit those before it.
    #[error(
        "{}: record {record} does not fit those before it ({what}); nothing was changed: restore the file from a backup, or start a new session",
        path.display()
    )]
    Inconsistent {
        /// The journal.
        path: PathBuf,
        /// The record's number, from 1.
        record: u64,
        /// The reason.
        what: String,
    },
    /// The journal contains no complete record, so nothing was ever asked or paid.
    #[error(
        "{} contains no session: its start was interrupted and nothing was spent; `debate-agent sessions gc` removes it",
        path.display()
    )]
    NeverOpened {
        /// The journal.
        path: PathBuf,
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
    /// A file or record is larger than the maximum.
    #[error("{} has {bytes} bytes, more than the {limit} that are read or written there; move it away, or make it smaller", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// Its size.
        bytes: u64,
        /// The limit.
        limit: u64,
    },
    /// Another process wrote to, cut or replaced the journal while we had it open.
    #[error(
        "{} has {found} bytes where this run left {expected}: another program changed it; the run stops before it spends more",
        path.display()
    )]
    Changed {
        /// The journal.
        path: PathBuf,
        /// Its size in bytes when we last wrote it.
        expected: u64,
        /// Its size in bytes now.
        found: u64,
    },
    /// An earlier append failed; this run writes nothing more.
    #[error("{} could not be written earlier, so this run writes and spends no more; see the first error", path.display())]
    Poisoned {
        /// The journal.
        path: PathBuf,
    },
    /// A record may not be written at this point.
    #[error("a rule of the journal {} was broken: {what}", path.display())]
    Misuse {
        /// The journal.
        path: PathBuf,
        /// The rule violated.
        what: String,
    },
    /// A stored answer or prompt does not match its name.
    #[error(
        "{} does not contain what its name promises; restore it from a backup: without its answer a call would be paid twice",
        path.display()
    )]
    AnswerDamaged {
        /// The answer.
        path: PathBuf,
    },
    /// A paid reply could not be recorded.
    #[error("{source}; {}; no further call is made", kept(saved.as_deref(), spool))]
    Unkept {
        /// The reason.
        source: Box<Self>,
        /// The emergency copy.
        saved: Option<PathBuf>,
        /// The CLI's output, as far as it was written.
        spool: PathBuf,
    },
}

impl StoreError {
    /// Creates the closure for `map_err` on a file system operation.
    pub(crate) fn io(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io { doing, path: path.to_owned(), source }
    }

    /// Returns the number of the record that is at fault, from 1.
    pub(crate) fn record(&self) -> Option<u64> {
        match self {
            Self::Corrupt { record, .. }
            | Self::Newer { record, .. }
            | Self::UnknownType { record, .. }
            | Self::Inconsistent { record, .. } => Some(*record),
            _ => None,
        }
    }

    /// Whether the person asked for something that does not exist (exit 2), as opposed to a bad state (exit 5).
    pub fn is_usage(&self) -> bool {
        matches!(self, Self::InvalidId { .. } | Self::UnknownId { .. } | Self::AmbiguousId { .. })
    }
}

/// Returns advice on the system's most common errors.
fn mend(source: &io::Error) -> &'static str {
    if source.kind() == io::ErrorKind::StorageFull || source.kind() == io::ErrorKind::QuotaExceeded
    {
        "; free some space, then try again, or resume the session"
    } else if source.kind() == io::ErrorKind::PermissionDenied
        || source.kind() == io::ErrorKind::ReadOnlyFilesystem
    {
        "; make the directory writable, or work in another one with -C"
    } else if source.kind() == io::ErrorKind::NotFound {
        "; was it removed in the meantime?"
    } else {
        ""
    }
}

fn listed(ids: &[String]) -> String {
    const NAMED: usize = 5;
    let named = ids[..ids.len().min(NAMED)].join(", ");
    match ids.len().saturating_sub(NAMED) {
        0 => named,
        more => format!("{named} and {more} more"),
    }
}

fn holder_name(holder: Option<&Holder>) -> String {
    holder.map_or_else(|| "another process".to_owned(), Holder::to_string)
}

fn kept(saved: Option<&Path>, spool: &Path) -> String {
    match saved {
        Some(path) => format!(
            "the reply was saved to {}, from where `sessions resume` takes it",
            path.display()
        ),
        None => format!(
            "the reply could not be saved elsewhere either (look for it in {})",
            spool.display()
        ),
    }
}

impl fmt::Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "process {}, which opened it at {}",
            self.pid,
            self.since.to_rfc3339_opts(chrono::SecondsFormat::Secs, true)
        )
    }
}
