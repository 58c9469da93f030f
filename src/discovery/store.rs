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
//! How a change is made whole is described in [`crate::session::shared`].
//!
//! The file may have been written by hand or by another version: unknown content is kept, byte for byte in items that
//! do not change. Content that cannot be understood is an error with its location, never an empty backlog.

use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use serde_json::{Map, Value};

use crate::env::Env;
use crate::protocol::backlog::intake;
use crate::protocol::backlog::model::{DebateSession, Opportunity, OpportunityStatus};
use crate::session::fs::Fs;
use crate::session::shared::{MOST_BYTES, SharedFolder};
use crate::text::Note;
use crate::text::redact::{Redacted, Redactor};

mod debate;
mod error;

pub use debate::ApplyResult;
pub use error::BacklogError;

const FILE: &str = "candidates.json";
const LOCK: &str = "candidates.lock";
/// The member of the file that contains the items.
const ITEMS: &str = "opportunities";

#[derive(Debug, Clone)]
pub struct BacklogStore {
    fs: Arc<dyn Fs>,
    root: PathBuf,
    folder: String,
    env: Env,
    redactor: Redactor,
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
        Self { fs, root, folder, env, redactor: Redactor::new(&[]) }
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
        let shared = self.shared()?;
        let _held = shared.lock(LOCK, self.env.now()).map_err(BacklogError::from)?;
        let loaded = self.load()?;
        let mut items = loaded.backlog.opportunities.clone();
        let result = edit(&mut items)?;
        if items != loaded.backlog.opportunities {
            let bytes = self.changed(&loaded, &items)?;
            shared.replace(FILE, &bytes).map_err(BacklogError::from)?;
        }
        Ok(result)
    }

    fn load(&self) -> Result<StoreContent, BacklogError> {
        let Some(bytes) = self.shared()?.read(FILE)? else {
            return Ok(StoreContent::default());
        };
        let path = self.path();
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

    /// Returns the file with these items. Unchanged ones stay as they were written, as does unknown content.
    fn changed(
        &self,
        loaded: &StoreContent,
        items: &[Opportunity],
    ) -> Result<Vec<u8>, BacklogError> {
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
        Ok(bytes)
    }

    /// Returns an item as it is written: without secrets.
    fn value(&self, item: &Opportunity) -> Result<Value, BacklogError> {
        (serde_json::to_value(item).and_then(|item| self.redactor.value(item)))
            .map(Redacted::into_inner)
            .map_err(|error| BacklogError::Unwritable(error.to_string()))
    }

    /// Returns the store's folder.
    fn shared(&self) -> Result<SharedFolder<'_>, BacklogError> {
        let dir = self.dir();
        let below = dir.strip_prefix(&self.root).unwrap_or(&dir);
        let inside = |part| matches!(part, Component::Normal(_) | Component::CurDir);
        if below.components().all(inside) {
            Ok(SharedFolder::new(self.fs.as_ref(), &self.root, &dir))
        } else {
            Err(BacklogError::Outside { folder: self.folder.clone(), root: self.root.clone() })
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
