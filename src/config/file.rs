//! Reads and writes files of configuration, trust and skills, with the care due to a file from a stranger's
//! repository or a file of private state.

use std::fmt::Write as _;
use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt as _};
use std::path::Path;

use sha2::{Digest as _, Sha256};

use super::error::ReadError;
pub use crate::files::IfExists;
use crate::files::{Folder, is_link};

/// Maximum size of a configuration or skill: 1 MiB.
pub const MAX_BYTES: u64 = 1 << 20;

/// Whether a symbolic link as the last part of a path is followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Links {
    /// Follow them: the user's own files may be links.
    Follow,
    /// Refuse them: a link that comes with a project would name a file outside of it.
    Refuse,
}

/// Reads a regular UTF-8 file of at most [`MAX_BYTES`]. Never blocks on a pipe.
pub fn read_text(path: &Path, links: Links) -> Result<String, ReadError> {
    match links {
        Links::Follow => read(None, &path.canonicalize()?),
        Links::Refuse => read(None, path),
    }
}

/// Like [`read_text`], for a file that came with the project at this root: no part of the path below the root may be
/// a link.
pub fn read_text_below(root: &Path, path: &Path) -> Result<String, ReadError> {
    read(Some(root), path)
}

fn read(root: Option<&Path>, path: &Path) -> Result<String, ReadError> {
    let read =
        Folder::towards(root, path).and_then(|(folder, below)| folder.read(below, MAX_BYTES));
    let bytes = read.map_err(|error| {
        if is_link(&error) {
            ReadError::Symlink
        } else if error.kind() == io::ErrorKind::FileTooLarge {
            ReadError::TooLarge { cap: MAX_BYTES }
        } else if error.kind() == io::ErrorKind::InvalidInput {
            ReadError::NotPlain
        } else {
            ReadError::Io(error)
        }
    })?;
    String::from_utf8(bytes)
        .map_err(|error| ReadError::NotUtf8 { at: error.utf8_error().valid_up_to() })
}

/// Refuses a file of the user that others can write: they could permit what only the user may.
pub fn refuse_open(path: &Path) -> Result<(), ReadError> {
    let mode = path.metadata()?.permissions().mode() & 0o777;
    if mode & 0o022 == 0 { Ok(()) } else { Err(ReadError::Open { mode }) }
}

/// Writes a file completely or not at all ([`Folder::write`]).
pub fn write_atomic(path: &Path, bytes: &[u8], mode: u32, existing: IfExists) -> io::Result<()> {
    let (folder, below) = Folder::towards(None, path)?;
    folder.write(below, bytes, mode, existing)
}

/// Makes a private folder (0700) with its parents, whatever the umask.
pub fn make_private_folder(path: &Path) -> io::Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    DirBuilder::new().recursive(true).mode(0o700).create(path)?;
    fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o700))
}

/// Returns the SHA-256 of bytes in hexadecimal.
pub fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::new(), |mut text, byte| {
        // Writing to a String cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn only_plain_text_of_a_sane_size_is_read() {
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| dir.path().join(name);
        fs::write(path("plain"), "é").unwrap();
        fs::write(path("binary"), [b'a', 0xff]).unwrap();
        fs::write(path("large"), vec![b' '; 1 + (1 << 20)]).unwrap();
        symlink(path("plain"), path("link")).unwrap();
        rustix::fs::mknodat(
            rustix::fs::CWD,
            path("pipe"),
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::RUSR,
            0,
        )
        .unwrap();
        assert_eq!(read_text(&path("plain"), Links::Refuse).unwrap(), "é");
        assert_eq!(read_text(&path("link"), Links::Follow).unwrap(), "é");
        let refused = |name: &str| read_text(&path(name), Links::Refuse).unwrap_err();
        assert!(matches!(refused("link"), ReadError::Symlink));
        assert!(matches!(refused("binary"), ReadError::NotUtf8 { at: 1 }));
        assert!(matches!(refused("large"), ReadError::TooLarge { .. }));
        assert!(matches!(refused("pipe"), ReadError::NotPlain));
        assert!(matches!(refused("."), ReadError::NotPlain));
        assert!(matches!(refused("missing"), ReadError::Io(_)));
    }

    #[test]
    fn a_write_is_whole_private_and_never_goes_through_a_link() {
        let dir = tempfile::tempdir().unwrap();
        let target = dir.path().join("target");
        let link = dir.path().join("link");
        fs::write(&target, "untouched").unwrap();
        symlink(&target, &link).unwrap();
        let kept = write_atomic(&link, b"new", 0o600, IfExists::Keep).unwrap_err();
        assert_eq!(kept.kind(), io::ErrorKind::AlreadyExists);
        write_atomic(&link, b"new", 0o600, IfExists::Replace).unwrap();
        assert_eq!(fs::read_to_string(&target).unwrap(), "untouched");
        assert_eq!(fs::read_to_string(&link).unwrap(), "new");
        assert_eq!(fs::metadata(&link).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 2, "no temporary file stays");
    }
}
