//! A change as data: the files that differ, their hunks, and the batches in which reviewers see them.
//!
//! # Theory of operation
//!
//! A [`Change`] holds what reviewers are shown and lists everything they are not shown
//! ([`NotReviewed`]), so no part of a diff is dropped silently. It is a value without I/O: built from
//! git's output, stored in a session's first record, and the only input to the check of a finding's
//! location.
//!
//! Texts are UTF-8: invalid bytes become U+FFFD, and names are spelled as in [`crate::text::name`].
//! Lines are counted from 1.

pub mod assemble;
pub mod compare;
mod context;
pub mod data;
mod excerpt;
mod logins;
pub mod parse;
pub mod policy;
mod prefix;
mod received;

pub use excerpt::{Excerpt, Lines};

use serde::{Deserialize, Serialize};

use crate::words;

/// The change under review.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Change {
    /// The compared revisions, for people: `working tree against HEAD`, `main...HEAD`.
    pub scope: String,
    /// The base commit, in hexadecimal; `None` before the first commit and for a patch.
    pub base: Option<String>,
    /// The files that reviewers are shown, by path.
    pub files: Vec<ChangedFile>,
    /// The parts shown together, one batch per prompt. Never empty unless `files` is.
    pub batches: Vec<Batch>,
    /// The parts that reviewers are not shown, and why.
    pub not_reviewed: Vec<NotReviewed>,
    /// Size of the whole change, including parts that are not shown.
    pub totals: Totals,
}

/// A file that reviewers are shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangedFile {
    /// Its path from the top of the repository, with `/`; for a deleted file, the old path.
    pub path: String,
    /// Its previous path, if it was renamed or copied.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old_path: Option<String>,
    /// The kind of change.
    pub kind: ChangeKind,
    /// Old and new mode if they differ: `100644`, `100755`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub modes: Option<(String, String)>,
    /// Its hunks, in order; empty for a pure rename, a change of mode, an empty file.
    pub hunks: Vec<Hunk>,
    /// Number of lines in the new file; 0 if it was deleted, `None` if only the patch is known or the
    /// file is too large to count.
    pub lines: Option<u32>,
    /// The new file's text, if it is known and not too large: quotes are looked up in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// What happened to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ChangeKind {
    /// It is new.
    Added,
    /// Its content changed.
    Modified,
    /// It is gone.
    Deleted,
    /// It has another name, and perhaps other content.
    Renamed,
    /// It is a copy of another one, perhaps changed.
    Copied,
    /// It became another kind of file (a link, a file).
    TypeChanged,
    /// Only its mode changed.
    ModeChanged,
}

/// One hunk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Hunk {
    /// Its first line in the old file; 0 for a new file.
    pub old_start: u32,
    /// Its number of lines in the old file.
    pub old_lines: u32,
    /// Its first line in the new file; 0 for a deleted file.
    pub new_start: u32,
    /// Its number of lines in the new file.
    pub new_lines: u32,
    /// The text after the second `@@`: the enclosing function, as git names it; often empty.
    pub heading: String,
    /// Its lines, each with its marker (` `, `+`, `-`, `\`) and line break; without the `@@` line.
    pub body: String,
}

/// The parts of a change shown in one prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Batch {
    /// The parts, in order.
    pub parts: Vec<Part>,
}

/// A file, or some of its hunks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// Index into [`Change::files`].
    pub file: usize,
    /// The first hunk shown.
    pub first: usize,
    /// One past the last hunk shown; equal to `first` for a file without hunks.
    pub end: usize,
}

/// A part of the change that nobody is shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct NotReviewed {
    /// The file, or which part of it: `src/a.rs`, `src/a.rs (lines 10-900)`.
    pub path: String,
    /// Why.
    pub why: Omission,
    /// One sentence: which rule, which size.
    pub detail: String,
    /// Whether it should have been read, so that a review without it is undecided. Otherwise nobody can read it, or somebody
    /// entitled to decide so left it out: the base revision, the user, or a built-in list.
    pub missed: bool,
}

impl NotReviewed {
    /// Creates the entry for something left out for this reason.
    pub fn new(path: impl Into<String>, reason: Reason) -> Self {
        Self { path: path.into(), why: reason.why, detail: reason.detail, missed: reason.missed }
    }
}

/// Why something is left out, and by whose decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reason {
    pub why: Omission,
    /// A sentence for people.
    pub detail: String,
    /// Whether somebody should have read it.
    pub missed: bool,
}

impl Reason {
    /// Left out by its nature, or by somebody entitled to decide so.
    pub fn left_out(why: Omission, detail: impl Into<String>) -> Self {
        Self { why, detail: detail.into(), missed: false }
    }

    /// A submodule that moved between two commits; zeros or nothing stand for none.
    pub fn submodule(old: &str, new: &str) -> Self {
        let none = |commit: &str| commit.bytes().all(|byte| byte == b'0');
        let short = |commit: &str| commit.get(..10).unwrap_or(commit).to_owned();
        let moved = match (none(old), none(new)) {
            (true, true) => "changed inside".to_owned(),
            (true, false) => format!("new, at commit {}", short(new)),
            (false, true) => format!("removed, at commit {}", short(old)),
            (false, false) => format!("from commit {} to {}", short(old), short(new)),
        };
        let why = format!("a submodule, {moved}: review it in its own repository");
        Self::left_out(Omission::Submodule, why)
    }

    /// Left out although somebody should look at it.
    pub fn missed(why: Omission, detail: impl Into<String>) -> Self {
        Self { why, detail: detail.into(), missed: true }
    }
}

words! {
    /// Why something is not shown.
    #[derive(PartialOrd, Ord, Hash)]
    pub enum Omission {
        /// A binary file.
        Binary = "binary",
        /// A file of secrets: it never goes into a prompt.
        Secret = "secret",
        /// Written by a program.
        Generated = "generated",
        /// A secret file that git neither tracks nor ignores: `git add .` would commit it.
        UntrackedSecret = "untracked_secret",
        /// A lock file: the built-in list excludes it.
        Lock = "lock_file",
        /// The configuration excludes it.
        Excluded = "excluded",
        /// Data, of which only the first and last lines are shown.
        Shortened = "shortened",
        /// This program's own files (`.debate`, `.swarm`).
        Own = "own",
        /// Another repository within this one.
        Submodule = "submodule",
        /// Too large for a prompt, and cannot be split.
        TooLarge = "too_large",
        /// Beyond the last batch.
        BeyondBatches = "beyond_batches",
        /// It could not be read, or git's output about it was not understood.
        Unreadable = "unreadable",
        /// Fewer than two agents answered for its batch.
        NoQuorum = "no_quorum",
    }
}

/// The size of a change.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, schemars::JsonSchema,
)]
pub struct Totals {
    /// Files that differ.
    pub files: u64,
    /// Lines that were added.
    pub added: u64,
    /// Lines that were removed.
    pub removed: u64,
    /// Bytes of the diff.
    pub bytes: u64,
}

impl Change {
    /// Returns the shown file with this path.
    pub fn file(&self, path: &str) -> Option<&ChangedFile> {
        self.files.iter().find(|file| file.path == path)
    }

    /// Renders a batch as a unified diff for a prompt.
    pub fn render(&self, batch: &Batch) -> String {
        let mut text = String::new();
        for part in &batch.parts {
            if let Some(file) = self.files.get(part.file) {
                file.render(part.first..part.end, &mut text);
            }
        }
        text
    }
}

impl ChangedFile {
    /// Renders some of its hunks as a unified diff.
    pub fn render(&self, hunks: std::ops::Range<usize>, text: &mut String) {
        use std::fmt::Write as _;
        let old = self.old_path.as_deref().unwrap_or(&self.path);
        let (old, new) = match self.kind {
            ChangeKind::Added => ("/dev/null".to_owned(), format!("b/{}", self.path)),
            ChangeKind::Deleted => (format!("a/{old}"), "/dev/null".to_owned()),
            _ => (format!("a/{old}"), format!("b/{}", self.path)),
        };
        // Writing to a String cannot fail.
        if let Some(from) = &self.old_path {
            let _ = writeln!(text, "rename or copy: {from} -> {}", self.path);
        }
        if let Some((from, to)) = &self.modes {
            let _ = writeln!(text, "mode of {}: {from} -> {to}", self.path);
        }
        let _ = writeln!(text, "--- {old}\n+++ {new}");
        for hunk in self.hunks.get(hunks).unwrap_or_default() {
            let _ = write!(text, "{hunk}");
        }
    }
}

impl Hunk {
    /// Counts the lines with a marker: `+`, `-`.
    pub fn count(&self, marker: char) -> u64 {
        let lines = self.body.split('\n').filter(|line| line.starts_with(marker));
        u64::try_from(lines.count()).unwrap_or(u64::MAX)
    }
}
