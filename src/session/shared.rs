//! Files of a project that several processes read and change: each is whole before and after every change.
//!
//! # Theory of operation
//!
//! A reader needs no lock, since a file is only ever replaced as a whole. A writer takes the folder's lock, reads,
//! changes, and replaces: a temporary file beside, synced, renamed, and the folder synced. A crash at any moment leaves
//! the old file or the new one, and the lock is released when its holder dies; what a killed process left half written
//! is removed when that file is replaced again. Nothing goes through a link: neither a file nor a folder below the root may be one.

use std::io;
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use chrono::{DateTime, Utc};

use super::StoreError;
use super::fs::{EntryKind, FileLock, Fs};
use super::store::ensure_dir;
use super::{lock, snapshot};

/// Maximum bytes of a file.
pub(crate) const MOST_BYTES: u64 = 64 << 20;
/// The longest wait for another process's change.
const PATIENCE: Duration = Duration::from_secs(10);

/// A folder of such files, with one lock for all.
#[derive(Debug, Clone)]
pub(crate) struct SharedFolder<'a> {
    fs: &'a dyn Fs,
    root: PathBuf,
    dir: PathBuf,
}

impl<'a> SharedFolder<'a> {
    /// Names a folder below `root`, which may itself be reached through a link: the user chose it. Does not touch the
    /// disk.
    pub(crate) fn new(fs: &'a dyn Fs, root: &Path, dir: &Path) -> Self {
        Self { fs, root: root.to_owned(), dir: dir.to_owned() }
    }

    /// Returns a folder in this one.
    pub(crate) fn within(&self, name: &str) -> Self {
        Self { fs: self.fs, root: self.root.clone(), dir: self.dir.join(name) }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.join(name)
    }

    /// Reads a file; `None` if there is none.
    pub(crate) fn read(&self, name: &str) -> Result<Option<Vec<u8>>, StoreError> {
        let path = self.path(name);
        if !self.exists()? || !self.is(&path, EntryKind::File)? {
            return Ok(None);
        }
        self.fs.read(&path, MOST_BYTES).map(Some).map_err(|error| {
            if error.kind() == io::ErrorKind::FileTooLarge {
                too_large(&path, self.fs.len(&path).unwrap_or(MOST_BYTES))
            } else {
                StoreError::io("read", &path)(error)
            }
        })
    }

    /// Returns the names of the files, sorted.
    pub(crate) fn names(&self) -> Result<Vec<String>, StoreError> {
        if !self.exists()? {
            return Ok(Vec::new());
        }
        let entries = self.fs.list(&self.dir).map_err(StoreError::io("list", &self.dir))?;
        let files = entries.into_iter().filter(|entry| entry.kind == EntryKind::File);
        Ok(files.map(|entry| entry.name).collect())
    }

    /// Makes the folder, and takes the lock on a file in it, which is never deleted.
    ///
    /// # Errors
    /// Another process has held it for 10 s, or the file system has no locks.
    pub(crate) fn lock(
        &self,
        name: &str,
        now: DateTime<Utc>,
    ) -> Result<Box<dyn FileLock>, StoreError> {
        self.make()?;
        let path = self.path(name);
        self.is(&path, EntryKind::File)?;
        lock::acquire(self.fs, &path, now, PATIENCE)
    }

    pub(crate) fn make(&self) -> Result<(), StoreError> {
        self.folders().iter().try_for_each(|dir| ensure_dir(self.fs, dir))
    }

    /// Replaces a file unless it holds these bytes. The caller holds the lock.
    pub(crate) fn replace(&self, name: &str, bytes: &[u8]) -> Result<(), StoreError> {
        let path = self.path(name);
        if bytes.len() as u64 > MOST_BYTES {
            return Err(too_large(&path, bytes.len() as u64));
        }
        // A link in its place would be replaced, not followed; it belongs to somebody else, so it is refused.
        if self.is(&path, EntryKind::File)?
            && self.fs.read(&path, bytes.len() as u64).is_ok_and(|there| there == bytes)
        {
            return self.settle(name);
        }
        snapshot::replace(self.fs, &path, bytes)
    }

    /// Makes sure that a file is on disk as it was read: its writer may have died before syncing.
    pub(crate) fn settle(&self, name: &str) -> Result<(), StoreError> {
        let path = self.path(name);
        (self.fs.sync_file(&path))
            .and_then(|()| self.fs.sync_dir(&self.dir))
            .map_err(StoreError::io("sync", &path))
    }

    fn exists(&self) -> Result<bool, StoreError> {
        for dir in self.folders() {
            if !self.is(&dir, EntryKind::Dir)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Returns the folders from below the root to this one, outermost first.
    fn folders(&self) -> Vec<PathBuf> {
        let below = self.dir.strip_prefix(&self.root).unwrap_or(Path::new(""));
        let mut at = self.root.clone();
        let parts = below.components().filter(|part| matches!(part, Component::Normal(_)));
        parts
            .map(|part| {
                at.push(part);
                at.clone()
            })
            .collect()
    }

    /// Whether there is an entry of this kind; any other is refused.
    fn is(&self, path: &Path, wanted: EntryKind) -> Result<bool, StoreError> {
        match self.fs.kind(path).map_err(StoreError::io("look at", path))? {
            None => Ok(false),
            Some(found) if found == wanted => Ok(true),
            Some(found) => Err(StoreError::WrongKind {
                path: path.to_owned(),
                wanted: wanted.words(),
                found: found.words(),
            }),
        }
    }
}

fn too_large(path: &Path, bytes: u64) -> StoreError {
    StoreError::TooLarge { path: path.to_owned(), bytes, limit: MOST_BYTES }
}
