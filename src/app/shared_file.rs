//! Files shared between processes: regular files only, each guarded by a sibling lock file.

use std::path::Path;

use chrono::{DateTime, Utc};

use crate::error::{Error, Kind, store_error};
use crate::session::fs::{EntryKind, FileLock, Fs};
use crate::session::{StoreError, lock};

/// Maximum attempts to take a lock; each waits 0.2 s.
const PATIENCE: u32 = 25;

/// Whether there is a file at a path; anything else there is refused, including links.
pub(super) fn is_file(fs: &dyn Fs, path: &Path) -> Result<bool, Error> {
    let found = (fs.kind(path))
        .map_err(|error| state(format!("failed to look at {}", path.display())).because(error))?;
    match found {
        None => Ok(false),
        Some(EntryKind::File) => Ok(true),
        Some(other) => {
            Err(state(format!("{} must be a file, but is {}", path.display(), other.words()))
                .hint("move it away"))
        }
    }
}

/// Takes the lock on a separate file, which is never deleted; waits a few seconds for another process to release it.
pub(super) fn lock(
    fs: &dyn Fs,
    path: &Path,
    now: DateTime<Utc>,
) -> Result<Box<dyn FileLock>, Error> {
    is_file(fs, path)?;
    let mut tries = 0;
    loop {
        tries += 1;
        match lock::acquire(fs, path, now) {
            Ok(held) => return Ok(held),
            Err(StoreError::Locked { .. }) if tries < PATIENCE => {}
            Err(error) => return Err(store_error(error)),
        }
    }
}

pub(super) fn state(what: String) -> Error {
    Error::new(Kind::State, what)
}
