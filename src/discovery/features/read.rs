//! Reads the beginning of a file of the tree.

use std::io;
use std::path::Path;

use super::MAX_READ;
use crate::discovery::tree::TreeFile;
use crate::files::{Folder, is_link};

/// Returns the first [`MAX_READ`] bytes of a regular file below the root as text, or why it has none.
///
/// Neither the file nor a folder on the way may be a link, and reading never waits for a pipe.
pub(super) fn head(root: &Path, file: &TreeFile) -> Result<String, String> {
    let bytes =
        Folder::open(root).and_then(|root| root.head(&file.path, MAX_READ)).map_err(|error| {
            if is_link(&error) {
                "it is a symbolic link, or behind one".to_owned()
            } else if error.kind() == io::ErrorKind::InvalidInput {
                "it is not a regular file".to_owned()
            } else {
                format!("it cannot be read: {error}")
            }
        })?;
    if bytes.contains(&0) {
        return Err("it is not text".to_owned());
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
