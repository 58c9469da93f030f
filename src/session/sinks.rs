//! `sinks.json` of a session: the sinks for its result, and the steps done for each.
//!
//! It is written before the session asks anybody, so that a crash after the last answer leaves a record of what is to
//! be sent, and rewritten after every step. A step that is done but not recorded is repeated: each one finds what it
//! did before. Like everything in a session it is input: it names no program, argument or target; the configuration
//! supplies those by the sink's name.

use std::io;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::error::StoreError;
use super::fs::{EntryKind, FileLock};
use super::store::Store;
use super::{lock, snapshot};
use crate::journal::key::sha;
use crate::ordered::{BTreeMap, BTreeSet, Gather};

const VERSION: u32 = 1;

/// Maximum number of bytes of the file that are read.
const MOST_BYTES: u64 = 1 << 20;

/// The state of a session's deliveries.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Deliveries {
    version: u32,
    /// The sinks, by name.
    #[serde(default)]
    pub sinks: BTreeMap<String, Delivery>,
}

impl Default for Deliveries {
    fn default() -> Self {
        Self { version: VERSION, sinks: BTreeMap::new() }
    }
}

/// The delivery to one sink.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Delivery {
    /// Whether everything was sent.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub done: bool,
    /// The keys of the steps that are done.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub steps: BTreeSet<String>,
    /// Why the last attempt failed, or why nothing was sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

impl Store {
    /// Reads the deliveries of a session, by its full id; `None`: no sink was configured when it ran.
    ///
    /// # Errors
    /// The file cannot be read, or is not in our format.
    pub fn deliveries(&self, id: &str) -> Result<Option<Deliveries>, StoreError> {
        let path = self.paths(id).sinks();
        let bytes = match self.fs.read(&path, MOST_BYTES) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(StoreError::io("read", &path)(error)),
        };
        let read: Deliveries = serde_json::from_slice(&bytes)
            .map_err(io::Error::other)
            .map_err(StoreError::io("understand", &path))?;
        if read.version > VERSION {
            let what = io::Error::other("a newer version of debate-agent wrote it");
            return Err(StoreError::io("understand", &path)(what));
        }
        Ok(Some(read))
    }

    /// Records, outside of the project, that this user's runs owe the session's result: a file in a project does not
    /// say who wrote it.
    ///
    /// # Errors
    /// The mark cannot be written.
    pub fn mark_owed(&self, id: &str) -> Result<(), StoreError> {
        let Some(mark) = self.owed_mark(id) else { return Ok(()) };
        if let Some(dir) = mark.parent() {
            super::store::ensure_dir(self.fs.as_ref(), dir)?;
        }
        match self.fs.write_new(&mark, b"") {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                Err(StoreError::io("write", &mark)(error))
            }
            Ok(()) | Err(_) => Ok(()),
        }
    }

    /// Whether the session is [marked](Self::mark_owed).
    pub fn was_run_here(&self, id: &str) -> bool {
        let kind = |mark: PathBuf| self.fs.kind(&mark).ok().flatten();
        self.owed_mark(id).and_then(kind) == Some(EntryKind::File)
    }

    fn owed_mark(&self, id: &str) -> Option<PathBuf> {
        let dir = self.paths(id).dir;
        Some(self.state.as_ref()?.join("owed").join(sha(dir.as_os_str().as_encoded_bytes())))
    }

    /// Replaces it. The caller holds the session's lock.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn keep_deliveries(&self, id: &str, all: &Deliveries) -> Result<(), StoreError> {
        let path = self.paths(id).sinks();
        let bytes = serde_json::to_vec_pretty(all)
            .map_err(io::Error::other)
            .map_err(StoreError::io("write", &path))?;
        snapshot::replace(self.fs.as_ref(), &path, &bytes)
    }

    /// Locks a session by its full id, so that nobody else continues or sends it.
    ///
    /// # Errors
    /// It is locked, or the file system refuses.
    pub fn lock(&self, id: &str) -> Result<Box<dyn FileLock>, StoreError> {
        let lock = self.paths(id).lock();
        lock::acquire(self.fs.as_ref(), &lock, self.env.now(), lock::PATIENCE)
    }
}

impl Deliveries {
    /// Creates deliveries to the sinks with these names, with nothing sent.
    pub fn to(names: impl Iterator<Item = String>) -> Self {
        Self { sinks: names.map(|name| (name, Delivery::default())).gather(), ..Self::default() }
    }

    /// Returns the sinks with steps left to do.
    pub fn pending(&self) -> impl Iterator<Item = (&str, &Delivery)> {
        let open = |(_, delivery): &(&String, &Delivery)| !delivery.done;
        self.sinks.iter().filter(open).map(|(name, delivery)| (name.as_str(), delivery))
    }
}
