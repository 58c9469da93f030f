//! The lock of a session: one process at a time, and the others learn which.

use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::error::StoreError;
use super::fs::{FileLock, Fs, LockState, TryLock};

/// The holder of a lock, as written in the lock file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holder {
    /// Its process id.
    pub pid: u32,
    /// When it took the lock.
    pub since: DateTime<Utc>,
}

impl Holder {
    /// Parses a holder's text; `None` if it is not in our format (still being written, or hostile).
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        serde_json::from_slice(bytes).ok()
    }
}

/// The wait for a session's lock: `sessions list` takes each lock for an instant to test it, and must not make a resume
/// fail.
pub(crate) const PATIENCE: Duration = Duration::from_millis(200);
/// The pauses between attempts grow from the first to the second, which is short, so that a busy process does not always
/// get in first.
const PAUSES: [Duration; 2] = [Duration::from_millis(1), Duration::from_millis(10)];

/// Takes the lock.
///
/// Fails after this wait with the holder's pid and time. The file is never deleted, since a deleted lock file can be
/// locked twice.
pub(crate) fn acquire(
    fs: &dyn Fs,
    path: &Path,
    since: DateTime<Utc>,
    patience: Duration,
) -> Result<Box<dyn FileLock>, StoreError> {
    let me = Holder { pid: std::process::id(), since };
    let contents = serde_json::to_vec(&me)
        .map_err(std::io::Error::other)
        .map_err(StoreError::io("write", path))?;
    let [mut pause, longest] = PAUSES;
    let mut waited = Duration::ZERO;
    loop {
        match fs.try_lock(path, &contents).map_err(StoreError::io("lock", path))? {
            TryLock::Held(held) => return Ok(held),
            TryLock::Busy(_) if waited < patience => {
                sleep(pause);
                waited += pause;
                pause = (pause * 2).min(longest);
            }
            TryLock::Busy(bytes) => {
                return Err(StoreError::Locked {
                    path: path.to_owned(),
                    holder: Holder::parse(&bytes),
                });
            }
            TryLock::Unsupported => {
                return Err(StoreError::LockUnsupported { path: path.to_owned() });
            }
        }
    }
}

/// Returns the holder of the lock; the inner `None` means an unnamed holder.
#[expect(clippy::option_option, reason = "nobody; a process that left no name; a named one")]
pub(crate) fn holder(fs: &dyn Fs, path: &Path) -> Result<Option<Option<Holder>>, StoreError> {
    match fs.lock_state(path).map_err(StoreError::io("look at", path))? {
        LockState::Busy(bytes) => Ok(Some(Holder::parse(&bytes))),
        LockState::Free | LockState::Unknown => Ok(None),
    }
}
