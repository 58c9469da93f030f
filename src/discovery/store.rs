//! The backlog on disk: one JSON file that is read, changed and replaced under a lock.
//!
//! # Theory of operation
//!
//! | entry below `paths.backlog` | content |
//! |---|---|
//! | `candidates.json` | `{"opportunities": [...]}`: the single source of truth about the items |
//! | `debates/<session id>.json` | the result of a partner debate, decided or not; a rehearsal leaves none |
//! | `candidates.lock` | an advisory lock containing its holder's pid; never deleted |
//!
//! A reader needs no lock, since the file is only ever replaced as a whole. A writer takes the lock, reads, changes,
//! writes a temporary file, syncs it, renames it, and syncs the folder. A crash at any moment leaves the old file or
//! the new one, and the lock is released when its holder dies.
//!
//! The file may have been written by hand or by another version: unknown content is kept, byte for byte in items that
//! do not change. Content that cannot be understood is an error with its location, never an empty backlog.

use std::collections::HashMap;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::thread::sleep;
use std::time::Duration;

use serde_json::{Map, Value};

use crate::env::{Env, unique};
use crate::protocol::backlog::intake;
use crate::protocol::backlog::model::{DebateSession, Opportunity, OpportunityStatus};
use crate::session::Holder;
use crate::session::fs::{EntryKind, FileLock, Fs, TryLock};
use crate::text::Note;
use crate::text::redact::{Redacted, Redactor};

mod debate;
mod error;

pub use debate::ApplyResult;
pub use error::BacklogError;

/// Maximum size of a file read or written here: 64 MiB.
const MOST_BYTES: u64 = 64 << 20;
/// The pauses while waiting for the lock: growing from the first to the second, until they add up to the third. The
/// second is short, so that a busy process does not always get in first.
const PAUSES: (Duration, Duration, Duration) =
    (Duration::from_millis(1), Duration::from_millis(10), Duration::from_secs(10));
const FILE: &str = "candidates.json";
const LOCK: &str = "candidates.lock";
/// The suffix of files being written.
const TEMP: &str = ".tmp";
/// The member of the file that contains the items.
const ITEMS: &str = "opportunities";

/// Generates a random name for a temporary file. The store has no randomness of its own.
pub type Token = fn() -> String;

#[derive(Debug, Clone)]
pub struct BacklogStore {
    fs: Arc<dyn Fs>,
    root: PathBuf,
    folder: String,
    env: Env,
    redactor: Redactor,
    patience: Duration,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Backlog {
    /// All items, in order of arrival.
    pub opportunities: Vec<Opportunity>,
    /// Warnings: `unknown_field`, `stored_debating`.
    pub warnings: Vec<Note>,
}

/// The file as read: the part that is ours, and the whole.
#[derive(Default)]
struct StoreContent {
    backlog: Backlog,
    document: Map<String, Value>,
}

impl BacklogStore {
    /// Creates the store for a project folder (`paths.backlog`). Does not touch the disk.
    pub fn open(fs: Arc<dyn Fs>, root: &Path, folder: &str, env: Env) -> Self {
        let (root, folder) = (root.to_owned(), folder.to_owned());
        Self { fs, root, folder, env, redactor: Redactor::new(&[]), patience: PAUSES.2 }
    }

    /// Also keeps what this redactor knows out of the file.
    #[must_use]
    pub fn redacting(self, redactor: Redactor) -> Self {
        Self { redactor, ..self }
    }

    /// Returns the path of the store's file, whether it exists or not.
    pub fn path(&self) -> PathBuf {
        self.dir().join(FILE)
    }

    fn dir(&self) -> PathBuf {
        self.root.join(&self.folder)
    }

    /// Reads the backlog. A missing file is an empty one; content that cannot be understood is an
    /// error.
    pub fn read(&self) -> Result<Backlog, BacklogError> {
        self.load().map(|loaded| loaded.backlog)
    }

    /// Changes the items under the lock, and replaces the file if they changed.
    ///
    /// An error from `edit` leaves everything as it was.
    pub fn change<T, E: From<BacklogError>>(
        &self,
        edit: impl FnOnce(&mut Vec<Opportunity>) -> Result<T, E>,
    ) -> Result<T, E> {
        let _held = self.lock()?;
        let loaded = self.load()?;
        let mut items = loaded.backlog.opportunities.clone();
        let result = edit(&mut items)?;
        if items != loaded.backlog.opportunities {
            self.save(&loaded, &items)?;
        }
        Ok(result)
    }

    fn load(&self) -> Result<StoreContent, BacklogError> {
        for dir in self.folders()? {
            if !self.is(&dir, EntryKind::Dir, "a directory")? {
                return Ok(StoreContent::default());
            }
        }
        let path = self.path();
        if !self.is(&path, EntryKind::File, "a file")? {
            return Ok(StoreContent::default());
        }
        let bytes = self.read_file(&path)?;
        let (mut opportunities, mut warnings) = self.understand(&path, &bytes)?;
        let document = match serde_json::from_slice(&bytes) {
            Ok(Value::Object(document)) if document.contains_key(ITEMS) => document,
            Ok(Value::Array(_)) => return Err(not_a_store(path, "an array")),
            Ok(_) | Err(_) => return Err(not_a_store(path, "items one after another")),
        };
        for item in &mut opportunities {
            if item.status == OpportunityStatus::Debating {
                // This status is shown for items of a live session, and never stored.
                item.status = OpportunityStatus::Discovered;
                let message = format!(
                    "`{}` is stored as `debating`, which only a running debate can set; it is read as `discovered`",
                    item.opportunity_id
                );
                warnings.push(Note::new("stored_debating", message));
            }
        }
        Ok(StoreContent { backlog: Backlog { opportunities, warnings }, document })
    }

    fn read_file(&self, path: &Path) -> Result<Vec<u8>, BacklogError> {
        self.fs.read(path, MOST_BYTES).map_err(|source| {
            if source.kind() == io::ErrorKind::FileTooLarge {
                BacklogError::TooLarge {
                    path: path.to_owned(),
                    bytes: self.fs.len(path).unwrap_or(MOST_BYTES),
                    limit: MOST_BYTES,
                }
            } else {
                BacklogError::io("read", path)(source)
            }
        })
    }

    fn understand(
        &self,
        path: &Path,
        bytes: &[u8],
    ) -> Result<(Vec<Opportunity>, Vec<Note>), intake::IntakeError> {
        let limits = intake::Limits {
            bytes: usize::try_from(MOST_BYTES).unwrap_or(usize::MAX),
            // No limit: a debate takes fewer, the store takes all.
            opportunities: usize::MAX,
        };
        let name = path.display().to_string();
        intake::read_all(&name, bytes, self.env.now(), limits, intake::Origin::Store)
    }

    /// Replaces the file. Unchanged items stay as they were written, as does unknown content.
    fn save(&self, loaded: &StoreContent, items: &[Opportunity]) -> Result<(), BacklogError> {
        let before: HashMap<&str, (&Opportunity, &Value)> = (loaded.backlog.opportunities.iter())
            .zip(loaded.document.get(ITEMS).and_then(Value::as_array).into_iter().flatten())
            .map(|(item, raw)| (item.opportunity_id.as_str(), (item, raw)))
            .collect();
        let mut written = Vec::with_capacity(items.len());
        for item in items {
            written.push(match before.get(item.opportunity_id.as_str()) {
                Some((same, raw)) if *same == item => (*raw).clone(),
                Some((old, raw)) => overlaid(raw, &self.value(old)?, self.value(item)?),
                None => self.value(item)?,
            });
        }
        let mut document = loaded.document.clone();
        document.insert(ITEMS.to_owned(), Value::Array(written));
        let path = self.path();
        let bytes = pretty(&Value::Object(document))?;
        self.understand(&path, &bytes)
            .map_err(|error| BacklogError::Unwritable(error.to_string()))?;
        self.replace(&path, &bytes)
    }

    /// Returns an item as it is written: without secrets.
    fn value(&self, item: &Opportunity) -> Result<Value, BacklogError> {
        (serde_json::to_value(item).and_then(|item| self.redactor.value(item)))
            .map(Redacted::into_inner)
            .map_err(|error| BacklogError::Unwritable(error.to_string()))
    }

    /// Writes a file so that a crash leaves the old one or the new one.
    fn replace(&self, path: &Path, bytes: &[u8]) -> Result<(), BacklogError> {
        let size = bytes.len() as u64;
        if size > MOST_BYTES {
            return Err(BacklogError::TooLarge {
                path: path.to_owned(),
                bytes: size,
                limit: MOST_BYTES,
            });
        }
        let fs = self.fs.as_ref();
        let dir = path.parent().unwrap_or(&self.root);
        self.sweep(dir)?;
        // A link in its place would be replaced, not followed; it belongs to somebody else, so it
        // is refused.
        self.is(path, EntryKind::File, "a file")?;
        let mut temp = path.as_os_str().to_owned();
        temp.push(format!(".{}{TEMP}", unique()));
        let temp = PathBuf::from(temp);
        let written = fs
            .write_new(&temp, bytes)
            .and_then(|()| fs.sync_file(&temp))
            .map_err(BacklogError::io("write", &temp))
            .and_then(|()| fs.rename(&temp, path).map_err(BacklogError::io("replace", path)));
        if written.is_err() {
            // If it remains, the next change removes it.
            fs.remove_file(&temp).ok();
        }
        written?;
        fs.sync_dir(dir).map_err(BacklogError::io("sync", dir))
    }

    /// Removes files left half-written by killed processes. The holder of the lock is alone here.
    fn sweep(&self, dir: &Path) -> Result<(), BacklogError> {
        let entries = self.fs.list(dir).map_err(BacklogError::io("list", dir))?;
        for entry in entries {
            let ours = entry.kind == EntryKind::File
                && entry.name.ends_with(TEMP)
                && entry.name.contains(".json.");
            if ours {
                let path = dir.join(entry.name);
                self.fs.remove_file(&path).map_err(BacklogError::io("remove", &path))?;
            }
        }
        Ok(())
    }

    /// Takes the lock; waits for its holder with growing pauses, at most 10 s.
    fn lock(&self) -> Result<Box<dyn FileLock>, BacklogError> {
        self.make_folders(&self.folders()?)?;
        let path = self.dir().join(LOCK);
        self.is(&path, EntryKind::File, "a file")?;
        let me = Holder { pid: std::process::id(), since: self.env.now() };
        let contents = serde_json::to_vec(&me)
            .map_err(io::Error::other)
            .map_err(BacklogError::io("write", &path))?;
        let (mut pause, mut waited) = (PAUSES.0, Duration::ZERO);
        loop {
            match self.fs.try_lock(&path, &contents).map_err(BacklogError::io("lock", &path))? {
                TryLock::Held(held) => return Ok(held),
                TryLock::Busy(_) if waited < self.patience => {
                    sleep(pause);
                    waited += pause;
                    pause = (pause * 2).min(PAUSES.1);
                }
                TryLock::Busy(bytes) => {
                    return Err(BacklogError::Locked {
                        path,
                        holder: Holder::parse(&bytes),
                        waited_seconds: self.patience.as_secs(),
                    });
                }
                TryLock::Unsupported => return Err(BacklogError::LockUnsupported { path }),
            }
        }
    }

    /// Returns the folders from below the root to the store's own, outermost first.
    fn folders(&self) -> Result<Vec<PathBuf>, BacklogError> {
        let outside =
            || BacklogError::Outside { folder: self.folder.clone(), root: self.root.clone() };
        let dir = self.dir();
        let below = dir.strip_prefix(&self.root).map_err(|_| outside())?;
        let mut folders = vec![self.root.clone()];
        for part in below.components() {
            match part {
                Component::Normal(name) => {
                    let next = folders.last().unwrap_or(&self.root).join(name);
                    folders.push(next);
                }
                Component::CurDir => {}
                Component::ParentDir | Component::RootDir | Component::Prefix(_) => {
                    return Err(outside());
                }
            }
        }
        // The root itself may be reached through a link: the user chose it.
        folders.remove(0);
        Ok(folders)
    }

    fn make_folders(&self, folders: &[PathBuf]) -> Result<(), BacklogError> {
        for dir in folders {
            if self.is(dir, EntryKind::Dir, "a directory")? {
                continue;
            }
            match self.fs.create_dir(dir) {
                // Another run was faster.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                result => result.map_err(BacklogError::io("create", dir))?,
            }
            let parent = dir.parent().unwrap_or(&self.root);
            self.fs.sync_dir(parent).map_err(BacklogError::io("sync", parent))?;
        }
        Ok(())
    }

    /// Whether an entry of the expected kind exists at a path; `false`: nothing does. Any other kind is
    /// refused.
    fn is(&self, path: &Path, kind: EntryKind, wanted: &'static str) -> Result<bool, BacklogError> {
        match self.fs.kind(path).map_err(BacklogError::io("look at", path))? {
            None => Ok(false),
            Some(found) if found == kind => Ok(true),
            Some(found) => {
                Err(BacklogError::WrongKind { path: path.to_owned(), wanted, found: found.words() })
            }
        }
    }
}

fn not_a_store(path: PathBuf, found: &'static str) -> BacklogError {
    BacklogError::NotAStore { path, found }
}

/// Returns an item to write: fields that did not change keep their original JSON.
fn overlaid(raw: &Value, old: &Value, new: Value) -> Value {
    let Value::Object(mut new) = new else {
        return new;
    };
    for (key, value) in &mut new {
        if old.get(key) == Some(value)
            && let Some(raw) = raw.get(key)
        {
            *value = raw.clone();
        }
    }
    Value::Object(new)
}

fn pretty(value: &Value) -> Result<Vec<u8>, BacklogError> {
    let mut bytes = serde_json::to_vec_pretty(value)
        .map_err(|error| BacklogError::Unwritable(error.to_string()))?;
    bytes.push(b'\n');
    Ok(bytes)
}

#[cfg(test)]
mod crash_tests;
#[cfg(test)]
mod tests;
