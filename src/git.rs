//! Git as data. Nothing that a repository configures is run.
//!
//! # Theory of operation
//!
//! A repository's own configuration can name programs that git runs even when it only reads:
//! `core.fsmonitor`, hooks, clean filters, `diff.external`, textconv, `gpg.program`, transports of
//! a partial clone. So every call goes through one place, `git/call.rs`: a scrubbed environment,
//! settings on the command line that override every file, flags per subcommand, and settings that
//! switch off each `filter.*` in the configuration. Ownership is left to git, which refuses
//! repositories that belong to somebody else.
//!
//! Types control whose text may become an argument: flags are `'static`, commits are [`CommitId`]s,
//! and paths come after `--`. A branch name never becomes one, except in [`Git::resolve`], which
//! refuses anything that looks like an option.
//!
//! A repository's working tree must be its own: `core.worktree` cannot point to another folder.

mod blob;
mod call;
mod diff;
mod error;
mod fetch;
mod file;
mod graph;
mod hidden;
mod parse;
mod place;
mod scratch;
mod seed;
mod snapshot;
#[cfg(test)]
mod tests;
mod tree;

use std::collections::BTreeMap;
use std::path::Path;

use chrono::{DateTime, Utc};

use crate::process::Control;
use call::Caller;
pub use call::{Host, Subcommand, variables};
pub use diff::{Attributes, Parent, Side};
pub use error::GitError;
pub use fetch::checked_out;
pub use file::WorkFile;
pub use hidden::UnwatchedFile;
use parse::Shields;
pub use seed::seeded;
pub use snapshot::{Snapshot, differing};

/// The id of an object (a commit, a tree, a file's content) named by git: only hexadecimal digits.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct CommitId(String);

impl CommitId {
    /// Parses an id printed by git: 40 digits (SHA-1) or 64 (SHA-256).
    pub(crate) fn read(text: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(text).ok()?;
        let hex = text.bytes().all(|byte| byte.is_ascii_hexdigit());
        (hex && matches!(text.len(), 40 | 64)).then(|| Self(text.to_owned()))
    }

    /// Returns the digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Branch {
    /// Its name without `refs/heads/`; bytes that are not UTF-8 as `\xNN`.
    pub name: String,
    pub tip: CommitId,
    /// The time of that commit; `None` if the commit has no valid one.
    pub committed: Option<DateTime<Utc>>,
    pub author: String,
    /// Whether this working tree is on it.
    pub current: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Branches {
    /// The branch that the others are merged into; `HEAD` if it is unknown.
    pub default: String,
    /// Its last commits: here, and as last fetched from `origin`.
    pub base: Vec<CommitId>,
    /// The other local branches, by name.
    pub others: Vec<Branch>,
}

/// A repository with a working tree.
#[derive(Debug)]
pub struct Git {
    caller: Caller,
    has_remote: bool,
}

/// Number of commits in which [`Git::recently_changed`] looks.
pub const COMMITS: u32 = 200;

/// The flags of `for-each-ref`: one line per ref, NUL between its fields.
const REFS: [&str; 6] = [
    "--format=%(HEAD)%00%(refname)%00%(symref)%00%(objectname)%00%(committerdate:unix)%00%(authorname)",
    "refs/heads",
    "refs/remotes/origin/HEAD",
    "refs/remotes/origin/main",
    "refs/remotes/origin/master",
    "refs/remotes/origin/trunk",
];

impl Git {
    /// Opens the repository that a folder is in. Linked working trees and submodules are
    /// repositories of their own.
    ///
    /// # Errors
    /// There is none, it has no working tree there, git refuses it, or it is hostile.
    pub async fn open(host: Host, dir: &Path) -> Result<Self, GitError> {
        let mut caller = Caller::new(host, dir.to_owned());
        let printed = caller
            .call(Subcommand::RevParse, &["--show-toplevel", "--absolute-git-dir"])
            .await?
            .whole()
            .map_err(|error| caller.classify(error))?;
        let place = place::check(dir, &printed)?;
        caller.dir.clone_from(&place.top);
        let args = ["--git-common-dir"];
        let common = caller.call(Subcommand::RevParse, &args).await?.whole()?;
        let args = ["--type=path", "--get", "core.worktree"];
        let named = caller.call(Subcommand::Config, &args).await?.if_any()?;
        place.belongs(&common, named.as_deref())?;
        let named = caller
            .call(
                Subcommand::Config,
                &["--null", "--name-only", "--get-regexp", r"^(filter|remote)\."],
            )
            .await?
            .if_any()?
            .unwrap_or_default();
        let Shields { settings, has_remote, is_partial } = parse::shields(&named)?;
        caller.shields = settings;
        caller.is_partial = is_partial;
        let args = ["-z", "--cached"];
        let tracked = caller.call(Subcommand::LsFiles, &args).await?.up_to_its_cap()?;
        let control = caller.host.control.clone();
        let stopped = move || matches!(*control.borrow(), Control::Stop | Control::Kill);
        tokio::task::spawn_blocking(move || place::refuse_pipes(&place.top, &tracked, stopped))
            .await
            .unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic()))?;
        Ok(Self { caller, has_remote })
    }

    /// Returns the top of the working tree, absolute and without links.
    pub fn root(&self) -> &Path {
        &self.caller.dir
    }

    pub fn host(&self) -> &Host {
        &self.caller.host
    }

    /// Whether the repository has a remote.
    pub fn has_remote(&self) -> bool {
        self.has_remote
    }

    /// Runs a read-only subcommand, and returns its output.
    ///
    /// # Errors
    /// It failed, took too long or printed too much.
    pub async fn read(
        &self,
        read: Subcommand,
        flags: &[&'static str],
        commits: &[&CommitId],
        paths: &[&str],
    ) -> Result<Vec<u8>, GitError> {
        self.run(read, flags, commits, paths).await?.whole()
    }

    async fn run(
        &self,
        read: Subcommand,
        flags: &[&'static str],
        commits: &[&CommitId],
        paths: &[&str],
    ) -> Result<call::Reply, GitError> {
        let commits = commits.iter().map(|commit| commit.as_str());
        let mut args: Vec<&str> = flags.iter().copied().chain(commits).collect();
        if read.takes_paths() {
            args.push("--");
            args.extend(paths);
        }
        self.caller.call(read, &args).await
    }

    /// Finds the commit that a name refers to; `None` if there is no such name.
    ///
    /// # Errors
    /// The name looks like an option, or git failed.
    pub async fn resolve(&self, reference: &str) -> Result<Option<CommitId>, GitError> {
        parse::check_reference(reference)?;
        let commit = format!("{reference}^{{commit}}");
        let args = ["--verify", "--quiet", "--end-of-options", commit.as_str()];
        let printed = self.caller.call(Subcommand::RevParse, &args).await?.if_any()?;
        printed
            .map(|printed| {
                let id = printed.trim_ascii_end();
                CommitId::read(id).ok_or_else(|| parse::unreadable(Subcommand::RevParse, id))
            })
            .transpose()
    }

    /// Returns the commit of HEAD; `None` before the first commit.
    ///
    /// # Errors
    /// git failed, or HEAD is broken.
    pub async fn head(&self) -> Result<Option<CommitId>, GitError> {
        if let Some(head) = self.resolve("HEAD").await? {
            return Ok(Some(head));
        }
        // Before the first commit HEAD refers to nothing at all; a broken one refers to a missing
        // commit.
        let args = ["--verify", "--quiet", "HEAD"];
        match self.caller.call(Subcommand::RevParse, &args).await?.if_any()? {
            None => Ok(None),
            Some(id) => Err(GitError::Unreadable {
                command: Subcommand::RevParse.name(),
                what: format!("HEAD is {}, which is missing", String::from_utf8_lossy(&id).trim()),
            }),
        }
    }

    /// Returns the commit time of HEAD; `None` before the first commit.
    ///
    /// # Errors
    /// git failed, or HEAD is broken.
    pub async fn head_time(&self) -> Result<Option<DateTime<Utc>>, GitError> {
        let Some(head) = self.head().await? else {
            return Ok(None);
        };
        let flags = ["--max-count=1", "--timestamp"];
        let printed = self.read(Subcommand::RevList, &flags, &[&head], &[]).await?;
        let seconds = printed.split(|byte| *byte == b' ').next();
        parse::time(seconds.unwrap_or_default())
            .map(Some)
            .ok_or_else(|| parse::unreadable(Subcommand::RevList, &printed))
    }

    /// Returns files that differ from HEAD or were changed in its last [`COMMITS`], at most `limit`, the working
    /// tree's first, each with how many of those commits changed it. Names are relative to [`root`](Self::root), spelled
    /// as in [`crate::text::name`]; submodules and ignored files are left out.
    ///
    /// # Errors
    /// git failed.
    pub async fn recently_changed(&self, limit: usize) -> Result<BTreeMap<String, u32>, GitError> {
        let flags = ["--porcelain", "-z", "--untracked-files=all", "--no-renames"];
        let status = self.run(Subcommand::Status, &flags, &[], &[]).await?;
        let status = status.up_to_its_cap()?;
        let mut names: BTreeMap<String, u32> =
            parse::status(&status).take(limit).map(|name| (name, 0)).collect();
        let Some(head) = self.head().await? else {
            return Ok(names);
        };
        // `COMMITS` of them.
        let flags = ["-z", "--name-only", "--format=", "--no-renames", "--max-count=200"];
        let log = self.run(Subcommand::Log, &flags, &[&head], &[]).await?;
        for name in parse::names(&log.up_to_its_cap()?) {
            if names.len() >= limit && !names.contains_key(&name) {
                continue;
            }
            *names.entry(name).or_default() += 1;
        }
        Ok(names)
    }

    /// Returns the local branches, and the one that they are merged into: the target of
    /// `origin/HEAD`, else `main`, `master` or `trunk`, else the current one.
    ///
    /// # Errors
    /// git failed.
    pub async fn branches(&self) -> Result<Branches, GitError> {
        let printed = self.read(Subcommand::ForEachRef, &REFS, &[], &[]).await?;
        let mut branches = parse::branches(&parse::lines(&printed)?);
        if branches.base.is_empty() {
            branches.base.extend(self.head().await?);
        }
        Ok(branches)
    }

    /// Counts, for each of several branches, the commits that `base` lacks, in one call.
    ///
    /// # Errors
    /// git failed, for one of them or for all; or there are too many such commits.
    pub async fn all_ahead(
        &self,
        tips: &[&CommitId],
        base: &[CommitId],
    ) -> Result<Vec<u64>, GitError> {
        if tips.is_empty() {
            return Ok(Vec::new());
        }
        let mut args = vec!["--parents"];
        args.extend(tips.iter().map(|tip| tip.as_str()));
        args.push("--not");
        args.extend(base.iter().map(CommitId::as_str));
        args.push("--");
        let printed = self.caller.call(Subcommand::RevList, &args).await?.whole()?;
        let graph = graph::Graph::read(&printed);
        Ok(tips.iter().map(|tip| graph.reachable(tip)).collect())
    }

    /// Counts the commits of a branch that `base` lacks.
    ///
    /// # Errors
    /// git failed.
    pub async fn ahead(&self, tip: &CommitId, base: &[CommitId]) -> Result<u64, GitError> {
        let mut args = vec!["--count", tip.as_str(), "--not"];
        args.extend(base.iter().map(CommitId::as_str));
        args.push("--");
        let printed = self.caller.call(Subcommand::RevList, &args).await?.whole()?;
        std::str::from_utf8(&printed)
            .ok()
            .and_then(|text| text.trim().parse().ok())
            .ok_or_else(|| parse::unreadable(Subcommand::RevList, &printed))
    }
}
