//! The repository that is planned for: the files that exist, and the text of those that planners are shown.
//!
//! Both are taken once, when the session is opened, so that a resume finds the same. Planners are shown the list by folder
//! ([`Repository::listing`]); the program looks up every path that a step names ([`Repository::missing`]).

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use super::group::normal;
use crate::change::Omission;
use crate::protocol::context::ContextFile;
use crate::text::sanitize;

/// Maximum size of the list that planners are shown, in bytes.
pub(crate) const LISTING_BYTES: usize = 6 << 10;
/// Maximum number of files that are kept.
pub(crate) const MAX_FILES: usize = 20_000;
/// Maximum number of characters shown of a name.
const NAME_CHARS: usize = 120;

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Repository {
    /// Paths from its top.
    pub files: BTreeSet<String>,
    /// Whether `files` are all of them. If not, no path can be said to be missing.
    pub complete: bool,
    /// Those of which planners are shown the text, by path.
    #[serde(default)]
    pub shown: Vec<ContextFile>,
    /// The number of the other ones that are not empty, by the reason.
    #[serde(default)]
    pub left_out: BTreeMap<Omission, usize>,
}

impl Repository {
    /// Returns the files by folder, as many folders as fit into [`LISTING_BYTES`], those at the top first: a line per
    /// folder with its files, and its folders with the number of files below each. A folder that has no line of its
    /// own is known by that number.
    pub(crate) fn listing(&self) -> String {
        let mut folders: BTreeMap<(usize, &str), Folder<'_>> = BTreeMap::new();
        folders.entry((0, "")).or_default();
        for path in &self.files {
            let mut above = "";
            for (at, _) in path.match_indices('/') {
                let folder = &path[..=at];
                let depth = |folder: &str| folder.matches('/').count();
                *(folders.entry((depth(above), above)).or_default().folders.entry(folder))
                    .or_default() += 1;
                folders.entry((depth(folder), folder)).or_default();
                above = folder;
            }
            let at = (above.matches('/').count(), above);
            folders.entry(at).or_default().files.push(&path[above.len()..]);
        }
        let mut text = String::new();
        for ((_, name), folder) in &folders {
            let line = folder.line(name);
            if text.len() + line.len() <= LISTING_BYTES {
                text.push_str(&line);
            }
        }
        text
    }

    fn has(&self, path: &str) -> bool {
        let below = format!("{path}/");
        self.files.contains(path)
            || self.files.range(below.clone()..).next().is_some_and(|file| file.starts_with(&below))
    }

    /// Returns those of a step's files that do not exist and that no step creates; nothing if the list is incomplete.
    /// A pattern (`src/*.rs`) is no path.
    pub(crate) fn missing(&self, files: &[String], created: &BTreeSet<String>) -> Vec<String> {
        if !self.complete {
            return Vec::new();
        }
        let is_missing = |file: &&String| {
            let path = normal(file);
            !path.contains(['*', '?'])
                && !path.is_empty()
                && !self.has(&path)
                && !created.contains(&path)
        };
        files.iter().filter(is_missing).cloned().collect()
    }
}

#[derive(Debug, Default)]
struct Folder<'a> {
    files: Vec<&'a str>,
    /// Folders in it, by path, with the number of files below each.
    folders: BTreeMap<&'a str, usize>,
}

impl Folder<'_> {
    /// `src/: main.rs, app/ (12 files)`, with a line break.
    fn line(&self, name: &str) -> String {
        let shown = |text: &str| sanitize::line(text, NAME_CHARS);
        let folders = self.folders.iter().map(|(path, count)| {
            let files = if *count == 1 { "file" } else { "files" };
            format!("{} ({count} {files})", shown(&path[name.len()..]))
        });
        let all: Vec<String> = self.files.iter().map(|file| shown(file)).chain(folders).collect();
        let mut line = String::new();
        let top = if name.is_empty() { "./" } else { name };
        let _ = writeln!(line, "{}: {}", shown(top), all.join(", "));
        line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repository(files: &[&str]) -> Repository {
        Repository {
            files: files.iter().map(|file| (*file).to_owned()).collect(),
            complete: true,
            ..Repository::default()
        }
    }

    #[test]
    fn files_are_listed_by_folder_from_the_top() {
        let shown =
            repository(&["README.md", "src/app/a.rs", "src/app/b.rs", "src/lib.rs", "docs/x.md"]);
        assert_eq!(
            shown.listing(),
            "./: README.md, docs/ (1 file), src/ (3 files)\ndocs/: x.md\nsrc/: lib.rs, app/ (2 files)\nsrc/app/: a.rs, b.rs\n"
        );
        assert_eq!(repository(&[]).listing(), "./: \n");
    }

    #[test]
    fn a_large_list_fits_and_counts_what_it_does_not_show() {
        let files: Vec<String> = (0..5_000)
            .map(|at| format!("src/part{}/long/file-{at}.rs", at % 40))
            .chain(["Cargo.toml".to_owned()])
            .collect();
        let files: Vec<&str> = files.iter().map(String::as_str).collect();
        let listing = repository(&files).listing();
        assert!(listing.len() <= LISTING_BYTES && listing.len() > LISTING_BYTES / 4);
        assert!(listing.starts_with("./: Cargo.toml, src/ (5000 files)\nsrc/: part0/ (125 files)"));
        // A single folder with too many files is known by its number.
        let flat: Vec<String> = (0..5_000).map(|at| format!("data/{at}.json")).collect();
        let flat: Vec<&str> = flat.iter().map(String::as_str).collect();
        assert_eq!(repository(&flat).listing(), "./: data/ (5000 files)\n");
    }

    #[test]
    fn what_does_not_exist_is_missing_unless_a_step_creates_it() {
        let known = repository(&["src/store.rs", "src/app/a.rs", "README.md"]);
        let created = BTreeSet::from(["src/cache.rs".to_owned()]);
        let missing = |files: &[&str]| {
            let files: Vec<String> = files.iter().map(|file| (*file).to_owned()).collect();
            known.missing(&files, &created)
        };
        assert_eq!(
            missing(&["src/store.rs", "./src//app", "src/app/", "src/cache.rs", "src/*.rs"]),
            [""; 0]
        );
        assert_eq!(
            missing(&["src/stor.rs", "README", "src/ap"]),
            ["src/stor.rs", "README", "src/ap"]
        );
        let incomplete = Repository { complete: false, ..known };
        assert_eq!(incomplete.missing(&["nowhere.rs".to_owned()], &created), [""; 0]);
    }
}
