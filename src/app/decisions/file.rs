//! The log's files: read strictly, changed under a lock, replaced as a whole.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;

use crate::app::beside::{self, state};
use crate::app::workspace::Workspace;
use crate::env;
use crate::error::{Error, Kind, store_error};
use crate::kernel::Warning;
use crate::report::debate::{DebateDocument, Logged};
use crate::report::decisions::{DecisionLog, Entry, VERSION};
use crate::report::document::to_json;
use crate::session::Store;
use crate::session::fs::{EntryKind, Fs};
use crate::text::{json, sanitize};

/// The log.
const FILE: &str = "decisions.json";
/// What is made of it.
const PAGE: &str = "decisions.md";
/// Held by who changes it; never deleted.
const LOCK: &str = "decisions.lock";
/// How names of files end that are being written.
const TEMP: &str = ".tmp";
/// Most bytes of the log.
const MOST_BYTES: u64 = 16 << 20;

/// The log of one project.
#[derive(Debug)]
pub(super) struct File {
    fs: Arc<dyn Fs>,
    store: Store,
    dir: PathBuf,
}

/// Why the log cannot be understood.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum LogError {
    /// Its bytes are no UTF-8.
    #[error("it is not UTF-8 (at byte {0})")]
    NotUtf8(usize),
    /// It is no JSON.
    #[error("it is not JSON: {0}")]
    NotJson(#[from] json::JsonError),
    /// It has another form.
    #[error("it is of version {found}, and this program knows {VERSION}; update debate-agent")]
    Version {
        /// What it says.
        found: String,
    },
    /// A field is not what it must be.
    #[error("{place}: {problem}")]
    Malformed {
        /// Where: `decisions[3].title`.
        place: String,
        /// What is wrong.
        problem: String,
    },
}

impl File {
    /// The log of a project. Touches nothing.
    pub(super) fn of(workspace: &Workspace) -> Self {
        Self {
            fs: Arc::clone(&workspace.fs),
            store: workspace.store(false),
            dir: (workspace.root()).join(&workspace.effective.config.paths.debate),
        }
    }

    /// Returns where the log is, whether it is there or not.
    pub(super) fn path(&self) -> PathBuf {
        self.dir.join(FILE)
    }

    /// Reads the log. No file is an empty one; what is not understood is an error.
    pub(super) fn read(&self) -> Result<DecisionLog, Error> {
        let path = self.path();
        if !beside::is_file(self.fs.as_ref(), &path)? {
            return Ok(DecisionLog::default());
        }
        let bytes = self
            .fs
            .read(&path, MOST_BYTES)
            .map_err(|error| state(format!("failed to read {}", path.display())).because(error))?;
        parse(&bytes).map_err(|error| {
            Error::new(Kind::State, format!("failed to read {}", path.display()))
                .named("damaged_decisions")
                .because(error)
                .hint("mend that place by hand, or restore the file; it was left as it is")
        })
    }

    /// Changes the log under the lock, and writes what changed. An error of `edit` leaves everything as it was.
    pub(super) fn change<T>(
        &self,
        edit: impl FnOnce(&mut DecisionLog) -> Result<T, Error>,
    ) -> Result<T, Error> {
        self.store.folder().map_err(store_error)?;
        let _held = beside::lock(self.fs.as_ref(), &self.dir.join(LOCK), self.store.now())?;
        self.sweep()?;
        let before = self.read()?;
        let mut log = before.clone();
        let result = edit(&mut log)?;
        if log != before {
            let text = to_json(&log).map_err(|error| {
                Error::new(Kind::Bug, "the log of decisions cannot be written as JSON")
                    .because(error)
            })?;
            let path = self.path();
            // What could not be read again would be lost.
            parse(text.as_bytes()).map_err(|error| {
                Error::new(Kind::Bug, "the log of decisions would not be read again").because(error)
            })?;
            self.replace(&path, text.as_bytes())?;
        }
        let page = log.markdown();
        if !self.holds(&self.dir.join(PAGE), page.as_bytes())? {
            self.replace(&self.dir.join(PAGE), page.as_bytes())?;
        }
        Ok(result)
    }

    /// Removes what killed processes left half written. Whoever holds the lock is alone here.
    fn sweep(&self) -> Result<(), Error> {
        let failed = |error| state(format!("failed to tidy {}", self.dir.display())).because(error);
        for entry in self.fs.list(&self.dir).map_err(failed)? {
            let ours = [FILE, PAGE].iter().any(|name| {
                let rest = entry.name.strip_prefix(name);
                rest.is_some_and(|rest| rest.starts_with('.') && rest.ends_with(TEMP))
            });
            if ours && entry.kind == EntryKind::File {
                self.fs.remove_file(&self.dir.join(entry.name)).map_err(failed)?;
            }
        }
        Ok(())
    }

    /// Whether a file holds these bytes.
    fn holds(&self, path: &Path, bytes: &[u8]) -> Result<bool, Error> {
        if !beside::is_file(self.fs.as_ref(), path)? {
            return Ok(false);
        }
        let limit = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        match self.fs.read(path, limit) {
            Ok(held) => Ok(held == bytes),
            Err(error) if error.kind() == io::ErrorKind::FileTooLarge => Ok(false),
            Err(error) => Err(state(format!("failed to read {}", path.display())).because(error)),
        }
    }

    /// Writes a file of ours so that a crash leaves the old one or the new one.
    fn replace(&self, path: &Path, bytes: &[u8]) -> Result<(), Error> {
        if bytes.len() as u64 > MOST_BYTES {
            return Err(state(format!(
                "{} would have more than {MOST_BYTES} bytes, which is not read again",
                path.display()
            ))
            .hint("move the file away to begin a new log"));
        }
        // A link in its place would be replaced, not followed; it is somebody's, so it is refused.
        beside::is_file(self.fs.as_ref(), path)?;
        let mut temp = path.as_os_str().to_owned();
        temp.push(format!(".{}{TEMP}", env::unique()));
        let temp = PathBuf::from(temp);
        let fs = self.fs.as_ref();
        let written = (fs.write_new(&temp, bytes))
            .and_then(|()| fs.sync_file(&temp))
            .and_then(|()| fs.rename(&temp, path));
        if written.is_err() {
            // What is left of it, the next change sweeps away.
            fs.remove_file(&temp).ok();
        }
        written
            .and_then(|()| fs.sync_dir(&self.dir))
            .map_err(|error| state(format!("failed to write {}", path.display())).because(error))
    }
}

/// Reads the log. No file is an empty one.
///
/// # Errors
/// The file cannot be read or understood.
pub fn list(workspace: &Workspace) -> Result<DecisionLog, Error> {
    File::of(workspace).read()
}

/// Says in a stored debate's result that it was logged, if it was. A log that cannot be read is told, and costs the result
/// nothing.
pub(crate) fn mark(workspace: &Workspace, document: &mut DebateDocument) {
    match list(workspace) {
        Ok(log) => {
            let entry = of_session(&log, &document.header.session_id);
            document.logged = entry.map(Logged::from);
        }
        Err(error) => document.header.warnings.push(Warning {
            code: "decisions_unread".to_owned(),
            turn: None,
            message: format!(
                "whether it was logged as a decision cannot be said: {}",
                error.sentence()
            ),
        }),
    }
}

pub(super) fn of_session<'a>(log: &'a DecisionLog, session: &str) -> Option<&'a Entry> {
    let mut entries = log.decisions.iter();
    entries.find(|entry| entry.session_id.as_deref() == Some(session))
}

/// Returns the id after the highest.
pub(super) fn next_id(log: &DecisionLog) -> String {
    let highest = log.decisions.iter().filter_map(|entry| number(&entry.id));
    format!("D{}", highest.max().unwrap_or(0).saturating_add(1))
}

/// The number of `D7`, written as we write it.
fn number(id: &str) -> Option<u32> {
    let digits = id.strip_prefix('D')?;
    let number = digits.parse::<u32>().ok()?;
    (number > 0 && number < u32::MAX && number.to_string() == digits).then_some(number)
}

/// Reads a log.
pub(super) fn parse(bytes: &[u8]) -> Result<DecisionLog, LogError> {
    let text =
        std::str::from_utf8(bytes).map_err(|error| LogError::NotUtf8(error.valid_up_to()))?;
    let value = json::parse(text.strip_prefix('\u{feff}').unwrap_or(text))?;
    // The version decides before the form: another one may have other fields.
    match value.get("schema_version") {
        Some(version) if version.as_u64() == Some(u64::from(VERSION)) => {}
        None => return Err(malformed("schema_version", "it is missing")),
        Some(Value::Number(other)) => {
            return Err(LogError::Version { found: other.to_string() });
        }
        Some(_) => return Err(malformed("schema_version", "it must be a number")),
    }
    let log: DecisionLog = serde_path_to_error::deserialize(&value).map_err(|error| {
        malformed(
            &sanitize::line(&error.path().to_string(), 200),
            &sanitize::line(&error.inner().to_string(), 300),
        )
    })?;
    let mut seen = BTreeSet::new();
    for (index, entry) in log.decisions.iter().enumerate() {
        let at = |field: &str| format!("decisions[{index}].{field}");
        if number(&entry.id).is_none() {
            return Err(malformed(&at("id"), "an id is D and a number from 1"));
        }
        if !seen.insert(&entry.id) {
            return Err(malformed(&at("id"), "another decision has it as well"));
        }
        if entry.decision.trim().is_empty() {
            return Err(malformed(&at("decision"), "it says nothing"));
        }
    }
    Ok(log)
}

fn malformed(place: &str, problem: &str) -> LogError {
    LogError::Malformed { place: place.to_owned(), problem: problem.to_owned() }
}

#[cfg(test)]
mod tests;
