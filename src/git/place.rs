//! Whether a repository's working tree is in the repository's own folder.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Read as _;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

use super::GitError;
use super::call::Subcommand;
use super::parse;
use crate::files::{Folder, ParentRules, walk};
use crate::text::name;

/// Maximum size of a `.git` file, in bytes, as no path is longer.
const LINK_BYTES: u64 = 8192;

/// Parses the output of `rev-parse --show-toplevel --absolute-git-dir`, and returns the top.
///
/// `core.worktree` can declare any folder to be the working tree, such as the user's home folder.
/// So the top must contain a `.git` that leads to this very repository, and `dir` must be inside
/// it.
pub(super) fn check(dir: &Path, printed: &[u8]) -> Result<RepositoryPath, GitError> {
    let (top, git_dir) =
        split(printed).ok_or_else(|| parse::unreadable(Subcommand::RevParse, printed))?;
    let elsewhere = || GitError::Elsewhere { dir: dir.to_owned(), tree: top.clone() };
    let inside = dir.canonicalize().is_ok_and(|dir| dir.starts_with(&top));
    let leads_here = linked(&top)
        .and_then(|found| found.canonicalize().ok())
        .is_some_and(|found| git_dir.canonicalize().is_ok_and(|git| git == found));
    if inside && leads_here { Ok(RepositoryPath { top, git_dir }) } else { Err(elsewhere()) }
}

/// Files that git opens without checks in every folder that it reads.
const OF_FOLDERS: [&str; 2] = [".gitignore", ".gitattributes"];

/// Files of the repository that it opens without checks.
const OF_REPOSITORY: [&str; 2] = [".git/info/exclude", ".git/info/attributes"];

/// Refuses a working tree in which git would block forever, waiting for a writer to a pipe or device in place of one of
/// its files. `tracked`: the output of `ls-files -z`.
pub(super) fn refuse_pipes(
    top: &Path,
    tracked: &[u8],
    stopped: impl Fn() -> bool,
) -> Result<(), GitError> {
    let Ok(folder) = Folder::open(top) else {
        return Ok(());
    };
    let plain = |file: &Path| {
        let what = match folder.look(file) {
            Ok(Some(found)) if found.kind.is_fifo() => "a pipe",
            Ok(Some(found)) if found.kind.is_char_device() || found.kind.is_block_device() => {
                "a device"
            }
            Ok(_) | Err(_) => return Ok(()),
        };
        let file = name::spell(file.as_os_str().as_bytes());
        let what = format!("{file} is {what}, which would make git wait; remove it");
        Err(GitError::Hostile { what })
    };
    for file in OF_REPOSITORY {
        plain(Path::new(file))?;
    }
    // git reads folders that are not ignored, and folders that contain a tracked file.
    let mut folders = BTreeSet::new();
    for file in tracked.split(|byte| *byte == 0) {
        let above = Path::new(OsStr::from_bytes(file)).ancestors().skip(1);
        // If a folder is known, so are its parents.
        for dir in above.take_while(|dir| !folders.contains(*dir)).collect::<Vec<_>>() {
            folders.insert(dir.to_owned());
        }
    }
    let entries = walk(top, false, ParentRules::Nothing, |entry| entry.file_name() != ".git");
    for entry in entries.flatten() {
        if stopped() {
            let command = Subcommand::LsFiles.name();
            return Err(GitError::Stopped { command });
        }
        if entry.file_type().is_some_and(|kind| kind.is_dir()) {
            let below = entry.path().strip_prefix(top);
            folders.insert(below.unwrap_or(entry.path()).to_owned());
        }
    }
    (folders.iter())
        .flat_map(|dir| OF_FOLDERS.map(|file| dir.join(file)))
        .try_for_each(|file| plain(&file))
}

pub(super) struct RepositoryPath {
    pub(super) top: PathBuf,
    git_dir: PathBuf,
}

impl RepositoryPath {
    /// Refuses a working tree whose `.git` points to a repository that does not know it: the content of another
    /// repository of the user would be shown as the old side of every file.
    ///
    /// A `.git` folder in the tree is its own. A linked working tree is known to its repository by name, a submodule's
    /// folder and one made with `--separate-git-dir` by `core.worktree`. `common` is the output of `rev-parse
    /// --git-common-dir`, `named` the configured working tree.
    pub(super) fn belongs(&self, common: &[u8], named: Option<&[u8]>) -> Result<(), GitError> {
        let path = |bytes: &[u8]| PathBuf::from(OsStr::from_bytes(bytes.trim_ascii_end()));
        let real = |path: &Path| path.canonicalize().ok();
        let (git_dir, top) = (real(&self.git_dir), real(&self.top));
        let common_dir = real(&self.top.join(path(common)));
        let (Some(git_dir), Some(top), Some(common_dir)) = (git_dir, top, common_dir) else {
            return Err(self.borrowed(self.git_dir.clone()));
        };
        if git_dir != common_dir && !git_dir.starts_with(common_dir.join("worktrees")) {
            return Err(self.borrowed(common_dir));
        }
        let linked = || {
            let back = small(&self.git_dir.join("gitdir"))?;
            real(self.git_dir.join(path(&back)).parent()?)
        };
        let configured = || real(&self.git_dir.join(path(named?)));
        let inside = git_dir.starts_with(&top);
        let known = [inside.then(|| top.clone()), linked(), configured()];
        if known.contains(&Some(top)) { Ok(()) } else { Err(self.borrowed(git_dir)) }
    }

    fn borrowed(&self, git_dir: PathBuf) -> GitError {
        GitError::Borrowed { tree: self.top.clone(), git_dir }
    }
}

fn small(file: &Path) -> Option<Vec<u8>> {
    let meta = file.metadata().ok()?;
    let mut text = Vec::new();
    let file = meta.is_file().then(|| File::open(file))?.ok()?;
    file.take(LINK_BYTES).read_to_end(&mut text).ok()?;
    Some(text)
}

/// Splits the two lines, whose paths may contain line breaks themselves.
fn split(printed: &[u8]) -> Option<(PathBuf, PathBuf)> {
    let printed = printed.strip_suffix(b"\n")?;
    let path = |bytes: &[u8]| PathBuf::from(OsStr::from_bytes(bytes));
    (printed.iter().enumerate())
        .filter(|(_, byte)| **byte == b'\n')
        .map(|(at, _)| (path(&printed[..at]), path(&printed[at + 1..])))
        .find(|(top, git)| top.is_absolute() && git.is_absolute() && top.is_dir() && git.is_dir())
}

/// Resolves `.git`: a folder, or a file that names one (linked working trees, submodules).
fn linked(top: &Path) -> Option<PathBuf> {
    let dot_git = top.join(".git");
    if dot_git.is_dir() {
        return Some(dot_git);
    }
    let text = small(&dot_git)?;
    let path = text.strip_prefix(b"gitdir: ")?.trim_ascii_end().to_vec();
    Some(top.join(OsString::from_vec(path)))
}
