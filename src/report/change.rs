//! The result of `diff`: the content of each prompt to reviewers, and what is left out.

use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Look;
use super::document::SCHEMA_VERSION;
use super::table::{Table, push_wrapped};
use super::words::{self, BAD, FAINT, HEAD, paint};
use crate::change::{Batch, Change, ChangeKind, ChangedFile, NotReviewed, Omission, Part, Totals};
use crate::text::sanitize;

/// What reviewers would be shown of a change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DiffDocument {
    /// Always `diff`.
    pub protocol: String,
    /// What is compared with what, for people.
    pub scope: String,
    /// The commit that it is compared with; `null` where there is none.
    pub base: Option<String>,
    /// Size of the whole change, what is not shown included.
    pub totals: Totals,
    /// What each prompt shows.
    pub batches: Vec<BatchEntry>,
    /// What no prompt shows, and why.
    pub not_reviewed: Vec<NotReviewed>,
    /// Whether everything is shown but what a rule excludes: nothing was missed, is binary or a submodule.
    pub complete: bool,
    /// Bytes of the diff in one prompt.
    pub max_diff_bytes: u64,
    /// Maximum number of prompts.
    pub max_batches: u32,
    /// The version of this document.
    pub schema_version: u32,
}

/// What one prompt shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BatchEntry {
    /// Its place, from 1.
    pub number: u32,
    /// Bytes of its diff.
    pub bytes: u64,
    /// Its files.
    pub files: Vec<FileEntry>,
    /// The diff itself (`--full`), as it appears in a prompt before it is fenced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// A file in a prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FileEntry {
    /// Its path from the top of the repository.
    pub path: String,
    /// Where it was, if it was renamed or copied.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old_path: Option<String>,
    /// What happened to it.
    pub kind: ChangeKind,
    /// Old and new mode, where they differ.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub modes: Option<(String, String)>,
    /// Lines that are added, in the hunks of this prompt.
    pub added: u64,
    /// Lines that are removed.
    pub removed: u64,
    /// The hunks of this prompt.
    pub hunks: Vec<HunkEntry>,
    /// Lines of the new file, where they are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<u32>,
}

/// Where a hunk is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HunkEntry {
    pub old_start: u32,
    pub old_lines: u32,
    pub new_start: u32,
    pub new_lines: u32,
}

impl DiffDocument {
    /// Creates the document of a change; with `full`, it contains each prompt's diff.
    pub fn new(change: &Change, max_diff_bytes: u64, max_batches: u32, full: bool) -> Self {
        let batch = |(number, batch): (u32, &Batch)| {
            let text = change.render(batch);
            BatchEntry {
                number,
                bytes: u64::try_from(text.len()).unwrap_or(u64::MAX),
                files: (batch.parts.iter())
                    .filter_map(|part| Some(entry(change.files.get(part.file)?, part)))
                    .collect(),
                text: full.then_some(text),
            }
        };
        Self {
            protocol: "diff".to_owned(),
            scope: change.scope.clone(),
            base: change.base.clone(),
            totals: change.totals,
            batches: (1..).zip(&change.batches).map(batch).collect(),
            not_reviewed: change.not_reviewed.clone(),
            complete: change.not_reviewed.iter().all(|part| {
                !part.missed && !matches!(part.why, Omission::Binary | Omission::Submodule)
            }),
            max_diff_bytes,
            max_batches,
            schema_version: SCHEMA_VERSION,
        }
    }

    /// Returns the document for people.
    pub fn render(&self, look: Look) -> String {
        let mut text = String::new();
        let Totals { files, added, removed, .. } = self.totals;
        let scope = sanitize::line(&self.scope, 300);
        if files == 0 && self.not_reviewed.is_empty() {
            return format!("Nothing to review: {scope}, no file differs\n");
        }
        let size = format!("{}, +{added} -{removed}", number(files, "file"));
        push_wrapped(&mut text, &format!("{scope}: {size}"), "", "  ", look.width);
        // Writing to a String cannot fail.
        let _ = writeln!(text);
        if self.batches.is_empty() {
            let _ = writeln!(text, "None of it would be shown to reviewers.");
        }
        let of = self.batches.len();
        for batch in &self.batches {
            let size = words::bytes(batch.bytes);
            let count = number(u64::try_from(batch.files.len()).unwrap_or(u64::MAX), "file");
            let head = format!("Prompt {} of {of}: {count}, {size}", batch.number);
            let _ = writeln!(text, "{}", paint(&head, HEAD, look.colour));
            match &batch.text {
                Some(diff) => {
                    text.push_str(&sanitize::terminal(diff));
                }
                None => text.push_str(&files_table(&batch.files, look)),
            }
            let _ = writeln!(text);
        }
        self.render_left_out(look, &mut text);
        text
    }

    fn render_left_out(&self, look: Look, text: &mut String) {
        if self.not_reviewed.is_empty() {
            let whole = "Reviewers would see all of it.";
            let _ = writeln!(text, "{}", paint(whole, FAINT, look.colour));
            return;
        }
        let count = u64::try_from(self.not_reviewed.len()).unwrap_or(u64::MAX);
        let head = format!("Not reviewed: {}", number(count, "part"));
        let _ = writeln!(text, "{}", paint(&head, HEAD, look.colour));
        let rows = (self.not_reviewed.iter()).map(|left| {
            let missed = if left.missed { ", not looked at" } else { "" };
            let why = left.why.name().replace('_', " ") + missed;
            vec![left.path.clone(), why, left.detail.clone()]
        });
        let table = Table::new(&["Path", "Why", "Detail"], rows);
        text.push_str(&table.bare().unbroken(&[1]).render(look.width));
        if self.not_reviewed.iter().any(|part| part.missed) {
            let _ = writeln!(text);
            let why = "Some of it would not be reviewed, so a review of this cannot end as clean.";
            let mut wrapped = String::new();
            push_wrapped(&mut wrapped, why, "", "", look.width);
            for line in wrapped.lines() {
                let _ = writeln!(text, "{}", paint(line, BAD, look.colour));
            }
        }
    }
}

fn entry(file: &ChangedFile, part: &Part) -> FileEntry {
    let hunks = file.hunks.get(part.first..part.end).unwrap_or_default();
    let marked = |mark| hunks.iter().map(|hunk| hunk.count(mark)).sum();
    FileEntry {
        path: file.path.clone(),
        old_path: file.old_path.clone(),
        kind: file.kind,
        modes: file.modes.clone(),
        added: marked('+'),
        removed: marked('-'),
        hunks: (hunks.iter())
            .map(|hunk| HunkEntry {
                old_start: hunk.old_start,
                old_lines: hunk.old_lines,
                new_start: hunk.new_start,
                new_lines: hunk.new_lines,
            })
            .collect(),
        lines: file.lines,
    }
}

fn files_table(files: &[FileEntry], look: Look) -> String {
    let rows = files.iter().map(|file| {
        let path = match &file.old_path {
            Some(old) => format!("{old} -> {}", file.path),
            None => file.path.clone(),
        };
        let modes = file.modes.as_ref();
        let modes = modes.map(|(old, new)| format!("mode {old} -> {new}"));
        let count = u64::try_from(file.hunks.len()).unwrap_or(u64::MAX);
        let hunks = (count > 0).then(|| number(count, "hunk"));
        let what: Vec<String> = hunks.into_iter().chain(modes).collect();
        vec![
            word(file.kind).to_owned(),
            path,
            format!("+{} -{}", file.added, file.removed),
            what.join(", "),
        ]
    });
    Table::new(&["What", "Path", "Lines", "Where"], rows)
        .bare()
        .unbroken(&[0, 2])
        .render(look.width)
}

pub(crate) const fn word(kind: ChangeKind) -> &'static str {
    match kind {
        ChangeKind::Added => "added",
        ChangeKind::Modified => "modified",
        ChangeKind::Deleted => "deleted",
        ChangeKind::Renamed => "renamed",
        ChangeKind::Copied => "copied",
        ChangeKind::TypeChanged => "type changed",
        ChangeKind::ModeChanged => "mode changed",
    }
}

fn number(count: u64, noun: &str) -> String {
    let end = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{end}")
}

#[cfg(test)]
mod tests;
