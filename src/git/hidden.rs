//! Files that settings outside the tree keep out of every comparison: those that git was told not to look at, and those
//! that only this clone or this user ignores.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use super::call::Subcommand;
use super::scratch::ScratchRepository;
use super::{CommitId, Git, GitError, parse};
use crate::ordered::{BTreeSet, Gather};

/// A tracked file that git was told not to look at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnwatchedFile {
    pub path: Vec<u8>,
    pub staged: CommitId,
    /// Whether it was left out of the checkout (`skip-worktree`): then it need not exist.
    pub sparse: bool,
}

impl UnwatchedFile {
    /// The option of `git update-index` that undoes it.
    pub const fn undone_by(&self) -> &'static str {
        if self.sparse { "--no-skip-worktree" } else { "--no-assume-unchanged" }
    }
}

impl Git {
    /// Returns the tracked files that git was told not to look at (`assume-unchanged`, `skip-worktree`).
    ///
    /// # Errors
    /// git failed.
    pub async fn unwatched(&self, paths: &[&str]) -> Result<Vec<UnwatchedFile>, GitError> {
        let flags = ["-z", "-v", "--stage", "--full-name"];
        let printed = self.read(Subcommand::LsFiles, &flags, &[], paths).await?;
        let mut found = Vec::new();
        for line in printed.split(|byte| *byte == 0) {
            // `TAG MODE ID STAGE<TAB>PATH`; the tag is `H`, or `S` for skipped files, and in lower case if
            // unchanged is assumed.
            let Some(tag) = line.first().filter(|tag| **tag == b'S' || tag.is_ascii_lowercase())
            else {
                continue;
            };
            let wrong = || parse::unreadable(Subcommand::LsFiles, line);
            let tab = line.iter().position(|byte| *byte == b'\t').ok_or_else(wrong)?;
            let id = line[..tab].split(|byte| *byte == b' ').nth(2);
            found.push(UnwatchedFile {
                path: line[tab + 1..].to_vec(),
                staged: id.and_then(CommitId::read).ok_or_else(wrong)?,
                sparse: tag.eq_ignore_ascii_case(&b's'),
            });
        }
        Ok(found)
    }

    /// Returns untracked files that are ignored only by this clone's own settings: `info/exclude`, and
    /// `core.excludesFile` if the repository's configuration has it. A name that ends with `/` is a folder.
    ///
    /// # Errors
    /// git failed.
    pub async fn ignored_here(&self, paths: &[&str]) -> Result<Vec<Vec<u8>>, GitError> {
        let lists = self.own_lists().await?;
        if lists.is_empty() {
            return Ok(Vec::new());
        }
        let apart = self.apart().await?;
        let mut args = ["--ignored", "--directory"].map(str::to_owned).to_vec();
        args.extend(excluded_from(&apart, &lists)?);
        let mut here = self.others(&args, paths).await?;
        if here.is_empty() {
            return Ok(Vec::new());
        }
        let others = ["-z", "--others", "--ignored", "--directory", "--full-name"];
        let args = [&others[..], &["--exclude-standard", "--"], paths].concat();
        let anyway = self.ask_apart(&apart, Subcommand::LsFiles, &args, Vec::new());
        let anyway = names(&anyway.await?);
        here.retain(|name| !is_among(name, &anyway));
        Ok(here.into_iter().collect())
    }

    /// Returns untracked files that are ignored only by the user's own list for all repositories, and by no list of the
    /// tree or of this clone. A name that ends with `/` is a folder.
    ///
    /// # Errors
    /// git failed.
    pub async fn ignored_by_the_user(&self, paths: &[&str]) -> Result<Vec<Vec<u8>>, GitError> {
        let apart = self.apart().await?;
        let mut args = vec!["--exclude-per-directory=.gitignore".to_owned()];
        args.extend(excluded_from(&apart, &self.own_lists().await?)?);
        let mut hidden = self.others(&args, paths).await?;
        let shown: BTreeSet<Vec<u8>> = self.untracked(paths).await?.into_iter().gather();
        hidden.retain(|file| !shown.contains(file));
        if hidden.is_empty() {
            return Ok(Vec::new());
        }
        // A folder without tracked or visible files is listed once.
        args.push("--directory".to_owned());
        let mut folders = self.others(&args, paths).await?;
        folders.retain(|folder| {
            let next = shown.range(folder.clone()..).next();
            folder.ends_with(b"/") && !next.is_some_and(|file| file.starts_with(folder))
        });
        let named = hidden.into_iter().map(|file| {
            let folder = folders.iter().find(|folder| file.starts_with(folder));
            folder.cloned().unwrap_or(file)
        });
        Ok(named.gather::<BTreeSet<_>>().into_iter().collect())
    }

    /// Lists untracked files.
    async fn others(&self, more: &[String], paths: &[&str]) -> Result<BTreeSet<Vec<u8>>, GitError> {
        let mut args = vec!["-z", "--others", "--full-name"];
        args.extend(more.iter().map(String::as_str));
        args.push("--");
        args.extend(paths);
        Ok(names(&self.ask(Subcommand::LsFiles, &args, Vec::new()).await?))
    }

    /// Returns the ignore lists that only this clone has.
    async fn own_lists(&self) -> Result<Vec<PathBuf>, GitError> {
        let args = ["--git-path", "info/exclude"];
        let own = self.ask(Subcommand::RevParse, &args, Vec::new()).await?;
        // An included configuration file has the scope of the file that includes it.
        let args = ["-z", "--show-scope", "--type=path", "--get"];
        let args = [&args[..], &["core.excludesFile"]].concat();
        let named = self.caller.call(Subcommand::Config, &args).await?.if_any()?;
        let named = named.unwrap_or_default();
        let mut fields = named.split(|byte| *byte == 0);
        let scope = fields.next().unwrap_or_default();
        let of_clone = [&b"local"[..], b"worktree"].contains(&scope);
        let own = own.strip_suffix(b"\n").unwrap_or(&own);
        let lists = [Some(own), fields.next().filter(|_| of_clone)];
        Ok((lists.into_iter().flatten())
            .map(|path| self.root().join(OsStr::from_bytes(path)))
            .filter(|path| says_something(path))
            .collect())
    }
}

fn excluded_from(apart: &ScratchRepository, lists: &[PathBuf]) -> Result<Vec<String>, GitError> {
    let list = |(number, list): (usize, &PathBuf)| {
        let list = apart.leads_to(list, &format!("list-{number}"))?;
        Ok(format!("--exclude-from={list}"))
    };
    lists.iter().enumerate().map(list).collect()
}

fn names(printed: &[u8]) -> BTreeSet<Vec<u8>> {
    let names = printed.split(|byte| *byte == 0);
    names.filter(|name| !name.is_empty()).map(<[u8]>::to_vec).gather()
}

/// Whether a name is one of these, or is inside one that is a folder.
fn is_among(name: &[u8], names: &BTreeSet<Vec<u8>>) -> bool {
    let mut folders = (1..=name.len()).filter(|end| name[end - 1] == b'/');
    names.contains(name) || folders.any(|end| names.contains(&name[..end]))
}

/// Whether a list contains any pattern. git reads a regular file of any length; one longer than a person would write
/// counts as containing one, and is not read.
fn says_something(list: &Path) -> bool {
    const MOST: u64 = 1 << 20;
    let Some(meta) = list.metadata().ok().filter(std::fs::Metadata::is_file) else {
        return false;
    };
    if meta.len() > MOST {
        return true;
    }
    let text = std::fs::read(list).unwrap_or_default();
    let mut lines = text.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    lines.any(|line| !line.is_empty() && !line.starts_with(b"#"))
}
