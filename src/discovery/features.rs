//! Possible features for a repository: the summary shown to an analyst, and the findings from its answer.
//!
//! [`summary`] examines the tree by a few plain rules and writes one text: languages, dependencies,
//! folders, main files, routes, types, the head of the README. It opens few files, reads the beginning of
//! each, and lists those it could not read. It guesses: estimates are marked as such. An AI CLI answers
//! it (role `feature-analyst`, [`crate::protocol::inquiry`]), and [`propose`] turns that answer into
//! findings, with a return that we calculate ourselves.
//!
//! The text contains words from the repository, which are data: it goes into a prompt only quoted and
//! fenced, after redaction.

mod lexical;
mod manifest;
mod pick;
pub mod propose;
mod read;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

pub use propose::{Proposals, SOURCE, findings};

use super::finding::Omission;
use super::tree::{Tree, TreeFile};
use crate::text::sanitize;
use lexical::Language;
use manifest::Manifest;

/// Maximum length of a summary, in characters.
pub const SUMMARY_CHARS: usize = 24_000;

/// Maximum number of files opened.
pub const MAX_OPENED: usize = 40;

/// Maximum number of bytes read from one file.
pub const MAX_READ: u64 = 64 << 10;

/// Maximum length of a line of the summary, in characters; a longer entry is wrapped.
const LINE_CHARS: usize = 160;

/// Maximum number of lines in one entry.
const ENTRY_LINES: usize = 5;

/// The limits of a section.
#[derive(Debug, Clone, Copy)]
struct SectionLimits {
    entries: usize,
    /// Including title and line ends.
    chars: usize,
}

// Each section has a limit of its own, so that none uses up the others' space.
const LANGUAGES: SectionLimits = most(15, 1_000);
const README: SectionLimits = most(80, 6_000);
const FRAMEWORKS: SectionLimits = most(40, 1_000);
const DEPENDENCIES: SectionLimits = most(12, 4_000);
const FOLDERS: SectionLimits = most(60, 3_000);
const MAIN_FILES: SectionLimits = most(40, 3_000);
const ROUTES: SectionLimits = most(60, 3_000);
const TYPES: SectionLimits = most(60, 3_000);

const fn most(entries: usize, chars: usize) -> SectionLimits {
    SectionLimits { entries, chars }
}

const _: () = assert!(
    LANGUAGES.chars
        + README.chars
        + FRAMEWORKS.chars
        + DEPENDENCIES.chars
        + FOLDERS.chars
        + MAIN_FILES.chars
        + ROUTES.chars
        + TYPES.chars
        <= SUMMARY_CHARS
);

/// Maximum number of dependencies named from one manifest.
const NAMED: usize = 80;

/// A summary of a repository.
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
    let mut seen = FileFacts::default();
    for file in pick::to_open(&files) {
        match read::head(&tree.root, file) {
            Ok(text) => {
                seen.look(file, &text);
                summary.opened.push(file.name.clone());
            }
            Err(why) => summary.left_out.push(Omission { what: file.name.clone(), why }),
        }
    }
    let languages = seen.languages(&files);
    if languages.is_empty() && summary.opened.is_empty() {
        return summary;
    }
    let mut text = Text::default();
    text.section("Languages (lines are estimates)", languages, LANGUAGES);
    let (frameworks, dependencies) = seen.dependencies();
    if let Some((name, lines)) = seen.readme.take() {
        text.section(&format!("Beginning of {name}"), lines, README);
    }
    text.section("Frameworks", frameworks, FRAMEWORKS);
    text.section("Dependencies by manifest", dependencies, DEPENDENCIES);
    let (folders, all) = folders(&files);
    text.part("Folders", folders, all, FOLDERS);
    let (sources, all) = main_files(&files);
    text.part("Main files", sources, all, MAIN_FILES);
    text.section("Routes", seen.routes, ROUTES);
    text.section("Types", seen.types, TYPES);
    summary.text = text.0;
    summary
}

/// Data from the opened files.
#[derive(Default)]
struct FileFacts {
    /// Bytes and lines by language, for the text that was read.
    measured: BTreeMap<Language, (u64, u64)>,
    manifests: Vec<(String, Manifest)>,
    routes: Vec<String>,
    types: Vec<String>,
    readme: Option<(String, Vec<String>)>,
}

impl FileFacts {
    fn look(&mut self, file: &TreeFile, text: &str) {
        if pick::is_readme(&file.name) {
            let lines = text.lines().filter(|line| !is_decoration(line));
            self.readme = Some((file.name.clone(), lines.map(str::to_owned).collect()));
        } else if let Some(manifest) = manifest::read(&file.name, text) {
            self.manifests.push((file.name.clone(), manifest));
        } else if let Some(language) = Language::of(&file.name) {
            let (bytes, lines) = self.measured.entry(language).or_default();
            *bytes += text.len() as u64;
            *lines += text.lines().count() as u64;
            let routes = lexical::routes(language, text);
            self.routes.extend(routes.iter().map(|route| format!("{route}  ({})", file.name)));
            let types = lexical::types(language, text);
            if !types.is_empty() {
                self.types.push(format!("{}: {}", file.name, types.join(", ")));
            }
        }
    }

    /// Languages by size. Line counts are bytes divided by the average line length in the files that
    /// were read, or by 32 if there were none.
    fn languages(&self, files: &[&TreeFile]) -> Vec<String> {
        let mut all: BTreeMap<Language, (usize, u64)> = BTreeMap::new();
        for file in files {
            if let Some(language) = Language::of(&file.name) {
                let (count, bytes) = all.entry(language).or_default();
                *count += 1;
                *bytes = bytes.saturating_add(file.bytes);
            }
        }
        let mut rows: Vec<_> = all.into_iter().collect();
        rows.sort_by_key(|(language, (_, bytes))| (std::cmp::Reverse(*bytes), *language));
        rows.into_iter()
            .map(|(language, (count, bytes))| {
                let width = match self.measured.get(&language) {
                    Some((bytes, lines)) if *lines > 0 => (bytes / lines).max(1),
                    Some(_) | None => 32,
                };
                let files = if count == 1 { "file" } else { "files" };
                let lines = bytes.div_ceil(width);
                format!("{}: {count} {files}, about {lines} lines", language.name())
            })
            .collect()
    }

    /// Returns frameworks, and one line of dependencies per manifest.
    fn dependencies(&self) -> (Vec<String>, Vec<String>) {
        let all = || self.manifests.iter().flat_map(|(_, each)| &each.dependencies);
        let frameworks: BTreeSet<&str> =
            all().filter_map(|name| manifest::framework(name)).collect();
        let row = |(name, each): &(String, Manifest)| {
            let of = each.name.as_ref().map(|of| format!(" (`{of}`)"));
            let more = each.dependencies.len().saturating_sub(NAMED);
            let listed: Vec<&str> =
                each.dependencies.iter().take(NAMED).map(String::as_str).collect();
            let mut row = format!("{name}{}: {}", of.unwrap_or_default(), listed.join(", "));
            if listed.is_empty() {
                row.push_str("none");
            }
            if more > 0 {
                let _ = write!(row, " and {more} more");
            }
            row
        };
        (
            frameworks.into_iter().map(str::to_owned).collect(),
            self.manifests.iter().map(row).collect(),
        )
    }
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
        .filter(|file| Language::of(&file.name).is_some() && !pick::is_test(&file.name))
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
    /// Adds a complete section.
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
