//! A person's unfinished answers, each in a private file of its session until the turn has its reply.

use std::path::PathBuf;
use std::sync::Arc;

use super::error::StoreError;
use super::fs::Fs;
use super::snapshot;

/// Maximum size of a draft that is read, in bytes.
const MOST_BYTES: u64 = 4 << 20;

/// The drafts of one session. Its lock is held, so nobody else writes them.
#[derive(Debug, Clone)]
pub struct DraftStore {
    fs: Arc<dyn Fs>,
    dir: PathBuf,
}

impl DraftStore {
    pub(super) fn new(fs: Arc<dyn Fs>, dir: PathBuf) -> Self {
        Self { fs, dir }
    }

    /// Returns the path of a turn's draft.
    pub fn path(&self, turn: &str) -> PathBuf {
        let name = turn.replace(|c: char| !c.is_ascii_alphanumeric(), "-");
        self.dir.join(format!("draft-{name}.txt"))
    }

    /// Replaces the draft of a turn.
    pub fn keep(&self, turn: &str, text: &[u8]) -> Result<(), StoreError> {
        snapshot::replace(self.fs.as_ref(), &self.path(turn), text)
    }

    /// Reads the draft of a turn; `None` if there is no readable one.
    pub fn read(&self, turn: &str) -> Option<String> {
        let bytes = self.fs.read(&self.path(turn), MOST_BYTES).ok()?;
        String::from_utf8(bytes).ok().filter(|text| !text.is_empty())
    }

    /// Removes a turn's draft once its reply exists.
    pub fn remove(&self, turn: &str) {
        self.fs.remove_file(&self.path(turn)).ok();
    }
}
