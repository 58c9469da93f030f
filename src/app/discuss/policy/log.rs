//! `policy.jsonl`: read strictly, extended under the lock.

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

const FILE: &str = "policy.jsonl";
/// The version of lines that is read and written.
const VERSION: u32 = 1;
/// Maximum bytes of the file.
const MOST_BYTES: u64 = 64 << 20;
const LINE_BYTES: usize = 1 << 20;
/// Maximum divergences and maximum action items of a line; with [`TEXT`] a line stays far below [`LINE_BYTES`].
const MOST: usize = 50;
/// Maximum characters of a text.
const TEXT: usize = 1_000;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Line {
    schema_version: u32,
    time: DateTime<Utc>,
    /// The id of the session.
    pub(super) session_id: String,
    round_id: String,
    /// The artifact's name.
    pub(super) artifact: String,
    artifact_sha256: String,
    /// The follow-up action.
    pub(super) action: FollowUpAction,
    /// The revision task's id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) task: Option<String>,
    severity: Severity,
    divergences: Vec<LogEntry>,
    action_items: Vec<LogEntry>,
    /// Entries of both lists that are only in the record of the discussion.
    #[serde(default, skip_serializing_if = "is_zero")]
    left_out: usize,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the shape that serde calls")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// A divergence or an action item without the members of its group.
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

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum LineError {
    #[error("it has {0} bytes, over the limit of {LINE_BYTES}")]
    TooLong(usize),
    /// It is not UTF-8.
    #[error("it is not UTF-8 (at byte {0})")]
    NotUtf8(usize),
    #[error("it is not JSON: {0}")]
    NotJson(json::JsonError),
    #[error("its version is {found}, but this program knows {VERSION}; update debate-agent")]
    Version { found: String },
    #[error("{place}: {problem}")]
    Malformed {
        /// The field, for example `action`.
        place: String,
        problem: String,
    },
}

#[derive(Debug)]
pub(super) struct Log {
    dir: PathBuf,
    path: PathBuf,
    lines: Vec<Line>,
    /// Whether the file exists.
    there: bool,
    /// Its bytes up to the end of the last whole line.
    whole: u64,
    /// Whether the last line is complete except for its line feed.
    open: bool,
    /// The bytes after the last whole line.
    torn: Vec<u8>,
}

impl Log {
    /// Reads the file. A missing folder or file is an empty log; an unfinished last line does not count.
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
                    "{} must be a directory, but is {}",
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
                // Left by a crash: only the last line can be unfinished, and no line of this program is JSON before
                // it is complete.
                Err(LineError::NotJson(_) | LineError::NotUtf8(_)) if !ended => {
                    self.torn = chunk.to_vec();
                }
                Err(error) => {
                    let hint = match error {
                        LineError::Version { .. } => {
                            "update debate-agent; the file was left unchanged"
                        }
                        _ => {
                            "the file was left unchanged; fix that line by hand, or remove it if it is not a revision task"
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

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn of_session(&self, session: &str) -> Option<&Line> {
        self.lines.iter().find(|line| line.session_id == session)
    }

    pub(super) fn revisions(&self, artifact: &str) -> u32 {
        let wanted = parts(artifact);
        let tasks = (self.lines.iter())
            .filter(|line| line.action == FollowUpAction::RevisionTask)
            .filter(|line| parts(&line.artifact) == wanted)
            .count();
        u32::try_from(tasks).unwrap_or(u32::MAX)
    }

    /// Ensures that everything read is on disk: its writer may have died before syncing.
    pub(super) fn settle(&self, fs: &dyn Fs) -> Result<(), Error> {
        fs.sync_file(&self.path)
            .and_then(|()| fs.sync_dir(&self.dir))
            .map_err(|error| self.unwritten(error))
    }

    /// Adds a line, which is on disk when this returns. The caller must have the lock.
    pub(super) fn add(&self, fs: &dyn Fs, line: &Line) -> Result<(), Error> {
        let text = serde_json::to_string(line).map_err(|error| {
            Error::new(Kind::Bug, "a follow-up cannot be written as JSON").because(error)
        })?;
        let text = text + "\n";
        // A line that cannot be read again would be lost, and with it the fact that the artifact was sent back.
        understand(text.as_bytes()).map_err(|error| {
            state(format!("the follow-up could not be read back from {}", self.path.display()))
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
            // A line whose writing was reported as failed must not be found later. If this fails too, the whole line
            // is found and reported again.
            fs.truncate(&self.path, self.whole).ok();
            return Err(self.unwritten(error));
        }
        Ok(())
    }

    /// Moves an unfinished last line into a file beside this one: it does not count, but the user may want it.
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

/// Splits a file's name into its parts, without those that do not change which file it names.
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

/// Parses a line; `None` for an empty one.
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
    // The version is checked before the form: another version may have other fields.
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
        "{} has or would have more than {MOST_BYTES} bytes, which is too large to read back",
        path.display()
    ))
    .hint("move the file away; revisions recorded in it are then no longer counted")
}

fn malformed(place: &str, problem: &str) -> LineError {
    LineError::Malformed { place: place.to_owned(), problem: problem.to_owned() }
}
