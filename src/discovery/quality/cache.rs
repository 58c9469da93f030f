//! Facts about texts, cached by the hash of their bytes.
//!
//! The cache saves work and decides nothing: one that is missing, broken, of another version or not writable is
//! ignored. It is written only if the debate folder exists and keeps itself out of git.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::facts::Facts;
use crate::files::{Folder, IfExists};

/// Changes with the meaning of the cached facts: older caches are then ignored.
const VERSION: u32 = 2;
/// Its path in the debate folder.
const FILE: &str = "cache/complexity.json";
/// Maximum size of a cache in bytes, for reading and writing.
const MAX_BYTES: usize = 32 << 20;

#[derive(Debug, Default, Serialize, Deserialize)]
struct CacheFile {
    version: u32,
    files: BTreeMap<String, Facts>,
}

#[derive(Debug, Default)]
pub(super) struct Cache {
    folder: Option<Folder>,
    files: BTreeMap<String, Facts>,
    changed: bool,
}

impl Cache {
    /// Reads the cache of a debate folder; empty if that fails.
    pub(super) fn open(root: &Path, debate: Option<&Path>) -> Self {
        let Some(folder) = debate.and_then(|debate| folder(root, debate)) else {
            return Self::default();
        };
        let stored = read(&folder).filter(|stored| stored.version == VERSION);
        Self {
            folder: Some(folder),
            files: stored.map(|stored| stored.files).unwrap_or_default(),
            changed: false,
        }
    }

    /// Whether facts can be stored.
    pub(super) fn has_place(&self) -> bool {
        self.folder.is_some()
    }

    pub(super) fn get(&self, key: &str) -> Option<&Facts> {
        self.files.get(key)
    }

    /// Replaces the content with this run's facts.
    pub(super) fn keep(&mut self, learned: Vec<(String, Facts)>) {
        let learned: BTreeMap<String, Facts> = learned.into_iter().collect();
        self.changed = learned != self.files;
        self.files = learned;
    }

    /// Writes the cache, if it has a place and anything changed.
    pub(super) fn save(self) {
        let Some(folder) = self.folder.filter(|_| self.changed) else {
            return;
        };
        let stored = CacheFile { version: VERSION, files: self.files };
        // A cache that cannot be written only costs time on the next run.
        drop(write(&folder, &stored));
    }
}

/// Opens the debate folder if it exists, is not behind a link, and is prepared: it has the file that keeps it out of
/// git.
fn folder(root: &Path, debate: &Path) -> Option<Folder> {
    let (above, below) = Folder::towards(Some(root), debate).ok()?;
    let folder = above.folder(below).ok()?;
    let ignored = folder.look(Path::new(".gitignore")).ok()??;
    ignored.kind.is_file().then_some(folder)
}

fn read(folder: &Folder) -> Option<CacheFile> {
    let bytes = folder.read(Path::new(FILE), MAX_BYTES as u64).ok()?;
    serde_json::from_slice(&bytes).ok()
}

fn write(folder: &Folder, stored: &CacheFile) -> std::io::Result<()> {
    let bytes = serde_json::to_vec(stored)?;
    if bytes.len() > MAX_BYTES {
        return Ok(());
    }
    let file = Path::new(FILE);
    folder.make(file.parent().unwrap_or(Path::new("")))?;
    folder.write(file, &bytes, 0o600, IfExists::Replace)
}
