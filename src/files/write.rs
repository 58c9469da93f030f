//! Writes files completely or not at all.

use std::ffi::OsStr;
use std::fs::{File, Permissions};
use std::io::{self, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use rustix::fs::{AtFlags, OFlags};

use super::folder::Folder;

/// The treatment of an existing file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IfExists {
    /// It stays, and the write fails with `AlreadyExists`.
    Keep,
    /// It is replaced (a link itself, not its target).
    Replace,
}

impl Folder {
    /// Writes a file completely or not at all: temporary file next to it, fsync, rename, fsync of the folder. `mode`
    /// applies whatever the umask.
    ///
    /// # Errors
    /// A folder on the way is a link; the file exists and is to stay; the disk failed.
    pub(crate) fn write(
        &self,
        below: &Path,
        bytes: &[u8],
        mode: u32,
        existing: IfExists,
    ) -> io::Result<()> {
        let (way, name) = self.parent(below)?;
        let folder = way.folder(Path::new(""))?;
        let (mut file, temporary) = folder.temporary()?;
        let written = file
            .set_permissions(Permissions::from_mode(mode))
            .and_then(|()| file.write_all(bytes))
            .and_then(|()| file.sync_all())
            .and_then(|()| folder.put(&temporary, name, existing));
        if let Err(error) = written {
            // If it cannot be removed either, its name marks it as one of our temporary files.
            drop(folder.remove_file(temporary.as_ref()));
            return Err(error);
        }
        folder.sync()
    }

    fn temporary(&self) -> io::Result<(File, std::ffi::OsString)> {
        let made = tempfile::Builder::new().prefix(".debate-agent-").make_in("/", |path| {
            let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL;
            let name = path.file_name().unwrap_or_default();
            let file = self.file_with(Path::new(name), flags, 0o600)?;
            Ok((file, name.to_owned()))
        })?;
        // The path is not the real location; only its name counts.
        let (made, _) = made.keep().map_err(|kept| kept.error)?;
        Ok(made)
    }

    fn put(&self, temporary: &OsStr, name: &OsStr, existing: IfExists) -> io::Result<()> {
        match existing {
            IfExists::Replace => Ok(rustix::fs::renameat(self, temporary, self, name)?),
            IfExists::Keep => {
                #[cfg(any(target_os = "linux", target_os = "macos"))]
                {
                    use rustix::fs::RenameFlags;
                    use rustix::io::Errno;
                    match rustix::fs::renameat_with(
                        self,
                        temporary,
                        self,
                        name,
                        RenameFlags::NOREPLACE,
                    ) {
                        // This file system does not support it.
                        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {}
                        renamed => return Ok(renamed?),
                    }
                }
                rustix::fs::linkat(self, temporary, self, name, AtFlags::empty())?;
                self.remove_file(temporary.as_ref())
            }
        }
    }
}
