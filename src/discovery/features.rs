//! Possible features for a repository: the summary shown to an analyst, and the findings from its answer.
//!
//! [`summary`] writes one text: the beginnings of the README and of the manifests as they are, the folders and the main
//! files. It opens few files and lists those it could not read. An AI CLI answers it (role `feature-analyst`,
//! [`crate::protocol::inquiry`]), and [`propose`] turns that answer into findings, with a return that we calculate
//! ourselves.
//!
//! The text contains words from the repository, which are data: it goes into a prompt only quoted and
//! fenced, after redaction.

mod pick;
pub mod propose;
mod read;

use std::collections::BTreeMap;
use std::fmt::Write as _;

pub use propose::{Proposals, SOURCE, findings};

use super::finding::Omission;
use super::quality;
use super::tree::{Tree, TreeFile};
use crate::text::sanitize;

/// Maximum length of a summary, in characters.
pub const SUMMARY_CHARS: usize = 24_000;

/// Maximum number of files opened: the README and the manifests nearest to the root.
pub const MAX_OPENED: usize = 7;

pub const MAX_READ: u64 = 64 << 10;

/// Maximum length of a line of the summary, in characters; a longer entry is wrapped.
const LINE_CHARS: usize = 160;

const ENTRY_LINES: usize = 5;

#[derive(Debug, Clone, Copy)]
struct SectionLimits {
    entries: usize,
    /// Including title and line ends.
    chars: usize,
}

// Each section has a limit of its own, so that none uses up the others' space.
const README: SectionLimits = most(80, 6_000);
const MANIFEST: SectionLimits = most(60, 2_000);
const FOLDERS: SectionLimits = most(60, 3_000);
const MAIN_FILES: SectionLimits = most(40, 3_000);

const fn most(entries: usize, chars: usize) -> SectionLimits {
    SectionLimits { entries, chars }
}

const _: () = assert!(
    README.chars + (MAX_OPENED - 1) * MANIFEST.chars + FOLDERS.chars + MAIN_FILES.chars
        <= SUMMARY_CHARS
);

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Summary {
    /// The text, at most [`SUMMARY_CHARS`] characters; empty if no file says anything.
    pub text: String,
    /// Files whose beginning was read, as [`TreeFile::name`].
    pub opened: Vec<String>,
    /// Files that were selected but could not be read, and why.
    pub left_out: Vec<Omission>,
}

/// Summarizes a tree. The same files give the same text.
///
/// Opens at most [`MAX_OPENED`] files, follows no link, reads at most [`MAX_READ`] bytes of each,
/// and never opens a file whose name suggests secrets.
pub fn summary(tree: &Tree) -> Summary {
    let files: Vec<&TreeFile> =
        tree.files.iter().filter(|file| !pick::is_secret(&file.name)).collect();
    let mut summary = Summary::default();
    let mut text = Text::default();
    for file in pick::to_open(&files) {
        match read::head(&tree.root, file) {
            Ok(content) => {
                let most = if pick::is_readme(&file.name) { README } else { MANIFEST };
                let lines = content.lines().filter(|line| !is_decoration(line));
                let lines = lines.map(str::to_owned).collect();
                text.section(&format!("Beginning of {}", file.name), lines, most);
                summary.opened.push(file.name.clone());
            }
            Err(why) => summary.left_out.push(Omission { what: file.name.clone(), why }),
        }
    }
    if summary.opened.is_empty() && !files.iter().any(|file| quality::is_code(&file.name)) {
        return summary;
    }
    let (sources, all) = main_files(&files);
    let (folders, count) = folders(&files);
    text.part("Folders", folders, count, FOLDERS);
    text.part("Main files", sources, all, MAIN_FILES);
    summary.text = text.0;
    summary
}

/// Whether a line of a README is a badge, a picture, or empty.
fn is_decoration(line: &str) -> bool {
    let line = line.trim();
    line.is_empty()
        || ["[![", "![", "<img", "<p align", "</p"].iter().any(|start| line.starts_with(start))
}

/// Returns the fullest folders of the first two levels with the number of files below each, and the number of all
/// folders.
fn folders(files: &[&TreeFile]) -> (Vec<String>, usize) {
    let mut all: BTreeMap<String, usize> = BTreeMap::new();
    for file in files {
        let mut parts: Vec<&str> = file.name.split('/').collect();
        parts.pop();
        for depth in 1..=parts.len().min(2) {
            *all.entry(parts[..depth].join("/")).or_default() += 1;
        }
    }
    let mut rows: Vec<(String, usize)> = all.into_iter().collect();
    rows.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    let all = rows.len();
    rows.truncate(FOLDERS.entries);
    rows.sort();
    let rows = rows.into_iter().map(|(folder, count)| format!("{folder}/ ({count})"));
    (rows.collect(), all)
}

/// Returns the largest source files that are not tests (names that an answer may refer to), and the number of
/// all.
fn main_files(files: &[&TreeFile]) -> (Vec<String>, usize) {
    let mut sources: Vec<&&TreeFile> = files
        .iter()
        .filter(|file| quality::is_code(&file.name) && !quality::is_test(&file.name))
        .collect();
    sources.sort_by_key(|file| (std::cmp::Reverse(file.bytes), &file.name));
    let all = sources.len();
    sources.truncate(MAIN_FILES.entries);
    let mut names: Vec<String> = sources.into_iter().map(|file| file.name.clone()).collect();
    names.sort();
    (names, all)
}

/// A summary being written.
#[derive(Default)]
struct Text(String);

impl Text {
    fn section(&mut self, title: &str, entries: Vec<String>, most: SectionLimits) {
        let all = entries.len();
        self.part(title, entries, all, most);
    }

    /// Adds a section with its first entries, and the number of `all` that are not shown.
    fn part(&mut self, title: &str, entries: Vec<String>, all: usize, most: SectionLimits) {
        /// Reserved for the line with the number of the others.
        const REST: usize = 40;
        if entries.is_empty() {
            return;
        }
        let gap = if self.0.is_empty() { "" } else { "\n" };
        let title = format!("{gap}{}\n", sanitize::line(title, LINE_CHARS));
        let mut room = most.chars.saturating_sub(title.chars().count() + REST);
        self.0.push_str(&title);
        let mut shown = 0;
        for entry in entries.into_iter().take(most.entries) {
            let text = wrapped(&entry);
            let chars = text.chars().count();
            if chars > room {
                break;
            }
            room -= chars;
            self.0.push_str(&text);
            shown += 1;
        }
        if shown < all {
            let _ = writeln!(self.0, "  ... and {} more", all - shown);
        }
    }
}

/// Wraps an entry to at most [`ENTRY_LINES`] lines, indenting all but the first.
fn wrapped(entry: &str) -> String {
    let clean = sanitize::line(entry, ENTRY_LINES * LINE_CHARS);
    let indent = entry.len() - entry.trim_start().len();
    let mut text = format!("  {}", " ".repeat(indent.min(8)));
    let mut width = text.len();
    for (index, word) in clean.split(' ').enumerate() {
        let chars = word.chars().count();
        if index > 0 && width + 1 + chars > LINE_CHARS {
            text.push_str("\n    ");
            width = 4;
        } else if index > 0 {
            text.push(' ');
            width += 1;
        }
        text.push_str(word);
        width += chars;
    }
    text.push('\n');
    text
}

#[cfg(test)]
mod tests;
