//! Replaces a file so that a crash leaves either the complete old one or the complete new one.

use std::io;
use std::path::{Path, PathBuf};

use super::error::StoreError;
use super::fs::Fs;

/// The suffix of files being written; `gc` removes those left by a crash.
pub(crate) const TEMP_SUFFIX: &str = ".tmp";

/// Replaces a file: temporary file, fsync, rename, fsync of the directory, in this order.
///
/// The caller holds the lock on the file's folder, so nobody else uses the temporary name.
pub(crate) fn replace(fs: &dyn Fs, path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    replace_by(fs, path, "", bytes)
}

/// The same where there is no lock: `token`, a fresh random text, sets the temporary name apart from those of others.
pub(crate) fn replace_by(
    fs: &dyn Fs,
    path: &Path,
    token: &str,
    bytes: &[u8],
) -> Result<(), StoreError> {
    let temp = temp_name(path, token);
    match fs.remove_file(&temp) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            return Err(StoreError::io("remove", &temp)(error));
        }
        Ok(()) | Err(_) => {}
    }
    let written = (fs.write_new(&temp, bytes).map_err(StoreError::io("write", &temp)))
        .and_then(|()| fs.sync_file(&temp).map_err(StoreError::io("sync", &temp)))
        .and_then(|()| fs.rename(&temp, path).map_err(StoreError::io("put in place", path)));
    if written.is_err() {
        // If it remains, the next replacement removes it.
        fs.remove_file(&temp).ok();
    }
    written?;
    match path.parent() {
        Some(dir) => fs.sync_dir(dir).map_err(StoreError::io("sync", dir)),
        None => Ok(()),
    }
}

fn temp_name(path: &Path, token: &str) -> PathBuf {
    let mut name = std::ffi::OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(token);
    name.push(TEMP_SUFFIX);
    path.with_file_name(name)
}
