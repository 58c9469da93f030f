//! Reads a whole file, if it is a regular file and not too large.

use std::io;
use std::path::Path;

use crate::files::{Folder, is_link};

/// Maximum size of a report: 64 MiB.
pub const MAX_BYTES: u64 = 64 << 20;

/// Reads at most the first `most` bytes of a file below a root.
///
/// # Errors
/// It cannot be opened or read, or a part of its path is a link.
pub fn head(root: &Path, name: &str, most: usize) -> io::Result<Vec<u8>> {
    let most = u64::try_from(most).unwrap_or(u64::MAX);
    Folder::open(root)?.head(Path::new(name), most)
}

/// Reads a file below a root that has at most `most` bytes and is behind no symbolic link.
///
/// # Errors
/// The reason, worded to follow a file's name.
pub fn file(root: &Path, name: &str, most: u64) -> Result<Vec<u8>, String> {
    let read = Folder::open(root).and_then(|root| root.read(Path::new(name), most));
    read.map_err(|error| {
        if is_link(&error) {
            "it is a symbolic link, which is not followed".to_owned()
        } else if error.kind() == io::ErrorKind::FileTooLarge {
            let most = (most >> 20).max(1);
            format!("it has more than {most} MiB, the maximum that is read")
        } else {
            error.to_string()
        }
    })
}
