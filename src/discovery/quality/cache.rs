//! What was learned of a text, kept by the hash of its bytes.
//!
//! The cache saves work and decides nothing: one that is missing, broken, of another version or not writable is
//! as good as none. It is written only where the debate folder is and keeps itself out of git.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::facts::Facts;

/// Changes with the meaning of what is kept: old caches are then passed over.
const VERSION: u32 = 2;
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
    file: Option<PathBuf>,
    files: BTreeMap<String, Facts>,
    changed: bool,
}

impl Cache {
    /// Reads `cache/complexity.json` of a debate folder; empty where that does not work.
    pub(super) fn open(debate: Option<&Path>) -> Self {
        let Some(debate) = debate.filter(|debate| is_real(debate)) else {
            return Self::default();
        };
        let file = debate.join("cache/complexity.json");
        let stored = read(&file).filter(|stored| stored.version == VERSION);
        Self {
            file: Some(file),
            files: stored.map(|stored| stored.files).unwrap_or_default(),
            changed: false,
        }
    }

    /// Whether what is learned can be kept.
    pub(super) fn has_place(&self) -> bool {
        self.file.is_some()
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
        let Some(file) = self.file.filter(|_| self.changed) else {
            return;
        };
        let stored = Stored {
            version: VERSION,
            files: self.files,
        };
        // A cache that cannot be written costs time on the next run, and nothing else.
        drop(write(&file, &stored));
    }
}

/// Whether the debate folder is there, no link, and ignored by git.
fn is_real(debate: &Path) -> bool {
    let is_dir = |path: &Path| path.symlink_metadata().is_ok_and(|meta| meta.is_dir());
    let cache = debate.join("cache");
    is_dir(debate)
        && debate.join(".gitignore").is_file()
        && (is_dir(&cache) || cache.symlink_metadata().is_err())
}

fn read(file: &Path) -> Option<Stored> {
    if !file.symlink_metadata().ok()?.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    let limit = u64::try_from(MAX_BYTES).ok()? + 1;
    File::open(file)
        .and_then(|file| file.take(limit).read_to_end(&mut bytes))
        .ok()?;
    if bytes.len() > MAX_BYTES {
        return None;
    }
    serde_json::from_slice(&bytes).ok()
}

fn write(file: &Path, stored: &Stored) -> std::io::Result<()> {
    let bytes = serde_json::to_vec(stored)?;
    if bytes.len() > MAX_BYTES {
        return Ok(());
    }
    let Some(dir) = file.parent() else {
        return Ok(());
    };
    fs::create_dir_all(dir)?;
    let mut temporary = tempfile::NamedTempFile::new_in(dir)?;
    temporary.write_all(&bytes)?;
    temporary.persist(file)?;
    Ok(())
}
