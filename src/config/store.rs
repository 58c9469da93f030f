//! The user's record of what is trusted: `$XDG_STATE_HOME/debate-agent/trust.json`, private to the user.

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::error::ReadError;
use super::file::{IfExists, Links, make_private_folder, read_text, refuse_open, write_atomic};
use super::load::xdg;
use crate::text::json::{self, VersionedError};

/// One trusted file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Pin {
    /// Its canonical path.
    pub path: PathBuf,
    /// SHA-256 of its bytes.
    pub sha256: String,
    /// When it was trusted.
    pub at: DateTime<Utc>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoreFile {
    v: u32,
    trusted: Vec<Pin>,
}

/// The trusted files, as read at the start of a command.
#[derive(Debug, Clone, Default)]
pub struct TrustStore {
    file: Option<PathBuf>,
    pins: Vec<Pin>,
    /// A folder, and the one whose trust counts for it.
    checkout: Option<(PathBuf, PathBuf)>,
}

/// The reason why the record cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The record could not be read.
    #[error("failed to read {}: {source}", file.display())]
    Read {
        file: PathBuf,
        /// The cause.
        source: ReadError,
    },
    /// The record could not be written.
    #[error("failed to write {}: {source}", file.display())]
    Write {
        file: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The content is not a record that this version knows.
    #[error("failed to read {}: {source}; remove it to start again with nothing trusted", file.display())]
    Content {
        file: PathBuf,
        /// The fault.
        source: VersionedError,
    },
    /// No home to keep the record in is known.
    #[error(
        "neither XDG_STATE_HOME nor HOME is an absolute path, so there is no place to record trust"
    )]
    NoHome,
}

impl TrustStore {
    /// Returns the path of the record, if a home is known.
    pub fn location(vars: &BTreeMap<String, String>) -> Option<PathBuf> {
        Some(xdg(vars, "XDG_STATE_HOME", ".local/state")?.join("debate-agent/trust.json"))
    }

    /// Reads the record; a missing one trusts nothing.
    pub fn open(vars: &BTreeMap<String, String>) -> Result<Self, StoreError> {
        let Some(file) = Self::location(vars) else {
            return Ok(Self::default());
        };
        let pins = read(&file)?;
        Ok(Self { file: Some(file), pins, checkout: None })
    }

    /// Lets the files below `dir` be trusted where the same bytes at the same place below `of` are.
    #[must_use]
    pub fn with_checkout(self, dir: &Path, of: &Path) -> Self {
        Self { checkout: Some((dir.to_owned(), of.to_owned())), ..self }
    }

    fn place(&self, path: &Path) -> PathBuf {
        let checkout = self.checkout.as_ref();
        let place = checkout.and_then(|(dir, of)| Some(of.join(path.strip_prefix(dir).ok()?)));
        place.unwrap_or_else(|| path.to_owned())
    }

    /// Returns whether exactly these bytes at this path are trusted.
    pub fn is_trusted(&self, path: &Path, sha256: &str) -> bool {
        let path = self.place(path);
        self.pins.iter().any(|pin| pin.path == path && pin.sha256 == sha256)
    }

    /// Returns whether any bytes at this path were trusted and not revoked since.
    pub fn knows(&self, path: &Path) -> bool {
        let path = self.place(path);
        self.pins.iter().any(|pin| pin.path == path)
    }

    /// Returns the trusted files, in the order in which they were trusted.
    pub fn pins(&self) -> &[Pin] {
        &self.pins
    }

    /// Trusts files. A path has one pin, so an older pin is replaced.
    pub fn grant(&mut self, pins: &[Pin]) -> Result<(), StoreError> {
        self.change(|all| {
            all.retain(|old| pins.iter().all(|pin| pin.path != old.path));
            all.extend_from_slice(pins);
        })
    }

    /// Revokes trust in every file at or below a path. Returns the revoked pins.
    pub fn revoke(&mut self, below: &Path) -> Result<Vec<Pin>, StoreError> {
        let mut revoked = Vec::new();
        self.change(|all| {
            let (gone, kept) =
                std::mem::take(all).into_iter().partition(|pin| pin.path.starts_with(below));
            *all = kept;
            revoked = gone;
        })?;
        Ok(revoked)
    }

    /// Reads, changes and writes under a lock, so that concurrent commands lose nothing.
    fn change(&mut self, edit: impl FnOnce(&mut Vec<Pin>)) -> Result<(), StoreError> {
        let file = self.file.clone().ok_or(StoreError::NoHome)?;
        let failed = |source| StoreError::Write { file: file.clone(), source };
        make_private_folder(file.parent().unwrap_or(Path::new("/"))).map_err(failed)?;
        let lock = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .mode(0o600)
            .open(file.with_extension("lock"))
            .map_err(failed)?;
        lock.lock().map_err(failed)?;
        let mut pins = read(&file)?;
        edit(&mut pins);
        let stored = StoreFile { v: 1, trusted: pins };
        let mut bytes = serde_json::to_vec_pretty(&stored).map_err(|error| failed(error.into()))?;
        bytes.push(b'\n');
        write_atomic(&file, &bytes, 0o600, IfExists::Replace).map_err(failed)?;
        self.pins = stored.trusted;
        Ok(())
    }
}

fn read(file: &Path) -> Result<Vec<Pin>, StoreError> {
    let text =
        match read_text(file, Links::Refuse).and_then(|text| refuse_open(file).map(|()| text)) {
            Ok(text) => text,
            Err(ReadError::Io(error)) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(Vec::new());
            }
            Err(source) => {
                return Err(StoreError::Read { file: file.to_owned(), source });
            }
        };
    let stored: StoreFile = json::versioned(text.as_bytes(), "v", 1)
        .map_err(|source| StoreError::Content { file: file.to_owned(), source })?;
    Ok(stored.trusted)
}
