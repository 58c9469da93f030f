//! The file system as sessions use it, behind one small trait, so that every fault can be tried.
//!
//! [`RealFs`] is the only implementation in the program. The operations are
//! those whose order crash safety depends on; each can fail, tear or be lost on
//! its own in [`MemFs`](super::memfs::MemFs).

use std::fmt;
use std::fs::{DirBuilder, File, OpenOptions, Permissions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;

use rustix::fs::OFlags;

/// What an entry of a directory is, without following links.
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
    /// Its name; names that are not UTF-8 are not listed (we never write such).
    pub name: String,
    /// What it is.
    pub kind: EntryKind,
    /// Its size in bytes, 0 unless a file.
    pub len: u64,
}

/// A file open for appending.
pub trait AppendFile: Send + fmt::Debug {
    /// Appends all bytes, with as few writes as the system allows.
    fn append(&mut self, bytes: &[u8]) -> io::Result<()>;
    /// Waits until the file's bytes are on the disk. A failure must not be tried again.
    fn sync(&mut self) -> io::Result<()>;
}

/// A held lock; dropping it lets go.
pub trait Held: Send + fmt::Debug {}

/// What came of trying to lock.
#[derive(Debug)]
pub enum TryLock {
    /// We hold it.
    Held(Box<dyn Held>),
    /// Another process does. Holds what it wrote into the file.
    Busy(Vec<u8>),
    /// This file system has no locks.
    Unsupported,
}

/// Whether somebody holds a lock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LockState {
    /// Nobody, or there is no lock file.
    Free,
    /// A running process. Holds what it wrote into the file.
    Busy(Vec<u8>),
    /// This file system has no locks, so nobody knows.
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
    /// Cuts a file to `len` bytes.
    fn truncate(&self, path: &Path, len: u64) -> io::Result<()>;
    /// Waits until a file's bytes are on the disk.
    fn sync_file(&self, path: &Path) -> io::Result<()>;
    /// Waits until a directory's names are on the disk.
    fn sync_dir(&self, path: &Path) -> io::Result<()>;
    /// Renames within one directory, replacing what is there.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Reads a regular file; more than `limit` bytes are [`io::ErrorKind::FileTooLarge`].
    fn read(&self, path: &Path, limit: u64) -> io::Result<Vec<u8>>;
    /// Returns the size of a regular file.
    fn len(&self, path: &Path) -> io::Result<u64>;
    /// Returns what stands at a path; `None`: nothing.
    fn kind(&self, path: &Path) -> io::Result<Option<EntryKind>>;
    /// Returns the permission bits of what stands at a path.
    fn mode(&self, path: &Path) -> io::Result<u32>;
    /// Lists a directory, sorted by name.
    fn list(&self, path: &Path) -> io::Result<Vec<Entry>>;
    /// Removes a file.
    fn remove_file(&self, path: &Path) -> io::Result<()>;
    /// Removes a directory with all it holds.
    fn remove_dir_all(&self, path: &Path) -> io::Result<()>;
    /// Takes the exclusive lock on a file, creating it, and writes `contents` into it. Does not wait.
    fn try_lock(&self, path: &Path, contents: &[u8]) -> io::Result<TryLock>;
    /// Says whether somebody holds the lock, without creating the file.
    fn lock_state(&self, path: &Path) -> io::Result<LockState>;
}

/// Most bytes that are read from a lock file.
const LOCK_BYTES: u64 = 4096;

/// The file system of the machine.
#[derive(Debug, Clone, Copy, Default)]
pub struct RealFs;

/// `O_NOFOLLOW` for every open; `O_NONBLOCK` so that a pipe in a file's place cannot hold us.
fn flags() -> i32 {
    #[expect(
        clippy::cast_possible_wrap,
        reason = "the flags are small positive numbers"
    )]
    let bits = (OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC).bits() as i32;
    bits
}

fn open_regular(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    let file = options.custom_flags(flags()).open(path)?;
    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "not a regular file",
        ))
    }
}

fn kind_of(file_type: std::fs::FileType) -> EntryKind {
    if file_type.is_symlink() {
        EntryKind::Link
    } else if file_type.is_dir() {
        EntryKind::Dir
    } else if file_type.is_file() {
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

/// The open file is the lock: closing it, also by the death of the process, lets go.
#[derive(Debug)]
struct RealHeld(#[expect(dead_code, reason = "held for its descriptor alone")] File);

impl Held for RealHeld {}

fn read_capped(file: &mut File, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    Ok(bytes)
}

/// Locks that a file system does not have answer with one of these.
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
        DirBuilder::new().mode(0o700).create(path)?;
        // The umask can only take bits away; an odd one must not lock us out.
        std::fs::set_permissions(path, Permissions::from_mode(0o700))
    }

    fn write_new(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let mut file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .custom_flags(flags())
            .open(path)?;
        file.set_permissions(Permissions::from_mode(0o600))?;
        file.write_all(bytes)
    }

    fn open_append(&self, path: &Path) -> io::Result<Box<dyn AppendFile>> {
        let file = open_regular(OpenOptions::new().append(true), path)?;
        Ok(Box::new(RealAppend(file)))
    }

    fn truncate(&self, path: &Path, len: u64) -> io::Result<()> {
        open_regular(OpenOptions::new().write(true), path)?.set_len(len)
    }

    fn sync_file(&self, path: &Path) -> io::Result<()> {
        open_regular(OpenOptions::new().read(true), path)?.sync_all()
    }

    fn sync_dir(&self, path: &Path) -> io::Result<()> {
        File::open(path)?.sync_all()
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        std::fs::rename(from, to)
    }

    fn read(&self, path: &Path, limit: u64) -> io::Result<Vec<u8>> {
        read_capped(
            &mut open_regular(OpenOptions::new().read(true), path)?,
            limit,
        )
    }

    fn len(&self, path: &Path) -> io::Result<u64> {
        let metadata = std::fs::symlink_metadata(path)?;
        if metadata.is_file() {
            Ok(metadata.len())
        } else {
            Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                "not a regular file",
            ))
        }
    }

    fn kind(&self, path: &Path) -> io::Result<Option<EntryKind>> {
        match std::fs::symlink_metadata(path) {
            Ok(metadata) => Ok(Some(kind_of(metadata.file_type()))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn mode(&self, path: &Path) -> io::Result<u32> {
        Ok(std::fs::symlink_metadata(path)?.permissions().mode() & 0o7777)
    }

    fn list(&self, path: &Path) -> io::Result<Vec<Entry>> {
        let mut entries = Vec::new();
        for entry in std::fs::read_dir(path)? {
            let entry = entry?;
            let Ok(name) = entry.file_name().into_string() else {
                continue;
            };
            // Between listing and looking, another process may have removed it.
            let Ok(metadata) = std::fs::symlink_metadata(entry.path()) else {
                continue;
            };
            entries.push(Entry {
                name,
                kind: kind_of(metadata.file_type()),
                len: if metadata.is_file() {
                    metadata.len()
                } else {
                    0
                },
            });
        }
        entries.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(entries)
    }

    fn remove_file(&self, path: &Path) -> io::Result<()> {
        std::fs::remove_file(path)
    }

    fn remove_dir_all(&self, path: &Path) -> io::Result<()> {
        std::fs::remove_dir_all(path)
    }

    fn try_lock(&self, path: &Path, contents: &[u8]) -> io::Result<TryLock> {
        let mut options = OpenOptions::new();
        options
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600);
        // std opens close-on-exec: a child that outlives us cannot keep the lock.
        let mut file = open_regular(&mut options, path)?;
        match file.try_lock() {
            Ok(()) => {
                file.set_permissions(Permissions::from_mode(0o600))?;
                file.set_len(0)?;
                file.rewind()?;
                file.write_all(contents)?;
                Ok(TryLock::Held(Box::new(RealHeld(file))))
            }
            Err(TryLockError::WouldBlock) => Ok(TryLock::Busy(
                read_capped(&mut file, LOCK_BYTES).unwrap_or_default(),
            )),
            Err(TryLockError::Error(error)) if no_locks(&error) => Ok(TryLock::Unsupported),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    fn lock_state(&self, path: &Path) -> io::Result<LockState> {
        let mut file = match open_regular(OpenOptions::new().read(true), path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(LockState::Free),
            Err(error) => return Err(error),
        };
        match file.try_lock_shared() {
            Ok(()) => Ok(LockState::Free),
            Err(TryLockError::WouldBlock) => Ok(LockState::Busy(
                read_capped(&mut file, LOCK_BYTES).unwrap_or_default(),
            )),
            Err(TryLockError::Error(error)) if no_locks(&error) => Ok(LockState::Unknown),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }
}
