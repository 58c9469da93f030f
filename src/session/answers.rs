//! Replies by content: `answers/<sha256>`, on disk before any record refers to them.

use std::path::Path;

use super::error::StoreError;
use super::fs::Fs;
use super::snapshot::replace;
use crate::journal::key::{is_sha, sha};

/// Maximum size of an answer, in bytes. The maximum output of a call is a setting (8 MiB); this is the absolute
/// limit.
pub(crate) const ANSWER_BYTES: u64 = 512 << 20;

/// Stores an answer and returns its name; both bytes and name are then on disk.
pub(crate) fn put(fs: &dyn Fs, dir: &Path, bytes: &[u8]) -> Result<String, StoreError> {
    let name = sha(bytes);
    let path = dir.join(&name);
    if bytes.len() as u64 > ANSWER_BYTES {
        return Err(StoreError::TooLarge { path, bytes: bytes.len() as u64, limit: ANSWER_BYTES });
    }
    if get(fs, dir, &name).is_ok() {
        // An earlier run may have died before the name was on disk.
        fs.sync_file(&path).map_err(StoreError::io("sync", &path))?;
        fs.sync_dir(dir).map_err(StoreError::io("sync", dir))?;
    } else {
        replace(fs, &path, bytes)?;
    }
    Ok(name)
}

/// Reads an answer and checks that its content matches its name.
pub(crate) fn get(fs: &dyn Fs, dir: &Path, name: &str) -> Result<Vec<u8>, StoreError> {
    let path = dir.join(name);
    if !is_sha(name) {
        return Err(StoreError::AnswerDamaged { path });
    }
    let bytes = fs.read(&path, ANSWER_BYTES).map_err(StoreError::io("read", &path))?;
    if sha(&bytes) == name { Ok(bytes) } else { Err(StoreError::AnswerDamaged { path }) }
}
