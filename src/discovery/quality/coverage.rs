//! Line coverage from reports: Cobertura XML, LCOV.
//!
//! [`find`] lists the reports in the places where tools put them, [`parse`] reads one to its end or reports where it
//! is malformed, and [`Paths`] resolves its files in the tree.

mod cobertura;
mod lcov;
mod resolve;

use std::collections::BTreeMap;
use std::path::Path;

use chrono::{DateTime, Utc};

use super::newlines;
use crate::files::Folder;
pub(super) use resolve::Paths;

/// Maximum size of a report, in bytes.
pub const MAX_REPORT_BYTES: u64 = 64 << 20;
/// Maximum number of reports in one run.
const MAX_REPORTS: usize = 64;
/// Maximum number of entries read in one folder.
const MAX_ENTRIES: usize = 2_000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ReportFile {
    /// Relative to the root, as text.
    pub(super) name: String,
    pub(super) bytes: u64,
    pub(super) modified: DateTime<Utc>,
}

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Report {
    /// Folders that its paths are relative to, if given.
    pub(super) sources: Vec<String>,
    /// Lines by file, and whether each was run.
    pub(super) files: BTreeMap<String, Lines>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Lines {
    /// For reports that list lines: whether each was run. Parts of one file are merged here.
    by_line: BTreeMap<u32, bool>,
    /// For reports that only count lines: all, and those run.
    counted: Option<(u64, u64)>,
}

impl Lines {
    fn add(&mut self, line: u32, hit: bool) {
        *self.by_line.entry(line).or_insert(false) |= hit;
    }

    /// Returns the number of lines, and of those run.
    pub(super) fn counts(&self) -> (u64, u64) {
        self.counted.unwrap_or_else(|| {
            let hit = self.by_line.values().filter(|hit| **hit).count();
            (self.by_line.len() as u64, hit as u64)
        })
    }
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub(super) struct ReportError {
    /// Line, from 1.
    pub(super) line: usize,
    pub(super) message: String,
}

/// Parses a report.
///
/// # Errors
/// It has neither format, is malformed, or is truncated.
pub(super) fn parse(bytes: &[u8]) -> Result<Report, ReportError> {
    let text = String::from_utf8_lossy(bytes);
    let text = text.trim_start_matches('\u{feff}');
    if !text.trim_start().starts_with('<') {
        return lcov::parse(text);
    }
    if text.chars().take(4_096).collect::<String>().contains("<coverage") {
        return cobertura::parse(text);
    }
    Err(ReportError {
        line: 1,
        message:
            "is no Cobertura report (`<coverage>`); tools that write others can write that or LCOV"
                .to_owned(),
    })
}

fn line_of(text: &str, byte: u64) -> usize {
    let end = usize::try_from(byte).unwrap_or(usize::MAX).min(text.len());
    1 + newlines(&text.as_bytes()[..end])
}

/// Lists the coverage reports below a root, sorted; links are not followed.
///
/// `modules` are the folders of the root that may be projects of their own.
pub(super) fn find(root: &Path, modules: &[String]) -> Vec<ReportFile> {
    let mut found = Vec::new();
    for base in std::iter::once("").chain(modules.iter().map(String::as_str)) {
        for (folder, depth) in [
            ("", 0),
            ("coverage", 2),
            ("reports", 1),
            ("target", 0),
            ("target/site", 1),
            ("target/coverage", 1),
            ("target/llvm-cov", 1),
            ("target/llvm-cov-target", 0),
            ("target/cobertura", 0),
            ("target/tarpaulin", 0),
            ("build/reports", 2),
        ] {
            let place = match (base, folder) {
                ("", place) | (place, "") => place.to_owned(),
                (base, folder) => format!("{base}/{folder}"),
            };
            look(root, &place, depth, &mut found);
        }
    }
    found.sort_by(|a, b| a.name.cmp(&b.name));
    found.dedup_by(|a, b| a.name == b.name);
    found
}

/// Whether a file is named like a coverage report.
fn is_report(name: &str) -> bool {
    const NAMES: [&str; 5] =
        ["coverage.xml", "cobertura.xml", "cobertura-coverage.xml", "lcov.info", "coverage.info"];
    let Some((stem, extension)) = name.rsplit_once('.') else {
        return false;
    };
    NAMES.contains(&name)
        || match extension {
            "lcov" => !stem.is_empty(),
            "info" => stem.starts_with("lcov"),
            "xml" => stem.starts_with("coverage.cobertura"),
            _ => false,
        }
}

fn look(root: &Path, folder: &str, depth: u32, found: &mut Vec<ReportFile>) {
    let mut open = vec![(folder.to_owned(), depth)];
    while let Some((folder, depth)) = open.pop() {
        // The parts of the path between the root and the folder are not links either.
        let real = Folder::open(root).and_then(|root| root.folder(Path::new(&folder)));
        let listed = real.and_then(|_| std::fs::read_dir(root.join(&folder)));
        let Ok(entries) = listed else {
            continue;
        };
        for entry in entries.take(MAX_ENTRIES).flatten() {
            let file_name = entry.file_name();
            let (Some(name), Ok(kind)) = (file_name.to_str(), entry.file_type()) else {
                continue;
            };
            let path = if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
            if kind.is_dir() && depth > 0 {
                open.push((path, depth - 1));
            } else if kind.is_file() && is_report(name) && found.len() < MAX_REPORTS {
                let Ok(meta) = entry.metadata() else { continue };
                found.push(ReportFile {
                    name: path,
                    bytes: meta.len(),
                    modified: meta.modified().map_or(DateTime::UNIX_EPOCH, DateTime::from),
                });
            }
        }
    }
}

#[cfg(test)]
mod tests;
