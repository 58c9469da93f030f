//! A client's file on disk: where it really is, and how new text replaces the old.
//!
//! ```text
//!   find ---> read ---> (edit) ---> backup ---> synced temporary file ---> compare ---> rename ---> sync folder
//! ```
//!
//! At every moment the file's name leads to the complete old text or to the complete new one, and from the backup on
//! the old one is kept beside it. A link is edited at its target, so that it stays a link; a link that leads out of
//! the folders allowed for the scope is refused, so that a repository cannot make the user edit a file of its choice.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use super::places::ClientFile;
use crate::config::error::ReadError;
use crate::config::file::{Links, read_text};
use crate::error::{Error, Kind};

/// Maximum backups within one second; a person does not make more.
const TRIES: u32 = 20;

/// Why a file is left unchanged.
#[derive(Debug, thiserror::Error)]
pub(super) enum DiskError {
    /// Its real path is outside the allowed folders.
    #[error("{} leads to {}, outside of {}", path.display(), real.display(), bound.display())]
    Outside {
        /// The path as named.
        path: PathBuf,
        /// The real path.
        real: PathBuf,
        /// The folder it must be in.
        bound: PathBuf,
    },
    /// A link that leads nowhere.
    #[error("{} is a broken link", .0.display())]
    Dangling(PathBuf),
    /// Its content is not readable text.
    #[error("{}: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: ReadError,
    },
    /// It belongs to another user, or its owner made it read-only.
    #[error("{} {why}", path.display())]
    NotOurs {
        /// The file.
        path: PathBuf,
        /// The reason, in words.
        why: &'static str,
    },
    /// Another program changed it in the meantime.
    #[error("{} was changed by another program just now; nothing was written", .0.display())]
    Changed(PathBuf),
    /// A file operation failed.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
}

/// Converts an error of a file into a user-facing one.
pub(super) fn edge(error: &DiskError) -> Error {
    let (kind, hint) = match error {
        DiskError::Outside { .. } => {
            (Kind::Trust, "make it a plain file, or edit the other one yourself")
        }
        DiskError::Dangling(_) => (Kind::Trust, "remove the link, or create its target"),
        DiskError::NotOurs { .. } => {
            (Kind::Trust, "take ownership of it and make it writable, or edit it yourself")
        }
        DiskError::Unreadable { .. } => (Kind::Input, "fix it first; it was left unchanged"),
        DiskError::Changed(_) => (Kind::State, "run the command again"),
        DiskError::Io { .. } => (Kind::State, "the file was left unchanged"),
    };
    Error::new(kind, error.to_string()).named("client_file").hint(hint)
}

fn failed(path: &Path) -> impl Fn(io::Error) -> DiskError {
    move |source| DiskError::Io { path: path.to_owned(), source }
}

/// Returns the real path of a file, or the one it would have, if it is within its bounds.
pub(super) fn find(place: &ClientFile) -> Result<PathBuf, DiskError> {
    let path = &place.path;
    let there = match path.symlink_metadata() {
        Ok(_) => true,
        Err(error) if error.kind() == io::ErrorKind::NotFound => false,
        Err(source) => return Err(failed(path)(source)),
    };
    let real = if there {
        match path.canonicalize() {
            Ok(real) => real,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(DiskError::Dangling(path.clone()));
            }
            Err(source) => return Err(failed(path)(source)),
        }
    } else {
        // Missing folders will be created below the nearest existing one.
        let mut above = path.ancestors().skip(1);
        let nearest = above.find_map(|folder| Some((folder, folder.canonicalize().ok()?)));
        match nearest {
            Some((folder, real)) => match path.strip_prefix(folder) {
                Ok(rest) if dangles(folder, rest) => {
                    return Err(DiskError::Dangling(path.clone()));
                }
                Ok(rest) => real.join(rest),
                Err(_) => path.clone(),
            },
            None => path.clone(),
        }
    };
    let within = |bound: &PathBuf| {
        let real_bound = bound.canonicalize().unwrap_or_else(|_| bound.clone());
        real.starts_with(real_bound)
    };
    if place.bounds.iter().any(within) {
        return Ok(real);
    }
    Err(DiskError::Outside {
        path: path.clone(),
        real,
        bound: place.bounds.first().cloned().unwrap_or_default(),
    })
}

/// Whether the first missing folder is actually a link that leads nowhere.
fn dangles(folder: &Path, rest: &Path) -> bool {
    let first = rest.components().next();
    first.is_some_and(|first| folder.join(first).symlink_metadata().is_ok())
}

/// Reads a file without following links in its real path; `None` if there is none.
pub(super) fn read(real: &Path) -> Result<Option<String>, DiskError> {
    match read_text(real, Links::Refuse) {
        Ok(text) => Ok(Some(text)),
        Err(ReadError::Io(error)) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(DiskError::Unreadable { path: real.to_owned(), source }),
    }
}

/// Refuses a file that this user may not write; returns its permissions.
fn mode_of(real: &Path) -> Result<u32, DiskError> {
    let meta = real.metadata().map_err(failed(real))?;
    let not_ours = |why| Err(DiskError::NotOurs { path: real.to_owned(), why });
    if meta.uid() != rustix::process::geteuid().as_raw() {
        return not_ours("belongs to another user");
    }
    if meta.mode() & 0o200 == 0 {
        return not_ours("is read-only");
    }
    Ok(meta.mode() & 0o7777)
}

/// Refuses in advance a file that [`replace`] would refuse.
pub(super) fn check(real: &Path, old: Option<&str>) -> Result<(), DiskError> {
    old.map_or(Ok(()), |_| mode_of(real).map(drop))
}

/// Copies the file's old text beside it, with `stamp` in the copy's name, and returns the copy's path.
pub(super) fn back_up(real: &Path, old: &str, stamp: &str) -> Result<PathBuf, DiskError> {
    let mode = mode_of(real)?;
    let name = real.file_name().unwrap_or_default().to_string_lossy();
    for number in 1..=TRIES {
        let number = if number == 1 { String::new() } else { format!("-{number}") };
        let copy = real.with_file_name(format!("{name}.debate-agent-backup-{stamp}{number}"));
        let opened = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&copy);
        let mut file = match opened {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
            Err(source) => return Err(failed(&copy)(source)),
        };
        file.write_all(old.as_bytes())
            .and_then(|()| file.set_permissions(fs::Permissions::from_mode(mode)))
            .and_then(|()| file.sync_all())
            .map_err(failed(&copy))?;
        return Ok(copy);
    }
    Err(failed(real)(io::Error::new(
        io::ErrorKind::AlreadyExists,
        "too many backups from this second are beside it",
    )))
}

/// Replaces the old text with a new one (`None`: there was no file).
pub(super) fn replace(real: &Path, old: Option<&str>, new: &str) -> Result<(), DiskError> {
    let folder = real.parent().unwrap_or(Path::new("/"));
    // Permissions of a new file follow the umask.
    let mode = match old {
        Some(_) => mode_of(real)?,
        None => 0o666,
    };
    if old.is_none() {
        fs::create_dir_all(folder).map_err(failed(folder))?;
    }
    let mut temporary = tempfile::Builder::new()
        .prefix(".debate-agent-")
        .permissions(fs::Permissions::from_mode(mode & 0o777))
        .tempfile_in(folder)
        .map_err(failed(folder))?;
    temporary.write_all(new.as_bytes()).map_err(failed(real))?;
    if old.is_some() {
        // The umask may have removed bits that the old file had.
        let wanted = fs::Permissions::from_mode(mode);
        temporary.as_file().set_permissions(wanted).map_err(failed(real))?;
    }
    temporary.as_file().sync_all().map_err(failed(real))?;
    if read(real)?.as_deref() != old {
        return Err(DiskError::Changed(real.to_owned()));
    }
    let renamed = match old {
        Some(_) => temporary.persist(real),
        None => temporary.persist_noclobber(real),
    };
    match renamed {
        Ok(_) => {}
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => {
            return Err(DiskError::Changed(real.to_owned()));
        }
        Err(error) => return Err(failed(real)(error.error)),
    }
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(failed(folder))
}

#[cfg(test)]
mod tests {
    //! Files that another program changes at the same time.

    use super::*;

    #[test]
    fn a_file_that_changed_since_it_was_read_is_not_replaced() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("mcp.json");
        fs::write(&path, "theirs").unwrap();
        let refused = replace(&path, Some("old"), "new").unwrap_err();
        assert!(matches!(refused, DiskError::Changed(_)), "{refused}");
        // There was no file when it was read.
        let refused = replace(&path, None, "new").unwrap_err();
        assert!(matches!(refused, DiskError::Changed(_)), "{refused}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "theirs");
        fs::remove_file(&path).unwrap();
        assert!(replace(&path, Some("old"), "new").is_err());
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0, "nothing is left behind");
    }

    #[test]
    fn a_backup_never_takes_the_place_of_another() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("mcp.json");
        fs::write(&path, "now").unwrap();
        let first = back_up(&path, "one", "20260101T000000Z").unwrap();
        let second = back_up(&path, "two", "20260101T000000Z").unwrap();
        assert_eq!(first, dir.path().join("mcp.json.debate-agent-backup-20260101T000000Z"));
        assert_eq!(second, dir.path().join("mcp.json.debate-agent-backup-20260101T000000Z-2"));
        assert_eq!(fs::read_to_string(first).unwrap(), "one");
        assert_eq!(fs::read_to_string(second).unwrap(), "two");
    }
}
