//! `policy.jsonl`: read strictly, added to under the lock.

use std::io;
use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Entry;
use crate::app::shared_file::{is_file, state};
use crate::env;
use crate::error::{Error, Kind};
use crate::protocol::discuss::{ActionItem, Divergence, FollowUp, FollowUpAction, Severity};
use crate::session::fs::{EntryKind, Fs};
use crate::text::{json, sanitize};

/// The file.
const FILE: &str = "policy.jsonl";
/// The version of a line that is read and written.
const VERSION: u32 = 1;
/// Most bytes of the file.
const MOST_BYTES: u64 = 64 << 20;
/// Most bytes of a line.
const LINE_BYTES: usize = 1 << 20;
/// Most divergences of a line, and most action items; with [`TEXT`] a line stays far below [`LINE_BYTES`].
const MOST: usize = 50;
/// Most characters of a text.
const TEXT: usize = 1_000;

/// One line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Line {
    schema_version: u32,
    time: DateTime<Utc>,
    /// The session that it is of.
    pub(super) session_id: String,
    round_id: String,
    /// The artifact's name.
    pub(super) artifact: String,
    artifact_sha256: String,
    /// What followed.
    pub(super) action: FollowUpAction,
    /// The revision task's id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) task: Option<String>,
    severity: Severity,
    divergences: Vec<LogEntry>,
    action_items: Vec<LogEntry>,
    /// Entries of both lists that stand only in the record of the discussion.
    #[serde(default, skip_serializing_if = "is_zero")]
    left_out: usize,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the shape that serde calls")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// A divergence or an action item, without the members of its group.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct LogEntry {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    kind: Option<String>,
    severity: Severity,
    perspectives: Vec<String>,
    text: String,
}

impl Line {
    pub(super) fn new(entry: &Entry<'_>, follow_up: &FollowUp) -> Self {
        let divergence = |divergence: &Divergence| LogEntry {
            kind: Some(divergence.kind.name().to_owned()),
            severity: divergence.severity,
            perspectives: divergence.perspectives.clone(),
            text: sanitize::line(&divergence.text, TEXT),
        };
        let item = |item: &ActionItem| LogEntry {
            kind: None,
            severity: item.urgency,
            perspectives: item.perspectives.clone(),
            text: sanitize::line(&item.text, TEXT),
        };
        let (divergences, items) = (entry.divergences, entry.action_items);
        Self {
            schema_version: VERSION,
            time: entry.at(),
            session_id: entry.session_id.to_owned(),
            round_id: entry.round_id.to_owned(),
            artifact: entry.artifact.name.clone(),
            artifact_sha256: entry.artifact.sha256.clone(),
            action: follow_up.action,
            task: follow_up.task.clone(),
            severity: entry.severity.unwrap_or(Severity::None),
            divergences: divergences.iter().take(MOST).map(divergence).collect(),
            action_items: items.iter().take(MOST).map(item).collect(),
            left_out: divergences.len().saturating_sub(MOST) + items.len().saturating_sub(MOST),
        }
    }
}

/// Why a line cannot be understood.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum LineError {
    /// It is longer than any of ours.
    #[error("it has {0} bytes and may have {LINE_BYTES}")]
    TooLong(usize),
    /// Its bytes are no UTF-8.
    #[error("it is not UTF-8 (at byte {0})")]
    NotUtf8(usize),
    /// It is no JSON.
    #[error("it is not JSON: {0}")]
    NotJson(json::JsonError),
    /// It has another form.
    #[error("it is of version {found}, and this program knows {VERSION}; update debate-agent")]
    Version {
        /// What it says.
        found: String,
    },
    /// A field is not what it must be.
    #[error("{place}: {problem}")]
    Malformed {
        /// Where: `action`.
        place: String,
        /// What is wrong.
        problem: String,
    },
}

/// The file as it was read.
#[derive(Debug)]
pub(super) struct Log {
    dir: PathBuf,
    path: PathBuf,
    lines: Vec<Line>,
    /// Whether there is a file.
    there: bool,
    /// Its bytes up to the end of the last whole line.
    whole: u64,
    /// The last line is whole but for its line feed.
    open: bool,
    /// What stands behind the last whole line.
    torn: Vec<u8>,
}

impl Log {
    /// Reads the file. No folder and no file is an empty one; an unfinished last line does not count.
    pub(super) fn read(fs: &dyn Fs, dir: &Path) -> Result<Self, Error> {
        let path = dir.join(FILE);
        let mut log = Self {
            dir: dir.to_owned(),
            path: path.clone(),
            lines: Vec::new(),
            there: false,
            whole: 0,
            open: false,
            torn: Vec::new(),
        };
        let found = (fs.kind(dir)).map_err(|error| {
            state(format!("failed to look at {}", dir.display())).because(error)
        })?;
        match found {
            None => return Ok(log),
            Some(EntryKind::Dir) => {}
            Some(other) => {
                return Err(state(format!(
                    "{} must be a directory, and is {}",
                    dir.display(),
                    other.words()
                ))
                .hint("move it away, or name another folder with `--folder`"));
            }
        }
        log.there = is_file(fs, &path)?;
        if log.there {
            let bytes = fs.read(&path, MOST_BYTES).map_err(|error| {
                if error.kind() == io::ErrorKind::FileTooLarge {
                    too_large(&path)
                } else {
                    state(format!("failed to read {}", path.display())).because(error)
                }
            })?;
            log.parse(&bytes)?;
        }
        Ok(log)
    }

    fn parse(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let mut number = 0;
        for chunk in bytes.split_inclusive(|byte| *byte == b'\n') {
            number += 1;
            let ended = chunk.last() == Some(&b'\n');
            match understand(chunk) {
                Ok(line) => {
                    self.lines.extend(line);
                    self.whole += chunk.len() as u64;
                    self.open = !ended;
                }
                // What a crash left: only the last line can lack its end, and none of ours is JSON before it is whole.
                Err(LineError::NotJson(_) | LineError::NotUtf8(_)) if !ended => {
                    self.torn = chunk.to_vec();
                }
                Err(error) => {
                    let hint = match error {
                        LineError::Version { .. } => {
                            "update debate-agent; the file was left as it is"
                        }
                        LineError::TooLong(_)
                        | LineError::NotUtf8(_)
                        | LineError::NotJson(_)
                        | LineError::Malformed { .. } => {
                            "mend that line by hand, or take it out if it is no revision task; the file was left as it is"
                        }
                    };
                    let path = self.path.display();
                    let what = format!("failed to understand {path}, line {number}: {error}");
                    return Err(state(what).named("damaged_policy").hint(hint));
                }
            }
        }
        Ok(())
    }

    /// Returns where the file is.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns what was written down for a session.
    pub(super) fn of_session(&self, session: &str) -> Option<&Line> {
        self.lines.iter().find(|line| line.session_id == session)
    }

    /// Counts the revision tasks of an artifact.
    pub(super) fn revisions(&self, artifact: &str) -> u32 {
        let wanted = parts(artifact);
        let tasks = (self.lines.iter())
            .filter(|line| line.action == FollowUpAction::RevisionTask)
            .filter(|line| parts(&line.artifact) == wanted)
            .count();
        u32::try_from(tasks).unwrap_or(u32::MAX)
    }

    /// Makes sure that what was read is on the disk: its writer may have died before it waited for that.
    pub(super) fn settle(&self, fs: &dyn Fs) -> Result<(), Error> {
        fs.sync_file(&self.path)
            .and_then(|()| fs.sync_dir(&self.dir))
            .map_err(|error| self.unwritten(error))
    }

    /// Adds a line; it is on the disk when this returns. The lock is held.
    pub(super) fn add(&self, fs: &dyn Fs, line: &Line) -> Result<(), Error> {
        let text = serde_json::to_string(line).map_err(|error| {
            Error::new(Kind::Bug, "a follow-up cannot be written as JSON").because(error)
        })?;
        let text = text + "\n";
        // What could not be read again would be lost, and with it that the artifact went back.
        understand(text.as_bytes()).map_err(|error| {
            state(format!("the follow-up would not be read again from {}", self.path.display()))
                .because(error)
        })?;
        let feed = if self.open { "\n" } else { "" };
        let bytes = format!("{feed}{text}").into_bytes();
        if self.whole + bytes.len() as u64 > MOST_BYTES {
            return Err(too_large(&self.path));
        }
        if self.there {
            self.move_torn(fs)?;
        } else {
            (fs.write_new(&self.path, b""))
                .and_then(|()| fs.sync_file(&self.path))
                .and_then(|()| fs.sync_dir(&self.dir))
                .map_err(|error| self.unwritten(error))?;
        }
        let added = fs.open_append(&self.path).and_then(|mut file| {
            file.append(&bytes)?;
            file.sync()
        });
        if let Err(error) = added {
            // What nobody was told of must not be found later; if this fails as well, a whole line is found and said again.
            fs.truncate(&self.path, self.whole).ok();
            return Err(self.unwritten(error));
        }
        Ok(())
    }

    /// Moves an unfinished last line into a file beside this one: it counts for nothing, but it may be somebody's.
    fn move_torn(&self, fs: &dyn Fs) -> Result<(), Error> {
        if self.torn.is_empty() {
            return Ok(());
        }
        let random: String = env::unique().chars().take(8).collect();
        let beside = self.dir.join(format!("{FILE}.torn-{random}"));
        (fs.write_new(&beside, &self.torn))
            .and_then(|()| fs.sync_file(&beside))
            .and_then(|()| fs.sync_dir(&self.dir))
            .and_then(|()| fs.truncate(&self.path, self.whole))
            .and_then(|()| fs.sync_file(&self.path))
            .map_err(|error| {
                state(format!("failed to move the unfinished last line of {}", self.path.display()))
                    .because(error)
            })
    }

    fn unwritten(&self, error: io::Error) -> Error {
        state(format!("failed to write {}", self.path.display())).because(error)
    }
}

/// A file's name without the detours that do not change which file it names.
pub(super) fn parts(given: &str) -> Vec<&str> {
    let mut parts: Vec<&str> = Vec::new();
    let rooted = given.starts_with('/');
    for part in given.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| !matches!(*last, ".." | "/")) => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    if rooted {
        parts.insert(0, "/");
    }
    parts
}

/// Reads a line; `None`: an empty one.
fn understand(chunk: &[u8]) -> Result<Option<Line>, LineError> {
    if chunk.len() > LINE_BYTES {
        return Err(LineError::TooLong(chunk.len()));
    }
    let text =
        std::str::from_utf8(chunk).map_err(|error| LineError::NotUtf8(error.valid_up_to()))?;
    if text.trim().is_empty() {
        return Ok(None);
    }
    let value = json::parse(text).map_err(LineError::NotJson)?;
    // The version decides before the form: another one may have other fields.
    match value.get("schema_version") {
        Some(version) if version.as_u64() == Some(u64::from(VERSION)) => {}
        None => return Err(malformed("schema_version", "it is missing")),
        Some(Value::Number(other)) => {
            let found = sanitize::line(&other.to_string(), 40);
            return Err(LineError::Version { found });
        }
        Some(_) => return Err(malformed("schema_version", "it must be a number")),
    }
    serde_path_to_error::deserialize(&value).map(Some).map_err(|error| {
        malformed(
            &sanitize::line(&error.path().to_string(), 200),
            &sanitize::line(&error.inner().to_string(), 300),
        )
    })
}

fn too_large(path: &Path) -> Error {
    state(format!(
        "{} has or would have more than {MOST_BYTES} bytes, which is not read again",
        path.display()
    ))
    .hint("move the file away; revisions that it holds are then no longer counted")
}

fn malformed(place: &str, problem: &str) -> LineError {
    LineError::Malformed { place: place.to_owned(), problem: problem.to_owned() }
}
