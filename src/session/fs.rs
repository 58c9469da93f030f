//! The file system as used by sessions, behind one small trait, so that every fault can be tested.
//!
//! [`RealFs`] is the only implementation in the program. The operations are those whose order crash
//! safety depends on; each can fail, tear or be lost individually in
//! `tests/memfs`.

use std::fmt;
use std::fs::{File, Permissions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use rustix::fs::{FileType, OFlags};

use crate::files::{Folder, Found};

/// The kind of a directory entry, without following links.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryKind {
    /// A regular file.
    File,
    /// A directory.
    Dir,
    /// A symbolic link.
    Link,
    /// A pipe, a socket, a device.
    Other,
}

impl EntryKind {
    /// Returns the kind in words, for messages.
    pub fn words(self) -> &'static str {
        match self {
            Self::File => "a file",
            Self::Dir => "a directory",
            Self::Link => "a symbolic link",
            Self::Other => "a special file",
        }
    }
}

/// One entry of a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its name; names that are not UTF-8 are not listed (we never write any).
    pub name: String,
    /// Its kind.
    pub kind: EntryKind,
    /// Its size in bytes, 0 unless it is a file.
    pub len: u64,
}

/// The owner and permissions of a file or directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ownership {
    /// Whether anybody but its owner has any permission.
    pub is_wide: bool,
    /// Whether it belongs to the user running this program.
    pub by_us: bool,
}

/// A file open for appending.
pub trait AppendFile: Send + fmt::Debug {
    /// Appends all bytes, with as few writes as the system allows.
    fn append(&mut self, bytes: &[u8]) -> io::Result<()>;
    /// Waits until the file's bytes are on disk. A failure must not be retried.
    fn sync(&mut self) -> io::Result<()>;
}

/// A held lock; dropping it releases it.
pub trait FileLock: Send + fmt::Debug {}

/// The result of trying to lock.
#[derive(Debug)]
pub enum TryLock {
    /// We hold it.
    Held(Box<dyn FileLock>),
    /// Another process holds it. Contains what it wrote into the file.
    Busy(Vec<u8>),
    /// This file system has no locks.
    Unsupported,
}

/// Whether somebody holds a lock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LockState {
    /// Nobody does, or there is no lock file.
    Free,
    /// A running process does. Contains what it wrote into the file.
    Busy(Vec<u8>),
    /// This file system has no locks, so it is unknown.
    Unknown,
}

/// The operations that sessions need. No operation follows a symbolic link at the path's end.
pub trait Fs: Send + Sync + fmt::Debug {
    /// Creates one directory with mode 0700; an existing entry is an error.
    fn create_dir(&self, path: &Path) -> io::Result<()>;
    /// Creates a file with mode 0600 and these bytes; an existing entry is an error.
    fn write_new(&self, path: &Path, bytes: &[u8]) -> io::Result<()>;
    /// Opens an existing regular file for appending.
    fn open_append(&self, path: &Path) -> io::Result<Box<dyn AppendFile>>;
    /// Truncates a file to `len` bytes.
    fn truncate(&self, path: &Path, len: u64) -> io::Result<()>;
    /// Waits until a file's bytes are on disk.
    fn sync_file(&self, path: &Path) -> io::Result<()>;
    /// Waits until a directory's names are on disk.
    fn sync_dir(&self, path: &Path) -> io::Result<()>;
    /// Renames within one directory, replacing any existing entry.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Reads a regular file; more than `limit` bytes are [`io::ErrorKind::FileTooLarge`].
    fn read(&self, path: &Path, limit: u64) -> io::Result<Vec<u8>>;
    /// Returns the size of a regular file.
    fn len(&self, path: &Path) -> io::Result<u64>;
    /// Returns the kind of entry at a path; `None` if there is none.
    fn kind(&self, path: &Path) -> io::Result<Option<EntryKind>>;
    /// Returns the ownership of the entry at a path.
    fn owned(&self, path: &Path) -> io::Result<Ownership>;
    /// Makes a file (0600) or a directory (0700) private.
    fn set_private(&self, path: &Path) -> io::Result<()>;
    /// Lists a directory, sorted by name.
    fn list(&self, path: &Path) -> io::Result<Vec<Entry>>;
    /// Removes a file.
    fn remove_file(&self, path: &Path) -> io::Result<()>;
    /// Removes a directory with its content.
    fn remove_dir_all(&self, path: &Path) -> io::Result<()>;
    /// Takes the exclusive lock on a file, creating it, and writes `contents` into it. Does not wait.
    fn try_lock(&self, path: &Path, contents: &[u8]) -> io::Result<TryLock>;
    /// Returns whether somebody holds the lock, without creating the file.
    fn lock_state(&self, path: &Path) -> io::Result<LockState>;
}

/// Maximum number of bytes read from a lock file.
const LOCK_BYTES: u64 = 4096;

/// The file system of the machine.
///
/// Paths below its root are opened part by part, and no part may be a link ([`crate::files`]); for other paths,
/// only the last part may not be one.
#[derive(Debug, Clone, Default)]
pub struct RealFs {
    root: Option<PathBuf>,
}

impl RealFs {
    /// The file system with a project's root: absolute, without links.
    pub fn below(root: &Path) -> Self {
        Self { root: Some(root.to_owned()) }
    }

    fn at<'a>(&self, path: &'a Path) -> io::Result<(Folder, &'a Path)> {
        Folder::towards(self.root.as_deref(), path)
    }

    fn open(&self, path: &Path, flags: OFlags) -> io::Result<File> {
        let (folder, below) = self.at(path)?;
        folder.file_with(below, flags, 0o600)
    }

    fn found(&self, path: &Path) -> io::Result<Option<Found>> {
        match self.at(path) {
            Ok((folder, below)) => folder.look(below),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }
}

fn kind_of(kind: FileType) -> EntryKind {
    if kind.is_symlink() {
        EntryKind::Link
    } else if kind.is_dir() {
        EntryKind::Dir
    } else if kind.is_file() {
        EntryKind::File
    } else {
        EntryKind::Other
    }
}

#[derive(Debug)]
struct RealAppend(File);

impl AppendFile for RealAppend {
    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.0.write_all(bytes)
    }
    fn sync(&mut self) -> io::Result<()> {
        self.0.sync_all()
    }
}

/// The open file is the lock: closing it, also by the death of the process, releases it.
#[derive(Debug)]
struct RealFileLock(#[expect(dead_code, reason = "held for its descriptor alone")] File);

impl FileLock for RealFileLock {}

fn read_capped(file: &mut File, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    Ok(bytes)
}

/// Whether an error is one of those returned by file systems without locks.
fn no_locks(error: &io::Error) -> bool {
    use rustix::io::Errno;
    error.kind() == io::ErrorKind::Unsupported
        || error.raw_os_error().is_some_and(|code| {
            [Errno::NOSYS, Errno::NOLCK, Errno::OPNOTSUPP, Errno::INVAL]
                .iter()
                .any(|errno| errno.raw_os_error() == code)
        })
}

impl Fs for RealFs {
    fn create_dir(&self, path: &Path) -> io::Result<()> {
        let (folder, below) = self.at(path)?;
        folder.make_new(below)
    }

    fn write_new(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let mut file = self.open(path, OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL)?;
        file.set_permissions(Permissions::from_mode(0o600))?;
        file.write_all(bytes)
    }

    fn open_append(&self, path: &Path) -> io::Result<Box<dyn AppendFile>> {
        let file = self.open(path, OFlags::WRONLY | OFlags::APPEND)?;
        Ok(Box::new(RealAppend(file)))
    }

    fn truncate(&self, path: &Path, len: u64) -> io::Result<()> {
        self.open(path, OFlags::WRONLY)?.set_len(len)
    }

    fn sync_file(&self, path: &Path) -> io::Result<()> {
        self.open(path, OFlags::RDONLY)?.sync_all()
    }

    fn sync_dir(&self, path: &Path) -> io::Result<()> {
        let (folder, below) = self.at(path)?;
        folder.folder(below)?.sync()
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let (folder, from) = self.at(from)?;
        let to = from.with_file_name(to.file_name().unwrap_or_default());
        folder.rename(from, &to)
    }

    fn read(&self, path: &Path, limit: u64) -> io::Result<Vec<u8>> {
        let (folder, below) = self.at(path)?;
        folder.read(below, limit)
    }

    fn len(&self, path: &Path) -> io::Result<u64> {
        match self.found(path)? {
            Some(found) if found.kind.is_file() => Ok(found.len),
            Some(_) => Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file")),
            None => Err(io::ErrorKind::NotFound.into()),
        }
    }

    fn kind(&self, path: &Path) -> io::Result<Option<EntryKind>> {
        Ok(self.found(path)?.map(|found| kind_of(found.kind)))
    }

    fn owned(&self, path: &Path) -> io::Result<Ownership> {
        let found = (self.found(path)?).ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))?;
        Ok(Ownership {
            is_wide: found.mode & 0o077 != 0,
            by_us: found.owner == rustix::process::geteuid().as_raw(),
        })
    }

    fn set_private(&self, path: &Path) -> io::Result<()> {
        let (folder, below) = self.at(path)?;
        match folder.look(below)? {
            Some(found) if found.kind.is_dir() => folder.folder(below)?.set_mode(0o700),
            _ => (folder.file(below)?).set_permissions(Permissions::from_mode(0o600)),
        }
    }

    fn list(&self, path: &Path) -> io::Result<Vec<Entry>> {
        let (folder, below) = self.at(path)?;
        let mut entries: Vec<Entry> = (folder.folder(below)?.list(usize::MAX)?.into_iter())
            .filter_map(|entry| {
                let is_file = entry.found.kind.is_file();
                Some(Entry {
                    name: entry.name.into_string().ok()?,
                    kind: kind_of(entry.found.kind),
                    len: if is_file { entry.found.len } else { 0 },
                })
            })
            .collect();
        entries.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(entries)
    }

    fn remove_file(&self, path: &Path) -> io::Result<()> {
        let (folder, below) = self.at(path)?;
        folder.remove_file(below)
    }

    fn remove_dir_all(&self, path: &Path) -> io::Result<()> {
        let (folder, below) = self.at(path)?;
        folder.remove_all(below)
    }

    fn try_lock(&self, path: &Path, contents: &[u8]) -> io::Result<TryLock> {
        // Close-on-exec, like all others: a child that outlives us cannot keep the lock.
        let mut file = self.open(path, OFlags::RDWR | OFlags::CREATE)?;
        match file.try_lock() {
            Ok(()) => {
                file.set_permissions(Permissions::from_mode(0o600))?;
                file.set_len(0)?;
                file.rewind()?;
                file.write_all(contents)?;
                Ok(TryLock::Held(Box::new(RealFileLock(file))))
            }
            Err(TryLockError::WouldBlock) => {
                Ok(TryLock::Busy(read_capped(&mut file, LOCK_BYTES).unwrap_or_default()))
            }
            Err(TryLockError::Error(error)) if no_locks(&error) => Ok(TryLock::Unsupported),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    fn lock_state(&self, path: &Path) -> io::Result<LockState> {
        let mut file = match self.open(path, OFlags::RDONLY) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(LockState::Free),
            Err(error) => return Err(error),
        };
        match file.try_lock_shared() {
            Ok(()) => Ok(LockState::Free),
            Err(TryLockError::WouldBlock) => {
                Ok(LockState::Busy(read_capped(&mut file, LOCK_BYTES).unwrap_or_default()))
            }
            Err(TryLockError::Error(error)) if no_locks(&error) => Ok(LockState::Unknown),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }
}
