//! Git's hooks: our script in a repository, and what a hook reviews.
//!
//! Another hook is left as it is: who made it would make it again, and ours would be gone. Nothing is written where
//! other repositories may have their hooks.

use std::io;
use std::path::PathBuf;

use super::change::Scope;
use super::run::git::open_git;
use super::run::workspace::Workspace;
use crate::engine::switch::Switch;
use crate::error::{Error, Kind, git_error};
use crate::files::{Folder, IfExists};
use crate::git::CommitId;

crate::words! {
    /// A hook of git's.
    pub(crate) enum Hook {
        /// Before a push: what it would publish.
        PrePush = "pre-push",
        /// Before a commit: what is staged.
        PreCommit = "pre-commit",
    }
}

/// The script of all hooks, and how each of ours begins.
const SCRIPT: &str = include_str!("hook.sh");
const MARK: &[u8] = b"#!/bin/sh\n# Written by `debate-agent hook install`";

/// Writes a hook into this repository, and returns its file. `options` are those of `hook run`.
///
/// # Errors
/// There is no repository; other repositories may share its hooks; another hook is there; the disk failed.
pub(crate) async fn install(
    workspace: &Workspace,
    hook: Hook,
    options: &str,
) -> Result<PathBuf, Error> {
    let switch = Switch::default();
    let git_failed = |error| git_error(error, &switch);
    let git = open_git(workspace, &switch).await.map_err(git_failed)?;
    let (folder, within) = git.hooks_folder().await.map_err(git_failed)?;
    let file = folder.join(hook.name());
    let script = SCRIPT.replace("@HOOK@", &format!("{}{options}", hook.name()));
    let refuse = |why: &str| {
        let line = script.lines().last().unwrap_or_default().replace("exec ", "");
        let line = format!("`! command -v debate-agent >/dev/null || {line} || exit`");
        Error::new(Kind::Usage, format!("{} {why}: it is left alone", file.display()))
            .named("other_hook")
            .hint(format!("add this line to it, near the top: {line}"))
    };
    let shared = || refuse("may be a hook of other repositories too (`core.hooksPath`)");
    let root = within.ok_or_else(shared)?;
    let failed = |error| {
        Error::new(Kind::State, format!("failed to write {}", file.display())).because(error)
    };
    let folder = Folder::open(&root).map_err(failed)?;
    let below = file.strip_prefix(&root).unwrap_or(&file);
    let existing = match folder.read(below, 1 << 20) {
        Ok(found) if found.starts_with(MARK) => IfExists::Replace,
        Err(error) if error.kind() == io::ErrorKind::NotFound => IfExists::Keep,
        // A link is somebody's, too.
        Ok(_) | Err(_) => return Err(refuse("is another hook")),
    };
    let made = folder.make(below.parent().unwrap_or(below));
    made.and_then(|_| folder.write(below, script.as_bytes(), 0o755, existing)).map_err(failed)?;
    Ok(file)
}

/// Returns what a hook reviews, and its name: what is staged, or what a branch would add to what the remote has of it
/// (of a new or rewritten one, to the remote's default branch). `None`: it is deleted, or no branch. `told`: what git
/// tells a pre-push hook, `LOCAL-REF LOCAL-ID REMOTE-REF REMOTE-ID`.
///
/// # Errors
/// git failed, or nothing of the remote is known.
pub(crate) async fn subject(
    workspace: &Workspace,
    hook: Hook,
    remote: &str,
    told: &str,
) -> Result<Option<(String, Scope)>, Error> {
    if hook == Hook::PreCommit {
        return Ok(Some(("what is staged".to_owned(), Scope::Staged)));
    }
    // From the end: the local name is as it was typed, and may have spaces.
    let fields: Vec<&str> = told.rsplitn(4, ' ').collect();
    let id = |at: usize| CommitId::read(fields.get(at)?.as_bytes());
    let (Some(old), Some(new), &[_, to, ..]) = (id(0), id(2), &*fields) else {
        return Err(Error::new(Kind::Input, "standard input is not what git tells its hook"));
    };
    // Those for Gerrit are branches, too.
    let is_branch = to.starts_with("refs/heads/") || to.starts_with("refs/for/");
    if !is_branch || new.as_str().bytes().all(|digit| digit == b'0') {
        return Ok(None);
    }
    let name = to.trim_start_matches("refs/heads/");
    let switch = Switch::default();
    let failed = |error| git_error(error, &switch);
    let git = open_git(workspace, &switch).await.map_err(failed)?;
    let mut base = git.resolve(old.as_str()).await.map_err(failed)?;
    if base.is_some() && git.merge_base(&old, &new).await.map_err(failed)? != base {
        base = None;
    }
    for default in ["HEAD", "main", "master", "trunk"] {
        if base.is_none() {
            let default = format!("refs/remotes/{remote}/{default}");
            base = git.resolve(&default).await.map_err(failed)?;
        }
    }
    let base = base.ok_or_else(|| {
        let what = format!("nothing of {remote} is known that {name} could be compared with");
        Error::new(Kind::Undecided, what).hint(format!("`git fetch {remote}` asks for it"))
    })?;
    let range = Scope::Range(format!("{}...{}", base.as_str(), new.as_str()));
    Ok(Some((name.to_owned(), range)))
}
