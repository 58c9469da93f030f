//! The project's own files in a working tree.
//!
//! [`Tree::read`] walks the root by git's ignore rules (`.gitignore`, `.git/info/exclude`, the user's global
//! excludes), with or without git, and runs nothing. Hidden entries and nested repositories are skipped, and links
//! are not followed. An ignore file that is not a regular file is not read, and is listed as left out
//! ([`files::walk`]). The rest is filtered further:
//!
//! * `folders`: vendored code and build output, by marker files if a name alone proves nothing;
//! * [`generated`]: generated files, by name or by their first lines;
//! * `attributes`: the project's own `.gitattributes`, which override both for files.
//!
//! The index is not read: a file that is tracked although a pattern ignores it counts as ignored.

mod attributes;
mod folders;

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use chrono::{DateTime, Utc};
use ignore::DirEntry;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::finding::Omission;
use crate::files::{self, Folder, ParentRules};
use crate::text::generated;
use attributes::Attributes;

/// Maximum number of files in a tree; a home directory mistaken for a project must not fill the
/// memory.
const MAX_FILES: usize = 500_000;
/// Maximum number of entries left out that are listed; the rest are counted in one line.
const MAX_LEFT_OUT: usize = 500;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeFile {
    /// Relative to the root, as file system bytes.
    pub path: PathBuf,
    /// The same as text, `/` between its parts, bytes that are not UTF-8 as `\xNN`.
    pub name: String,
    pub bytes: u64,
    pub modified: DateTime<Utc>,
}

/// The files of a working tree, sorted by path.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tree {
    /// Absolute, without links.
    pub root: PathBuf,
    /// The project's own files.
    pub files: Vec<TreeFile>,
    /// Whether an entry could not be read, so that a missing file may still exist.
    pub incomplete: bool,
}

/// Why a tree could not be read.
#[derive(Debug, thiserror::Error)]
pub enum TreeError {
    #[error("failed to read the folder {}: {source}", path.display())]
    Root { path: PathBuf, source: std::io::Error },
    /// An entry of `discovery.exclude` is not a valid pattern.
    #[error("discovery.exclude: `{pattern}` is not a valid .gitignore pattern: {source}")]
    Pattern { pattern: String, source: ignore::Error },
    #[error("the walk of the folder {} was stopped", path.display())]
    Stopped { path: PathBuf },
    #[error(
        "more than {MAX_FILES} files below {}: is it the project's root? `discovery.exclude` excludes folders", path.display()
    )]
    TooMany { path: PathBuf },
}

impl Tree {
    /// Reads the tree below a root; also returns the parts left out, and why.
    ///
    /// `exclude` contains patterns as in a `.gitignore` at the root.
    ///
    /// # Errors
    /// [`TreeError`]: no such folder, an invalid pattern, too many files. A folder below the root
    /// that cannot be read is not an error: it is listed as left out, and sets
    /// [`Tree::incomplete`].
    pub fn read(root: &Path, exclude: &[String]) -> Result<(Self, Vec<Omission>), TreeError> {
        Self::read_unless(root, exclude, || false)
    }

    /// Like [`read`](Self::read), but ends when `stopped` returns true; it is called for every
    /// entry.
    ///
    /// # Errors
    /// As [`read`](Self::read), and [`TreeError::Stopped`].
    pub fn read_unless(
        root: &Path,
        exclude: &[String],
        stopped: impl Fn() -> bool,
    ) -> Result<(Self, Vec<Omission>), TreeError> {
        let failed = |source| TreeError::Root { path: root.to_owned(), source };
        let root = root.canonicalize().map_err(failed)?;
        // The walker reports an unreadable root as one entry among others.
        let folder = Folder::open(&root).map_err(failed)?;
        let left_out = Arc::new(Mutex::new(Notes::default()));
        let mut walk = walk(&root, patterns(&root, exclude)?, &left_out);
        let mut attributes = Attributes::default();
        let mut tree = Self { root: root.clone(), ..Self::default() };
        for entry in walk.by_ref() {
            if stopped() {
                return Err(TreeError::Stopped { path: root });
            }
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    tree.incomplete = true;
                    note(&left_out, |notes| notes.add_error(&root, &error));
                    continue;
                }
            };
            let Ok(relative) = entry.path().strip_prefix(&root) else {
                continue;
            };
            let kind = entry.file_type();
            if kind.is_some_and(|kind| kind.is_dir()) {
                attributes.enter(&folder, relative);
                continue;
            }
            if !kind.is_some_and(|kind| kind.is_file()) {
                continue;
            }
            let name = shown(relative);
            let said = attributes.of(&root, relative);
            if let Some(why) = said
                .left_out()
                .or_else(|| (!said.kept()).then(|| generated::by_name(&name)).flatten())
            {
                note(&left_out, |notes| notes.add(name, why));
                continue;
            }
            let Ok(meta) = entry.metadata() else {
                // Deleted since its folder was listed.
                continue;
            };
            if tree.files.len() == MAX_FILES {
                return Err(TreeError::TooMany { path: root });
            }
            tree.files.push(TreeFile {
                path: relative.to_owned(),
                name,
                bytes: meta.len(),
                modified: meta.modified().map_or(DateTime::UNIX_EPOCH, DateTime::from),
            });
        }
        for (file, why) in walk.unread() {
            let name = shown(file.strip_prefix(&root).unwrap_or(&file));
            note(&left_out, |notes| notes.add(name, why));
        }
        tree.files.sort_by(|a, b| a.path.cmp(&b.path));
        let notes = std::mem::take(&mut *left_out.lock().unwrap_or_else(PoisonError::into_inner));
        Ok((tree, notes.finish()))
    }
}

/// Returns a relative path as text: `/` between its parts, bytes that are not UTF-8 as `\xNN`.
pub fn shown(path: &Path) -> String {
    let mut name = String::new();
    for chunk in OsStr::new(path).as_bytes().utf8_chunks() {
        name.push_str(chunk.valid());
        for byte in chunk.invalid() {
            // Writing to a String cannot fail.
            let _ = write!(name, "\\x{byte:02X}");
        }
    }
    name
}

/// The parts left out so far.
#[derive(Debug, Default)]
struct Notes {
    kept: Vec<Omission>,
    more: usize,
}

impl Notes {
    fn add(&mut self, what: String, why: impl Into<String>) {
        if self.kept.len() < MAX_LEFT_OUT {
            self.kept.push(Omission { what, why: why.into() });
        } else {
            self.more += 1;
        }
    }

    fn add_error(&mut self, root: &Path, error: &ignore::Error) {
        let path = error_path(error).map(|path| shown(path.strip_prefix(root).unwrap_or(path)));
        let why = error.io_error().map_or_else(|| error.to_string(), ToString::to_string);
        self.add(path.unwrap_or_else(|| ".".to_owned()), format!("not readable: {why}"));
    }

    fn finish(self) -> Vec<Omission> {
        let mut all = self.kept;
        all.sort_by(|a, b| a.what.cmp(&b.what));
        if self.more > 0 {
            all.push(Omission {
                what: format!("{} more files and folders", self.more),
                why: "vendored, generated or not readable".to_owned(),
            });
        }
        all
    }
}

fn note(notes: &Mutex<Notes>, add: impl FnOnce(&mut Notes)) {
    add(&mut notes.lock().unwrap_or_else(PoisonError::into_inner));
}

fn error_path(error: &ignore::Error) -> Option<&Path> {
    match error {
        ignore::Error::WithPath { path, .. } => Some(path),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => {
            error_path(err)
        }
        ignore::Error::Partial(errors) => errors.first().and_then(error_path),
        ignore::Error::Loop { child, .. } => Some(child),
        _ => None,
    }
}

/// Builds the matcher of `discovery.exclude`.
fn patterns(root: &Path, exclude: &[String]) -> Result<Gitignore, TreeError> {
    let mut builder = GitignoreBuilder::new(root);
    let wrong = |pattern: &str, source| TreeError::Pattern { pattern: pattern.to_owned(), source };
    for pattern in exclude {
        builder.add_line(None, pattern).map_err(|source| wrong(pattern, source))?;
    }
    builder.build().map_err(|source| wrong(&exclude.join(", "), source))
}

fn walk(root: &Path, exclude: Gitignore, left_out: &Arc<Mutex<Notes>>) -> files::Walk {
    let base = root.to_owned();
    let left_out = Arc::clone(left_out);
    // Inside a repository git's rules apply, including those of folders above the root. Outside one, a
    // `.gitignore` applies as well, but nothing above the root does.
    files::walk(root, true, ParentRules::Repository, move |entry| {
        keep(entry, &base, &exclude, &left_out)
    })
}

/// Decides on an entry before it is entered.
fn keep(entry: &DirEntry, root: &Path, exclude: &Gitignore, left_out: &Mutex<Notes>) -> bool {
    let is_dir = entry.file_type().is_some_and(|kind| kind.is_dir());
    if exclude.matched(entry.path(), is_dir).is_ignore() {
        return false;
    }
    if !is_dir {
        return true;
    }
    let Some(why) = folders::not_own(entry.path(), entry.depth()) else {
        return true;
    };
    let relative = entry.path().strip_prefix(root).unwrap_or(entry.path());
    note(left_out, |notes| {
        notes.add(format!("{}/", shown(relative)), why);
    });
    false
}

/// Returns the last part of a file's name.
pub(crate) fn base(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}

#[cfg(test)]
mod tests;
