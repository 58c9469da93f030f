//! What a clone's own settings keep out of every comparison: files that git was told not to look at, and files that
//! only this clone ignores.

use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use super::call::Read;
use super::{CommitId, Git, GitError, parse};

/// A tracked file that git was told not to look at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unwatched {
    /// Its path, as bytes.
    pub path: Vec<u8>,
    /// What is staged of it.
    pub staged: CommitId,
    /// Whether it was left out when the tree was checked out (`skip-worktree`): then it need not be there.
    pub sparse: bool,
}

impl Unwatched {
    /// The option of `git update-index` that undoes it.
    pub const fn undone_by(&self) -> &'static str {
        if self.sparse {
            "--no-skip-worktree"
        } else {
            "--no-assume-unchanged"
        }
    }
}

impl Git {
    /// Returns the tracked files that git was told not to look at (`assume-unchanged`, `skip-worktree`).
    ///
    /// # Errors
    /// git failed.
    pub async fn unwatched(&self, paths: &[&str]) -> Result<Vec<Unwatched>, GitError> {
        let flags = ["-z", "-v", "--stage", "--full-name"];
        let printed = self.read(Read::LsFiles, &flags, &[], paths).await?;
        let mut found = Vec::new();
        for line in printed.split(|byte| *byte == 0) {
            // `TAG MODE ID STAGE<TAB>PATH`; a tag is `H`, of skipped ones `S`, in lower case where it is assumed.
            let Some(tag) = line
                .first()
                .filter(|tag| **tag == b'S' || tag.is_ascii_lowercase())
            else {
                continue;
            };
            let wrong = || parse::unreadable(Read::LsFiles, line);
            let tab = line
                .iter()
                .position(|byte| *byte == b'\t')
                .ok_or_else(wrong)?;
            let id = line[..tab].split(|byte| *byte == b' ').nth(2);
            found.push(Unwatched {
                path: line[tab + 1..].to_vec(),
                staged: id.and_then(CommitId::read).ok_or_else(wrong)?,
                sparse: tag.eq_ignore_ascii_case(&b's'),
            });
        }
        Ok(found)
    }

    /// Returns what git does not track because this clone's own settings say so: `info/exclude`, and `core.excludesFile`
    /// of the repository's configuration. A name that ends with `/` is a folder.
    ///
    /// # Errors
    /// git failed.
    pub async fn ignored_here(&self, paths: &[&str]) -> Result<Vec<Vec<u8>>, GitError> {
        let args = ["--git-path", "info/exclude"];
        let own = self.caller.call(Read::RevParse, &args).await?.whole()?;
        let args = ["--local", "--type=path", "--get", "core.excludesFile"];
        let named = self.caller.call(Read::Config, &args).await?.if_any()?;
        let lists: Vec<PathBuf> = ([Some(own), named].into_iter().flatten())
            .map(|path| std::ffi::OsStr::from_bytes(path.trim_ascii_end()).to_owned())
            .map(|path| self.root().join(path))
            .filter(|path| says_something(path))
            .collect();
        if lists.is_empty() {
            return Ok(Vec::new());
        }
        let lists: Vec<String> = (lists.iter().filter_map(|list| list.to_str()))
            .map(|list| format!("--exclude-from={list}"))
            .collect();
        let mut args = vec!["-z", "--others", "--ignored", "--directory", "--full-name"];
        args.extend(lists.iter().map(String::as_str));
        args.push("--");
        args.extend(paths);
        let printed = self.caller.call(Read::LsFiles, &args).await?.whole()?;
        let ignored = printed.split(|byte| *byte == 0);
        Ok(ignored
            .filter(|name| !name.is_empty())
            .map(<[u8]>::to_vec)
            .collect())
    }
}

/// Whether a list of patterns holds one. git reads it whatever it is; what is no plain file, or too long to be a list
/// that a person wrote, is not looked into.
fn says_something(list: &Path) -> bool {
    const MOST: u64 = 1 << 20;
    let small = |meta: std::fs::Metadata| meta.is_file() && meta.len() <= MOST;
    if !list.metadata().is_ok_and(small) {
        return false;
    }
    let text = std::fs::read(list).unwrap_or_default();
    let mut lines = text.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    lines.any(|line| !line.is_empty() && !line.starts_with(b"#"))
}
