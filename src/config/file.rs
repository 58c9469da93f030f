//! Reads and writes the files of configuration, trust and skills, with the care
//! that a file from a stranger's repository and a file of private state deserve.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;

use rustix::fs::OFlags;
use sha2::{Digest, Sha256};

use super::error::ReadError;

/// Largest configuration or skill: 1 MiB.
pub const MAX_BYTES: u64 = 1 << 20;

/// Whether a symbolic link as the last part of a path is followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Links {
    /// The user's own files may be links.
    Follow,
    /// Files that come with a project may not: they would name a file outside of it.
    Refuse,
}

/// Reads a plain UTF-8 file of at most [`MAX_BYTES`]. Never blocks on a pipe.
pub fn read_text(path: &Path, links: Links) -> Result<String, ReadError> {
    let flags = match links {
        Links::Follow => OFlags::NONBLOCK,
        Links::Refuse => OFlags::NONBLOCK | OFlags::NOFOLLOW,
    };
    let opened = OpenOptions::new()
        .read(true)
        .custom_flags(flags.bits().cast_signed())
        .open(path);
    let mut file = match opened {
        Ok(file) => file,
        Err(error) if error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error()) => {
            return Err(ReadError::Symlink);
        }
        Err(error) => return Err(error.into()),
    };
    if !file.metadata()?.is_file() {
        return Err(ReadError::NotPlain);
    }
    let mut bytes = Vec::new();
    (&mut file).take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(ReadError::TooLarge { cap: MAX_BYTES });
    }
    String::from_utf8(bytes).map_err(|error| ReadError::NotUtf8 {
        at: error.utf8_error().valid_up_to(),
    })
}

/// Whether an existing file is replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Existing {
    /// It stays, and the write fails with `AlreadyExists`.
    Keep,
    /// It is replaced (a link itself, not what it points to).
    Replace,
}

/// Writes a file whole or not at all: temporary file beside it, fsync, rename, fsync of the folder.
pub fn write_atomic(path: &Path, bytes: &[u8], mode: u32, existing: Existing) -> io::Result<()> {
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    let mut temporary = tempfile::Builder::new()
        .prefix(".debate-agent-")
        .permissions(std::os::unix::fs::PermissionsExt::from_mode(mode))
        .tempfile_in(folder)?;
    temporary.write_all(bytes)?;
    temporary.as_file().sync_all()?;
    match existing {
        Existing::Keep => temporary.persist_noclobber(path)?,
        Existing::Replace => temporary.persist(path)?,
    };
    File::open(folder)?.sync_all()
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
    format!("{:x}", Sha256::digest(bytes))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

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
        let kept = write_atomic(&link, b"new", 0o600, Existing::Keep).unwrap_err();
        assert_eq!(kept.kind(), io::ErrorKind::AlreadyExists);
        write_atomic(&link, b"new", 0o600, Existing::Replace).unwrap();
        assert_eq!(fs::read_to_string(&target).unwrap(), "untouched");
        assert_eq!(fs::read_to_string(&link).unwrap(), "new");
        assert_eq!(
            fs::metadata(&link).unwrap().permissions().mode() & 0o777,
            0o600
        );
        assert_eq!(
            fs::read_dir(dir.path()).unwrap().count(),
            2,
            "no temporary file stays"
        );
    }
}
