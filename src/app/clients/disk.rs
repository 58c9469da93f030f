//! A client's file on the disk: where it really is, and how a new text takes the place of the old one.
//!
//! ```text
//!   find ---> read ---> (edit) ---> backup ---> temporary file, synced ---> compare ---> rename ---> sync of the folder
//! ```
//!
//! At every moment the file's name leads to the whole old text or to the whole new one, and from the backup on the old one
//! is kept beside it. A link is edited where it leads to, so that it stays a link; one that leads out of the folders that
//! the scope stands for is refused, so that a repository cannot make the user edit a file of its choice.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use super::places::ClientFile;
use crate::config::error::ReadError;
use crate::config::file::{Links, read_text};
use crate::error::{Error, Kind};

/// Most backups of one second; more are not made by people.
const TRIES: u32 = 20;

/// Why a file is left alone.
#[derive(Debug, thiserror::Error)]
pub(super) enum DiskError {
    /// Its real place is elsewhere.
    #[error("{} leads to {}, outside of {}", path.display(), real.display(), bound.display())]
    Outside {
        /// As it is named.
        path: PathBuf,
        /// As it is.
        real: PathBuf,
        /// Where it should be.
        bound: PathBuf,
    },
    /// A link that leads nowhere.
    #[error("{} is a link that leads nowhere", .0.display())]
    Dangling(PathBuf),
    /// It cannot be read as what it should be.
    #[error("{}: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: ReadError,
    },
    /// It is somebody else's, or its owner made it read-only.
    #[error("{} {why}", path.display())]
    NotOurs {
        /// The file.
        path: PathBuf,
        /// In words.
        why: &'static str,
    },
    /// Somebody changed it in the meantime.
    #[error("{} was changed by another program in this moment; nothing was written", .0.display())]
    Changed(PathBuf),
    /// The system refused.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

/// Returns the error of a file for the edge.
pub(super) fn edge(error: &DiskError) -> Error {
    let (kind, hint) = match error {
        DiskError::Outside { .. } => {
            (Kind::Trust, "make it a plain file, or edit the other one yourself")
        }
        DiskError::Dangling(_) => (Kind::Trust, "remove the link, or make what it names"),
        DiskError::NotOurs { .. } => {
            (Kind::Trust, "make it yours and writable, or edit it yourself")
        }
        DiskError::Unreadable { .. } => (Kind::Input, "mend it first; it was left as it is"),
        DiskError::Changed(_) => (Kind::State, "run the command again"),
        DiskError::Io { .. } => (Kind::State, "the file was left as it is"),
    };
    Error::new(kind, error.to_string()).named("client_file").hint(hint)
}

fn failed(path: &Path) -> impl Fn(io::Error) -> DiskError {
    move |source| DiskError::Io { path: path.to_owned(), source }
}

/// Returns where a file really is, or would be, within its bounds.
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
        // What is missing will be made below the nearest folder that is there.
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

/// Tells whether the first missing folder is in truth a link that leads nowhere.
fn dangles(folder: &Path, rest: &Path) -> bool {
    let first = rest.components().next();
    first.is_some_and(|first| folder.join(first).symlink_metadata().is_ok())
}

/// Reads a file; `None`: there is none. Its real path is followed no further.
pub(super) fn read(real: &Path) -> Result<Option<String>, DiskError> {
    match read_text(real, Links::Refuse) {
        Ok(text) => Ok(Some(text)),
        Err(ReadError::Io(error)) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(DiskError::Unreadable { path: real.to_owned(), source }),
    }
}

/// Refuses a file that is not this user's to write; returns its permissions.
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

/// Refuses what [`replace`] would refuse of the file as it is, before anything is done.
pub(super) fn check(real: &Path, old: Option<&str>) -> Result<(), DiskError> {
    old.map_or(Ok(()), |_| mode_of(real).map(drop))
}

/// Copies the file's old text beside it; `stamp` says when. Returns the copy.
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
        "too many backups of this second stand beside it",
    )))
}

/// Puts a new text in the place of the old one (`None`: there was no file).
pub(super) fn replace(real: &Path, old: Option<&str>, new: &str) -> Result<(), DiskError> {
    let folder = real.parent().unwrap_or(Path::new("/"));
    // What others may do with a new file is what the umask says of a new file.
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
        // The umask took bits away that the old file had.
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
    //! What happens to a file when somebody else has it at the same time.

    use super::*;

    #[test]
    fn a_file_that_changed_since_it_was_read_is_not_replaced() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("mcp.json");
        fs::write(&path, "theirs").unwrap();
        let refused = replace(&path, Some("old"), "new").unwrap_err();
        assert!(matches!(refused, DiskError::Changed(_)), "{refused}");
        // Nobody's file was there when it was read.
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
