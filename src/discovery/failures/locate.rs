//! Finds a project's reports in the places where test tools write them.
//!
//! At the root, and in folders one and two below it (a monorepo's projects): `junit*.xml`,
//! `TEST-*.xml`, streams and outputs with `test` in their name, pytest's cache, and the folders of
//! `REPORT_FOLDERS` with everything in them. Reports are seldom committed, so git's ignore rules do
//! not apply; `discovery.exclude` does. Folders with other people's code or samples are skipped,
//! and so are symbolic links.

use std::collections::HashSet;
use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use chrono::{DateTime, Utc};
use ignore::gitignore::Gitignore;

use super::sniff::Format;
use crate::discovery::finding::Omission;
use crate::text::word;

const REPORT_FOLDERS: [&str; 6] = [
    "test-results",
    "test-reports",
    "target/nextest",
    "target/surefire-reports",
    "target/failsafe-reports",
    "build/test-results",
];

/// The file in which pytest records failed tests.
const LAST_FAILED: &str = ".pytest_cache/v/cache/lastfailed";

/// Folders that are not the repository's own projects.
static FOREIGN: LazyLock<HashSet<&str>> =
    LazyLock::new(|| word::table(include_str!("foreign-folders.txt")));

/// Maximum depth below the root at which projects are searched for.
const PROJECT_DEPTH: usize = 2;

const REPORT_DEPTH: usize = 6;

/// Maximum number of folders listed.
const MAX_FOLDERS: usize = 5_000;

/// Maximum number of entries read in one folder.
const MAX_ENTRIES: usize = 10_000;

/// Maximum number of reports read.
pub const MAX_REPORTS: usize = 2_000;

/// A file that may be a report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Candidate {
    pub(super) name: String,
    /// The format by its name; `None`: its first bytes decide, and it may not be a report.
    pub(super) format: Option<Format>,
    pub(super) modified: DateTime<Utc>,
}

#[derive(Debug, Default)]
pub(super) struct TestLocation {
    pub(super) candidates: Vec<Candidate>,
    pub(super) left_out: Vec<Omission>,
    /// Whether the search was incomplete, so that silence means nothing.
    pub(super) cut: bool,
}

/// Searches for reports below `root`.
pub(super) fn find(root: &Path, exclude: &Gitignore) -> TestLocation {
    let mut search = Search { root, exclude, folders: 0, found: TestLocation::default() };
    search.project("", 0);
    let mut found = search.found;
    found.candidates.sort_by(|a, b| a.name.cmp(&b.name));
    found.candidates.dedup_by(|a, b| a.name == b.name);
    if found.candidates.len() > MAX_REPORTS {
        found.cut = true;
        for rest in found.candidates.drain(MAX_REPORTS..) {
            if found.left_out.len() < MAX_REPORTS {
                found.left_out.push(Omission {
                    what: rest.name,
                    why: format!("at most {MAX_REPORTS} reports are read"),
                });
            }
        }
    }
    found
}

struct Search<'a> {
    root: &'a Path,
    exclude: &'a Gitignore,
    folders: usize,
    found: TestLocation,
}

struct Entry {
    file_name: String,
    name: String,
    meta: fs::Metadata,
}

impl Search<'_> {
    /// Searches a folder that may be a project, and its subfolders.
    fn project(&mut self, dir: &str, depth: usize) {
        let entries = self.list(dir);
        for entry in &entries {
            if entry.meta.is_dir() {
                continue;
            }
            if let Some(format) = of_project_file(&entry.file_name) {
                self.candidate(entry, format);
            }
        }
        for folder in REPORT_FOLDERS {
            let name = below(dir, folder);
            if self.is_folder(&name) {
                self.reports(&name, REPORT_DEPTH);
            }
        }
        self.last_failed(dir);
        if depth == PROJECT_DEPTH {
            return;
        }
        for entry in entries {
            let foreign = entry.file_name.starts_with('.')
                || FOREIGN.contains(entry.file_name.as_str())
                || REPORT_FOLDERS.contains(&entry.file_name.as_str());
            if entry.meta.is_dir() && !foreign {
                self.project(&entry.name, depth + 1);
            }
        }
    }

    fn reports(&mut self, dir: &str, depth: usize) {
        for entry in self.list(dir) {
            if entry.meta.is_dir() {
                if depth > 0 {
                    self.reports(&entry.name, depth - 1);
                } else {
                    self.leave_out(&entry.name, "it is too deep below a folder of reports");
                }
            } else if let Some(format) = of_report_file(&entry.file_name) {
                self.candidate(&entry, format);
            }
        }
    }

    fn last_failed(&mut self, dir: &str) {
        let name = below(dir, LAST_FAILED);
        let folder = name.rsplit_once('/').map_or("", |(folder, _)| folder);
        if !self.is_folder(folder) {
            return;
        }
        if let Ok(meta) = self.root.join(&name).symlink_metadata() {
            let file_name = "lastfailed".to_owned();
            let entry = Entry { file_name, name, meta };
            self.candidate(&entry, Some(Format::LastFailed));
        }
    }

    fn candidate(&mut self, entry: &Entry, format: Option<Format>) {
        if self.is_excluded(&entry.name, false) {
            return self.leave_out(&entry.name, "`discovery.exclude` excludes it");
        }
        if !entry.meta.is_file() {
            if format.is_some() {
                self.leave_out(
                    &entry.name,
                    "it is a symbolic link or not a file, and is not followed",
                );
            }
            return;
        }
        let modified = entry.meta.modified().map(DateTime::<Utc>::from);
        self.found.candidates.push(Candidate {
            name: entry.name.clone(),
            format,
            modified: modified.unwrap_or(DateTime::UNIX_EPOCH),
        });
    }

    fn is_excluded(&self, name: &str, is_dir: bool) -> bool {
        self.exclude.matched_path_or_any_parents(name, is_dir).is_ignore()
    }

    /// Whether every part of a path is a folder, and not a link to one.
    fn is_folder(&self, name: &str) -> bool {
        let mut path = self.root.to_owned();
        name.split('/').all(|part| {
            path.push(part);
            path.symlink_metadata().is_ok_and(|meta| meta.is_dir())
        })
    }

    /// Lists a folder, sorted. Names that are not UTF-8 are skipped: no report has one.
    fn list(&mut self, dir: &str) -> Vec<Entry> {
        if !dir.is_empty() && self.is_excluded(dir, true) {
            self.leave_out(dir, "`discovery.exclude` excludes it");
            return Vec::new();
        }
        self.folders += 1;
        if self.folders > MAX_FOLDERS {
            if self.folders == MAX_FOLDERS + 1 {
                self.found.cut = true;
                let why = format!("at most {MAX_FOLDERS} folders are searched for reports");
                self.leave_out(dir, &why);
            }
            return Vec::new();
        }
        let listed = match fs::read_dir(self.root.join(dir)) {
            Ok(listed) => listed,
            Err(error) => {
                self.found.cut = true;
                let shown = if dir.is_empty() { "." } else { dir };
                self.leave_out(shown, &format!("it can't be listed: {error}"));
                return Vec::new();
            }
        };
        let mut entries: Vec<Entry> = listed
            .filter_map(Result::ok)
            .take(MAX_ENTRIES + 1)
            .filter_map(|entry| {
                let file_name = entry.file_name().into_string().ok()?;
                let meta = entry.path().symlink_metadata().ok()?;
                let name = below(dir, &file_name);
                Some(Entry { file_name, name, meta })
            })
            .collect();
        entries.sort_by(|a, b| a.file_name.cmp(&b.file_name));
        if entries.len() > MAX_ENTRIES {
            self.found.cut = true;
            let why = format!("only {MAX_ENTRIES} of its files are looked at");
            self.leave_out(if dir.is_empty() { "." } else { dir }, &why);
            entries.truncate(MAX_ENTRIES);
        }
        entries
    }

    fn leave_out(&mut self, what: &str, why: &str) {
        if self.found.left_out.len() < MAX_REPORTS {
            self.found.left_out.push(Omission { what: what.to_owned(), why: why.to_owned() });
        }
    }
}

fn below(dir: &str, name: &str) -> String {
    if dir.is_empty() { name.to_owned() } else { format!("{dir}/{name}") }
}

/// Returns the possible format of a file in a project folder; `Some(None)`: its first bytes decide.
#[expect(
    clippy::option_option,
    reason = "no report, a report of a known format, a report of whichever format"
)]
fn of_project_file(name: &str) -> Option<Option<Format>> {
    let lower = name.to_ascii_lowercase();
    let (stem, extension) = lower.rsplit_once('.')?;
    match extension {
        "xml" if stem.starts_with("junit") || name.starts_with("TEST-") => {
            Some(Some(Format::JUnit))
        }
        "json" | "jsonl" | "txt" | "log" | "out" if stem.contains("test") => Some(None),
        _ => None,
    }
}

#[expect(clippy::option_option, reason = "as above")]
fn of_report_file(name: &str) -> Option<Option<Format>> {
    let by_name = of_project_file(name);
    if by_name.is_some() {
        return by_name;
    }
    let (_, extension) = name.rsplit_once('.')?;
    let read = ["xml", "json", "jsonl", "txt", "log", "out"].contains(&extension);
    read.then_some(None)
}

#[cfg(test)]
mod tests {
    //! Where reports are searched for, and where not.

    use std::os::unix::fs::symlink;

    use ignore::gitignore::GitignoreBuilder;
    use tempfile::TempDir;

    use super::*;

    fn project(files: &[&str]) -> TempDir {
        let dir = tempfile::tempdir().unwrap();
        for file in files {
            let path = dir.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "x").unwrap();
        }
        dir
    }

    fn names(dir: &TempDir, exclude: &[&str]) -> Vec<String> {
        let mut builder = GitignoreBuilder::new(dir.path());
        for pattern in exclude {
            builder.add_line(None, pattern).unwrap();
        }
        let found = find(dir.path(), &builder.build().unwrap());
        found.candidates.into_iter().map(|found| found.name).collect()
    }

    #[test]
    fn reports_are_found_at_the_root_and_in_projects_below() {
        let files = [
            ".pytest_cache/v/cache/lastfailed",
            "TEST-a.xml",
            "build/test-results/test/TEST-a.xml",
            "junit-unit.xml",
            "junit.xml",
            "packages/web/junit.xml",
            "packages/web/target/surefire-reports/TEST-b.xml",
            "pytest-output.txt",
            "target/nextest/default/junit.xml",
            "test-results/deep/er/any.xml",
            "test-results/out.jsonl",
        ];
        let mut all = files.to_vec();
        all.extend([
            "a/b/c/junit.xml",
            "node_modules/x/junit.xml",
            "vendor/junit.xml",
            "fixtures/junit.xml",
            ".git/junit.xml",
            "target/debug/junit.xml",
            "src/junit.rs",
            "readme.txt",
            "pom.xml",
        ]);
        let dir = project(&all);
        assert_eq!(names(&dir, &[]), files);
        assert_eq!(
            names(&dir, &["packages/", "*.jsonl", "/target", "/build", ".pytest_cache"]),
            [
                "TEST-a.xml",
                "junit-unit.xml",
                "junit.xml",
                "pytest-output.txt",
                "test-results/deep/er/any.xml"
            ]
        );
    }

    #[test]
    fn no_link_is_followed() {
        let outside = project(&["junit.xml", "results/a.xml"]);
        let dir = project(&["a.txt"]);
        symlink(outside.path().join("junit.xml"), dir.path().join("junit.xml")).unwrap();
        symlink(outside.path().join("results"), dir.path().join("test-results")).unwrap();
        symlink(outside.path(), dir.path().join("sub")).unwrap();
        let found = find(dir.path(), &Gitignore::empty());
        assert_eq!(found.candidates, []);
        assert_eq!(found.left_out[0].what, "junit.xml");
        assert!(found.left_out[0].why.contains("symbolic link"));
    }
}
