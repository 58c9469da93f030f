//! What every file of ours that several processes change has in common: nothing stands in its place but a file, and who
//! changes it holds a lock beside it.

use std::path::Path;

use chrono::{DateTime, Utc};

use crate::error::{Error, Kind, store_error};
use crate::session::fs::{EntryKind, FileLock, Fs};
use crate::session::{StoreError, lock};

/// How often a lock is asked for; each asking waits 0.2 s.
const PATIENCE: u32 = 25;

/// Whether a file stands at a path; anything else that does is refused, links too.
pub(super) fn is_file(fs: &dyn Fs, path: &Path) -> Result<bool, Error> {
    let found = (fs.kind(path))
        .map_err(|error| state(format!("failed to look at {}", path.display())).because(error))?;
    match found {
        None => Ok(false),
        Some(EntryKind::File) => Ok(true),
        Some(other) => {
            Err(state(format!("{} must be a file, and is {}", path.display(), other.words()))
                .hint("move it away"))
        }
    }
}

/// Takes the lock on a file of its own, which is never deleted; waits a few seconds for who holds it.
pub(super) fn lock(
    fs: &dyn Fs,
    path: &Path,
    now: DateTime<Utc>,
) -> Result<Box<dyn FileLock>, Error> {
    is_file(fs, path)?;
    let mut tries = 0;
    loop {
        tries += 1;
        match lock::acquire(fs, path, now, false) {
            Ok(Some(held)) => return Ok(held),
            Err(StoreError::Locked { .. }) if tries < PATIENCE => {}
            Ok(None) => {
                return Err(Error::new(Kind::Bug, "a lock was neither taken nor refused"));
            }
            Err(error) => return Err(store_error(error)),
        }
    }
}

/// An error about what is on the disk.
pub(super) fn state(what: String) -> Error {
    Error::new(Kind::State, what)
}
