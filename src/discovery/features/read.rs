//! Reads the beginning of a file of the tree.

use std::fs::OpenOptions;
use std::io::{self, Read as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use rustix::fs::OFlags;

use super::MAX_READ;
use crate::discovery::tree::TreeFile;

/// Returns the first [`MAX_READ`] bytes of a plain file below the root as text, or why it has none.
///
/// No link is followed, neither as the file nor as a folder on the way to it, and no pipe is waited for.
pub(super) fn head(root: &Path, file: &TreeFile) -> Result<String, String> {
    let failed = |error: io::Error| format!("it cannot be read: {error}");
    let root = root.canonicalize().map_err(failed)?;
    let path = root.join(&file.path);
    if path.canonicalize().map_err(failed)? != path {
        return Err("it is a symbolic link, or behind one".to_owned());
    }
    let opened = OpenOptions::new()
        .read(true)
        .custom_flags((OFlags::NONBLOCK | OFlags::NOFOLLOW).bits().cast_signed())
        .open(&path)
        .map_err(failed)?;
    if !opened.metadata().map_err(failed)?.is_file() {
        return Err("it is no plain file".to_owned());
    }
    let mut bytes = Vec::new();
    opened
        .take(MAX_READ)
        .read_to_end(&mut bytes)
        .map_err(failed)?;
    if bytes.contains(&0) {
        return Err("it is no text".to_owned());
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
