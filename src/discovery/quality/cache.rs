//! What was learned of a text, kept by the hash of its bytes.
//!
//! The cache saves work and decides nothing: one that is missing, broken, of another version or not writable is
//! as good as none. It is written only where the debate folder is and keeps itself out of git.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::facts::Facts;
use crate::files::{Existing, Folder};

/// Changes with the meaning of what is kept: old caches are then passed over.
const VERSION: u32 = 2;
/// Where it is in the debate folder.
const FILE: &str = "cache/complexity.json";
/// Bytes of a cache that is read or written.
const MAX_BYTES: usize = 32 << 20;

#[derive(Debug, Default, Serialize, Deserialize)]
struct Stored {
    version: u32,
    files: BTreeMap<String, Facts>,
}

/// The cache of one project.
#[derive(Debug, Default)]
pub(super) struct Cache {
    folder: Option<Folder>,
    files: BTreeMap<String, Facts>,
    changed: bool,
}

impl Cache {
    /// Reads the cache of a debate folder; empty where that does not work.
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

    /// Whether what is learned can be kept.
    pub(super) fn has_place(&self) -> bool {
        self.folder.is_some()
    }

    pub(super) fn get(&self, key: &str) -> Option<&Facts> {
        self.files.get(key)
    }

    /// Takes what this run learned in place of what was there.
    pub(super) fn keep(&mut self, learned: Vec<(String, Facts)>) {
        let learned: BTreeMap<String, Facts> = learned.into_iter().collect();
        self.changed = learned != self.files;
        self.files = learned;
    }

    /// Writes the cache, if there is a place for it and something new.
    pub(super) fn save(self) {
        let Some(folder) = self.folder.filter(|_| self.changed) else {
            return;
        };
        let stored = Stored { version: VERSION, files: self.files };
        // A cache that cannot be written costs time on the next run, and nothing else.
        drop(write(&folder, &stored));
    }
}

/// Opens the debate folder, if it is there, behind no link, and was made ready: it has the file that keeps it out of git.
fn folder(root: &Path, debate: &Path) -> Option<Folder> {
    let (above, below) = Folder::towards(Some(root), debate).ok()?;
    let folder = above.folder(below).ok()?;
    let ignored = folder.look(Path::new(".gitignore")).ok()??;
    ignored.kind.is_file().then_some(folder)
}

fn read(folder: &Folder) -> Option<Stored> {
    let bytes = folder.read(Path::new(FILE), MAX_BYTES as u64).ok()?;
    serde_json::from_slice(&bytes).ok()
}

fn write(folder: &Folder, stored: &Stored) -> std::io::Result<()> {
    let bytes = serde_json::to_vec(stored)?;
    if bytes.len() > MAX_BYTES {
        return Ok(());
    }
    let file = Path::new(FILE);
    folder.make(file.parent().unwrap_or(Path::new("")))?;
    folder.write(file, &bytes, 0o600, Existing::Replace)
}
