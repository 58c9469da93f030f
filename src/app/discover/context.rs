//! The input shared by every agent of one run, read once.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use chrono::{DateTime, Utc};

use super::run::note;
use crate::app::run::workspace::Workspace;
use crate::discovery::finding::Omission;
use crate::discovery::tree::{Tree, TreeError};
use crate::engine::switch::Switch;
use crate::error::{Error, Kind};
use crate::git::{Git, GitError};
use crate::kernel::Stop;
use crate::text::Note;

/// Maximum files that count as recently changed.
const CHANGED: usize = 2_000;

/// The input shared by every agent of one run.
pub(crate) struct Context<'a> {
    /// The project, its configuration and the user's environment.
    pub(crate) workspace: &'a Workspace,
    /// The repository's root, absolute.
    pub(crate) root: PathBuf,
    pub(crate) now: DateTime<Utc>,
    /// The working tree's own files.
    pub(crate) tree: Arc<Tree>,
    /// The parts of the working tree that were left out.
    pub(crate) left_out: Vec<Omission>,
    /// The repository, or why there is none.
    pub(crate) git: Result<Git, GitError>,
    /// The commit time of HEAD; `None` without git or commits.
    pub(crate) head: Option<DateTime<Utc>>,
    /// Recently changed files, relative to the root, each with how many of the last commits changed it.
    pub(crate) changed: BTreeMap<String, u32>,
    pub(crate) switch: &'a Switch,
    /// Warnings about what could not be determined.
    pub(crate) warnings: Vec<Note>,
}

impl<'a> Context<'a> {
    /// Reads the working tree and git's information on it.
    ///
    /// # Errors
    /// The tree cannot be read at all. Anything git cannot provide is a warning.
    pub(crate) async fn read(
        workspace: &'a Workspace,
        switch: &'a Switch,
        now: DateTime<Utc>,
    ) -> Result<Self, Error> {
        let root = workspace.root().to_owned();
        let mut warnings = Vec::new();
        let git = crate::app::run::git::open_git(workspace, switch).await;
        match &git {
            Ok(_) | Err(GitError::NotARepository { .. }) => {}
            Err(error) => warnings.push(note("git", format!("git is left out: {error}"))),
        }
        let (mut head, mut changed) = (None, BTreeMap::new());
        if let Ok(git) = &git {
            let mut left_out = |error: GitError| {
                warnings.push(note("git", format!("part of git is left out: {error}")));
            };
            match git.head_time().await {
                Ok(time) => head = time,
                Err(error) => left_out(error),
            }
            match git.recently_changed(CHANGED).await {
                Ok(files) => changed = files,
                Err(error) => left_out(error),
            }
        }
        let (top, exclude) = (root.clone(), workspace.effective.config.discovery.exclude.clone());
        let stopped = switch.watch();
        let read =
            tokio::task::spawn_blocking(move || Tree::read_unless(&top, &exclude, stopped)).await;
        let (tree, left_out) = read
            .map_err(|error| {
                Error::new(Kind::Bug, "the reader of the tree stopped unexpectedly").because(error)
            })?
            .map_err(|error| unread(error, switch))?;
        Ok(Self {
            workspace,
            root,
            now,
            tree: Arc::new(tree),
            left_out,
            git,
            head,
            changed,
            switch,
            warnings,
        })
    }
}

fn unread(error: TreeError, switch: &Switch) -> Error {
    let kind = match (&error, switch.stopped()) {
        (TreeError::Stopped { .. }, Some(Stop::Cancelled(signal))) => Kind::Interrupted(signal),
        (TreeError::Stopped { .. }, _) => Kind::Undecided,
        _ => Kind::Environment,
    };
    Error::new(kind, "failed to read the working tree").because(error)
}
