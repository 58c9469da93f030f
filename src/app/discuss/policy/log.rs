//! `policy.jsonl`: read strictly, extended under the lock.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::Entry;
use crate::error::{Error, Kind, store_error};
use crate::protocol::discuss::{ActionItem, Divergence, FollowUp, FollowUpAction, Severity};
use crate::session::shared::SharedFolder;
use crate::text::{json, sanitize};

pub(super) const FILE: &str = "policy.jsonl";
/// The version of lines that is read and written.
const VERSION: u32 = 1;
/// Maximum divergences and maximum action items of a line.
const MOST: usize = 50;
/// Maximum characters of a text.
const TEXT: usize = 1_000;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Line {
    schema_version: u32,
    time: DateTime<Utc>,
    pub(super) session_id: String,
    round_id: String,
    /// The artifact's name.
    pub(super) artifact: String,
    artifact_sha256: String,
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

#[derive(Debug)]
pub(super) struct Log {
    lines: Vec<Line>,
    /// The file as it stands.
    text: Vec<u8>,
}

impl Log {
    /// Reads the file. A missing folder or file is an empty log.
    pub(super) fn read(records: &SharedFolder<'_>) -> Result<Self, Error> {
        let text = records.read(FILE).map_err(store_error)?.unwrap_or_default();
        let mut lines = Vec::new();
        for (number, line) in (1..).zip(text.split(|byte| *byte == b'\n')) {
            if line.trim_ascii().is_empty() {
                continue;
            }
            lines.push(json::versioned(line, "schema_version", VERSION).map_err(|error| {
                let path = records.path(FILE);
                let what = format!("failed to understand {}, line {number}: {error}", path.display());
                Error::new(Kind::State, what).named("damaged_policy").hint(
                    "the file was left unchanged; fix that line by hand, or remove it if it is not a revision task",
                )
            })?);
        }
        Ok(Self { lines, text })
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

    /// Adds a line, which is on disk when this returns. The caller must have the lock.
    pub(super) fn add(&self, records: &SharedFolder<'_>, line: &Line) -> Result<(), Error> {
        let line = serde_json::to_string(line).map_err(|error| {
            Error::new(Kind::Bug, "a follow-up cannot be written as JSON").because(error)
        })?;
        let feed = if self.text.is_empty() || self.text.ends_with(b"\n") { "" } else { "\n" };
        let text = [&self.text, feed.as_bytes(), line.as_bytes(), b"\n"].concat();
        records.replace(FILE, &text).map_err(store_error)
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
