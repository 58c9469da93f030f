//! Answers that a person has begun, each in a private file of its session until the turn has its reply.

use std::path::PathBuf;
use std::sync::Arc;

use super::error::StoreError;
use super::fs::Fs;
use super::snapshot;

/// Most bytes of a draft that are read again.
const MOST_BYTES: u64 = 4 << 20;

/// The drafts of one session. Its lock is held, so nobody else writes them.
#[derive(Debug, Clone)]
pub struct Drafts {
    fs: Arc<dyn Fs>,
    dir: PathBuf,
}

impl Drafts {
    pub(super) fn new(fs: Arc<dyn Fs>, dir: PathBuf) -> Self {
        Self { fs, dir }
    }

    /// Returns where a turn's draft is kept.
    pub fn path(&self, turn: &str) -> PathBuf {
        let name = turn.replace(|c: char| !c.is_ascii_alphanumeric(), "-");
        self.dir.join(format!("draft-{name}.txt"))
    }

    /// Keeps what was typed for a turn, in place of what was kept before.
    pub fn keep(&self, turn: &str, text: &[u8]) -> Result<(), StoreError> {
        snapshot::replace(self.fs.as_ref(), &self.path(turn), text)
    }

    /// Reads what was typed for a turn; `None` where nothing readable is kept.
    pub fn read(&self, turn: &str) -> Option<String> {
        let bytes = self.fs.read(&self.path(turn), MOST_BYTES).ok()?;
        String::from_utf8(bytes).ok().filter(|text| !text.is_empty())
    }

    /// Removes a turn's draft, since its reply is there.
    pub fn remove(&self, turn: &str) {
        self.fs.remove_file(&self.path(turn)).ok();
    }
}
