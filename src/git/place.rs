//! Whether a repository's working tree is where the repository lies.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Read as _;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

use super::GitError;
use super::call::Read;
use super::parse;

/// The most of a `.git` file that is read: a path is no longer.
const LINK_BYTES: u64 = 8192;

/// Reads what `rev-parse --show-toplevel --absolute-git-dir` printed, and returns the top.
///
/// `core.worktree` can call any folder the working tree, the user's home for one. So the top has
/// to hold a `.git` that leads to this very repository, and `dir` has to lie in it.
pub(super) fn check(dir: &Path, printed: &[u8]) -> Result<PathBuf, GitError> {
    let (top, git_dir) =
        split(printed).ok_or_else(|| parse::unreadable(Read::RevParse, printed))?;
    let elsewhere = || GitError::Elsewhere {
        dir: dir.to_owned(),
        tree: top.clone(),
    };
    let inside = dir.canonicalize().is_ok_and(|dir| dir.starts_with(&top));
    let leads_here = linked(&top)
        .and_then(|found| found.canonicalize().ok())
        .is_some_and(|found| git_dir.canonicalize().is_ok_and(|git| git == found));
    if inside && leads_here {
        Ok(top)
    } else {
        Err(elsewhere())
    }
}

/// Takes the two lines apart, whose paths may hold line breaks themselves.
fn split(printed: &[u8]) -> Option<(PathBuf, PathBuf)> {
    let printed = printed.strip_suffix(b"\n")?;
    let path = |bytes: &[u8]| PathBuf::from(OsStr::from_bytes(bytes));
    (printed.iter().enumerate())
        .filter(|(_, byte)| **byte == b'\n')
        .map(|(at, _)| (path(&printed[..at]), path(&printed[at + 1..])))
        .find(|(top, git)| top.is_absolute() && git.is_absolute() && top.is_dir() && git.is_dir())
}

/// Follows `.git`: a folder, or a file that names one (linked working trees, submodules).
fn linked(top: &Path) -> Option<PathBuf> {
    let dot_git = top.join(".git");
    if dot_git.is_dir() {
        return Some(dot_git);
    }
    if !dot_git.is_file() {
        return None;
    }
    let mut text = Vec::new();
    (File::open(&dot_git).ok()?)
        .take(LINK_BYTES)
        .read_to_end(&mut text)
        .ok()?;
    let path = text.strip_prefix(b"gitdir: ")?.trim_ascii_end().to_vec();
    Some(top.join(OsString::from_vec(path)))
}
