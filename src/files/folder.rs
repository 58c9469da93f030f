//! A folder held by its handle, with operations on the entries below it.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read as _};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Component, Path, PathBuf};

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, RawMode, Stat};
use rustix::io::Errno;

/// A folder, held open.
///
/// Paths passed to its methods are relative to it. A link as part of one is an error that names the link (see
/// [`is_link`]); `..` and absolute paths are refused.
#[derive(Debug)]
pub(crate) struct Folder {
    handle: OwnedFd,
    /// The path by which it was opened, for messages.
    path: PathBuf,
}

/// Flags to open a folder only as a starting point: the right to list it is not needed.
const WAY: OFlags = cfg_select! {
    all(target_os = "linux", not(portable)) => { OFlags::PATH.union(OFlags::DIRECTORY) }
    _ => { OFlags::DIRECTORY }
};

/// The entry at a path, without following a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Found {
    pub kind: FileType,
    /// Its size in bytes.
    pub len: u64,
    /// Its permission bits.
    pub mode: RawMode,
    /// The id of the user that owns it.
    pub owner: u32,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    pub name: OsString,
    pub found: Found,
}

#[derive(Debug, thiserror::Error)]
#[error("{} is a symbolic link, which is not followed", path.display())]
struct LinkError {
    path: PathBuf,
}

/// Whether a file was not opened because a part of its path is a link.
pub(crate) fn is_link(error: &io::Error) -> bool {
    link_of(error).is_some()
}

/// Returns the link because of which a file was not opened.
pub(crate) fn link_of(error: &io::Error) -> Option<&Path> {
    let link = error.get_ref()?.downcast_ref::<LinkError>()?;
    Some(&link.path)
}

impl Found {
    fn of(stat: &Stat) -> Self {
        Self {
            kind: FileType::from_raw_mode(stat.st_mode as RawMode),
            len: u64::try_from(stat.st_size).unwrap_or_default(),
            mode: Mode::from_raw_mode(stat.st_mode as RawMode).bits(),
            owner: stat.st_uid,
        }
    }
}

impl Folder {
    /// Opens a folder by a path that the caller vouches for: links in it are followed.
    ///
    /// # Errors
    /// It does not exist, or cannot be opened.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        Self::at(path, OFlags::RDONLY | OFlags::DIRECTORY)
    }

    fn at(path: &Path, flags: OFlags) -> io::Result<Self> {
        Ok(Self {
            handle: rustix::fs::open(path, flags | OFlags::CLOEXEC, Mode::empty())?,
            path: path.to_owned(),
        })
    }

    /// Returns the folder that a path is relative to, opened, and the relative path. Below `root`, which is absolute
    /// and has no links, that is the root. Elsewhere it is the nearest existing parent folder: whoever names such a
    /// path vouches for it, and only its last part may not be a link.
    ///
    /// # Errors
    /// There is no such folder, or it cannot be opened.
    pub(crate) fn towards<'a>(root: Option<&Path>, path: &'a Path) -> io::Result<(Self, &'a Path)> {
        let within = root.and_then(|root| Some((root, path.strip_prefix(root).ok()?)));
        let within = within.filter(|(_, below)| parts(below).is_ok());
        if let Some((root, below)) = within {
            return Ok((Self::at(root, WAY)?, below));
        }
        if path.file_name().is_none() {
            return Ok((Self::at(path, WAY)?, Path::new("")));
        }
        for above in path.ancestors().skip(1) {
            let here = if above.as_os_str().is_empty() { Path::new(".") } else { above };
            match Self::at(here, WAY) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                opened => return Ok((opened?, path.strip_prefix(above).unwrap_or(path))),
            }
        }
        Err(io::ErrorKind::NotFound.into())
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Opens a folder below this one.
    ///
    /// # Errors
    /// It does not exist, a part of the path is a link, or it cannot be opened.
    pub(crate) fn folder(&self, below: &Path) -> io::Result<Self> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY;
        Ok(Self { handle: self.handle(below, flags, Mode::empty())?, path: self.path.join(below) })
    }

    /// Opens a folder below this one, creating missing ones on its path, accessible only to the user (0700).
    ///
    /// # Errors
    /// As for [`folder`](Self::folder); or one of them cannot be created.
    pub(crate) fn make(&self, below: &Path) -> io::Result<Self> {
        let mut folder = self.folder(Path::new(""))?;
        for part in parts(below)? {
            match rustix::fs::mkdirat(&folder.handle, part, Mode::RWXU) {
                Err(Errno::EXIST) => folder = folder.folder(Path::new(part))?,
                made => {
                    made?;
                    folder = folder.folder(Path::new(part))?;
                    // The umask can only remove bits; an unusual one must not lock us out.
                    rustix::fs::fchmod(&folder.handle, Mode::RWXU)?;
                }
            }
        }
        folder.path = self.path.join(below);
        Ok(folder)
    }

    /// Creates a folder below this one, accessible only to the user (0700).
    ///
    /// # Errors
    /// An entry with that name exists, or it cannot be created.
    pub(crate) fn make_new(&self, below: &Path) -> io::Result<()> {
        let (parent, name) = self.parent(below)?;
        rustix::fs::mkdirat(&parent, name, Mode::RWXU)?;
        let made = parent.folder(Path::new(name))?;
        Ok(rustix::fs::fchmod(&made.handle, Mode::RWXU)?)
    }

    /// Opens a regular file for reading. A pipe or a device in its place is refused without blocking.
    ///
    /// # Errors
    /// It does not exist, a part of the path is a link, or it cannot be opened.
    pub(crate) fn file(&self, below: &Path) -> io::Result<File> {
        self.file_with(below, OFlags::RDONLY, 0)
    }

    /// Opens a regular file with flags of `open`; `mode` applies to a file that they create.
    ///
    /// # Errors
    /// As for [`file`](Self::file).
    pub(crate) fn file_with(&self, below: &Path, flags: OFlags, mode: u32) -> io::Result<File> {
        let mode = Mode::from_bits_truncate(RawMode::try_from(mode).unwrap_or_default());
        let mode = if flags.contains(OFlags::CREATE) { mode } else { Mode::empty() };
        let file = File::from(self.handle(below, flags | OFlags::NONBLOCK, mode)?);
        if file.metadata()?.is_file() {
            Ok(file)
        } else {
            Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"))
        }
    }

    /// Reads a regular file; more than `limit` bytes are [`io::ErrorKind::FileTooLarge`].
    ///
    /// # Errors
    /// As for [`file`](Self::file).
    pub(crate) fn read(&self, below: &Path, limit: u64) -> io::Result<Vec<u8>> {
        let mut bytes = self.head(below, limit.saturating_add(1))?;
        if bytes.len() as u64 > limit {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        bytes.shrink_to_fit();
        Ok(bytes)
    }

    /// Reads at most the first `most` bytes of a regular file.
    ///
    /// # Errors
    /// As for [`file`](Self::file).
    pub(crate) fn head(&self, below: &Path, most: u64) -> io::Result<Vec<u8>> {
        let file = self.file(below)?;
        let size = file.metadata()?.len().saturating_add(1).min(most);
        let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or(0));
        file.take(most).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// Returns the target of a link, as stored.
    ///
    /// # Errors
    /// It does not exist, or a folder on the way is a link.
    pub(crate) fn read_link(&self, below: &Path) -> io::Result<Vec<u8>> {
        let (parent, name) = self.parent(below)?;
        Ok(rustix::fs::readlinkat(&parent.handle, name, Vec::new())?.into_bytes())
    }

    /// Returns the entry at a path; `None` if there is none.
    ///
    /// # Errors
    /// A folder on the way is a link or cannot be accessed.
    pub(crate) fn look(&self, below: &Path) -> io::Result<Option<Found>> {
        if parts(below)?.is_empty() {
            return Ok(Some(Found::of(&rustix::fs::fstat(&self.handle)?)));
        }
        let looked = self.parent(below).and_then(|(parent, name)| {
            let stat = rustix::fs::statat(&parent.handle, name, AtFlags::SYMLINK_NOFOLLOW)?;
            Ok(Found::of(&stat))
        });
        match looked {
            Ok(found) => Ok(Some(found)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Lists this folder, in the order of the file system, at most `most` entries. An entry deleted in the meantime is
    /// skipped.
    ///
    /// # Errors
    /// It cannot be listed.
    pub(crate) fn list(&self, most: usize) -> io::Result<Vec<Entry>> {
        let mut entries = Vec::new();
        for entry in Dir::read_from(&self.handle)? {
            let entry = entry?;
            let name = OsString::from_vec(entry.file_name().to_bytes().to_vec());
            if name == "." || name == ".." {
                continue;
            }
            if entries.len() == most {
                break;
            }
            let stat = rustix::fs::statat(&self.handle, &name, AtFlags::SYMLINK_NOFOLLOW);
            if let Ok(stat) = stat {
                entries.push(Entry { name, found: Found::of(&stat) });
            }
        }
        Ok(entries)
    }

    /// Sets the permission bits of this folder itself.
    ///
    /// # Errors
    /// It belongs to another user.
    pub(crate) fn set_mode(&self, mode: u32) -> io::Result<()> {
        let mode = Mode::from_bits_truncate(RawMode::try_from(mode).unwrap_or_default());
        Ok(rustix::fs::fchmod(&self.handle, mode)?)
    }

    /// Waits until the names in this folder are on disk.
    ///
    /// # Errors
    /// The disk failed.
    pub(crate) fn sync(&self) -> io::Result<()> {
        Ok(rustix::fs::fsync(&self.handle)?)
    }

    /// Renames within one folder below this one, replacing any existing entry.
    ///
    /// # Errors
    /// A folder on the way is a link, or the system refuses.
    pub(crate) fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let (from_folder, from) = self.parent(from)?;
        let (to_folder, to) = self.parent(to)?;
        Ok(rustix::fs::renameat(&from_folder.handle, from, &to_folder.handle, to)?)
    }

    /// Removes a file; for a link, the link itself.
    ///
    /// # Errors
    /// It does not exist, or the system refuses.
    pub(crate) fn remove_file(&self, below: &Path) -> io::Result<()> {
        let (parent, name) = self.parent(below)?;
        Ok(rustix::fs::unlinkat(&parent.handle, name, AtFlags::empty())?)
    }

    /// Removes a folder with its content; for links, the links themselves.
    ///
    /// # Errors
    /// It does not exist, or the system refuses.
    pub(crate) fn remove_all(&self, below: &Path) -> io::Result<()> {
        let (parent, name) = self.parent(below)?;
        let folder = parent.folder(Path::new(name))?;
        for entry in folder.list(usize::MAX)? {
            let name = Path::new(&entry.name);
            let removed = if entry.found.kind == FileType::Directory {
                folder.remove_all(name)
            } else {
                folder.remove_file(name)
            };
            match removed {
                // Removed by somebody else in the meantime.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                removed => removed?,
            }
        }
        Ok(rustix::fs::unlinkat(&parent.handle, name, AtFlags::REMOVEDIR)?)
    }

    /// Opens the folder that contains the entry at a path, and returns the entry's name.
    pub(super) fn parent<'a>(&self, below: &'a Path) -> io::Result<(Self, &'a OsStr)> {
        let mut parts = parts(below)?;
        let name = parts.pop().ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))?;
        let parent: PathBuf = parts.into_iter().collect();
        let handle = self.handle(&parent, WAY, Mode::empty())?;
        let path = self.path.join(parent);
        Ok((Self { handle, path }, name))
    }

    /// Opens the entry at a path, no part of which may be a link.
    pub(super) fn handle(&self, below: &Path, flags: OFlags, mode: Mode) -> io::Result<OwnedFd> {
        let parts = parts(below)?;
        #[cfg(all(target_os = "linux", not(portable)))]
        {
            use rustix::fs::ResolveFlags;
            let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
            let whole: PathBuf = parts.iter().collect();
            let whole = if parts.is_empty() { Path::new(".") } else { &whole };
            let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            match rustix::fs::openat2(&self.handle, whole, flags, mode, resolve) {
                Ok(handle) => return Ok(handle),
                Err(Errno::NOENT) => return Err(Errno::NOENT.into()),
                // An old kernel, a system call filter, or an error that the step-by-step walk
                // reports better.
                Err(_) => {}
            }
        }
        self.part_by_part(&parts, flags, mode)
    }

    /// The same if the kernel cannot do it in one call.
    pub(super) fn part_by_part(
        &self,
        parts: &[&OsStr],
        flags: OFlags,
        mode: Mode,
    ) -> io::Result<OwnedFd> {
        let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let Some((name, folders)) = parts.split_last() else {
            return Ok(rustix::fs::openat(&self.handle, ".", flags, mode)?);
        };
        let mut path = self.path.clone();
        let mut folder: Option<OwnedFd> = None;
        for part in folders {
            path.push(part);
            let above = folder.as_ref().unwrap_or(&self.handle);
            let flags = WAY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            let opened = rustix::fs::openat(above, *part, flags, Mode::empty());
            folder = Some(opened.map_err(|error| describe_error(above, part, &path, error))?);
        }
        path.push(name);
        let above = folder.as_ref().unwrap_or(&self.handle);
        rustix::fs::openat(above, *name, flags, mode)
            .map_err(|error| describe_error(above, name, &path, error))
    }
}

impl AsFd for Folder {
    fn as_fd(&self) -> std::os::fd::BorrowedFd<'_> {
        self.handle.as_fd()
    }
}

/// Determines whether a failed opening met a link. Systems report that with different error numbers, and some with
/// the one for not being a folder.
fn describe_error(above: &OwnedFd, name: &OsStr, path: &Path, error: Errno) -> io::Error {
    let met = rustix::fs::statat(above, name, AtFlags::SYMLINK_NOFOLLOW);
    let is_link =
        met.is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode as RawMode) == FileType::Symlink);
    if is_link && error != Errno::EXIST {
        let path = path.to_owned();
        io::Error::other(LinkError { path })
    } else {
        error.into()
    }
}

fn parts(below: &Path) -> io::Result<Vec<&OsStr>> {
    let mut parts = Vec::new();
    for part in below.components() {
        match part {
            Component::Normal(part) => parts.push(part),
            Component::CurDir => {}
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => {
                return Err(io::Error::new(
                    io::ErrorKind::InvalidFilename,
                    format!("{} leads out of its folder", below.display()),
                ));
            }
        }
    }
    Ok(parts)
}
