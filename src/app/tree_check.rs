//! Whether the repository stayed as it was while agents could read it (`--read-repo`).
//!
//! Agents get tools that only read; this is the second line, for a CLI that does more than it should. What
//! changed is named and nothing is restored: it may as well be the user, who worked on.

use super::change::git_error;
use super::discover::open_git;
use super::workspace::Workspace;
use crate::engine::limits::Switch;
use crate::error::Error;
use crate::git::{Git, Seen};

/// The repository before agents may read it.
pub(crate) struct Watch {
    git: Git,
    own: Vec<String>,
    seen: Seen,
    // Held, so that a stopped run can still be looked at afterwards.
    _switch: Switch,
}

impl Watch {
    /// Looks at the repository.
    ///
    /// # Errors
    /// It cannot be read.
    pub(crate) async fn begin(workspace: &Workspace) -> Result<Self, Error> {
        let switch = Switch::default();
        let failed = |error| git_error(error, &switch);
        let git = open_git(workspace, &switch).await.map_err(failed)?;
        let paths = &workspace.effective.config.paths;
        let own = vec![paths.debate.clone(), paths.backlog.clone()];
        let seen = git.seen(&own).await.map_err(failed)?;
        Ok(Self {
            git,
            own,
            seen,
            _switch: switch,
        })
    }

    /// Returns what changed since, for people. That it cannot be said counts as a change.
    pub(crate) async fn changed(&self) -> Vec<String> {
        match self.git.seen(&self.own).await {
            Ok(now) => self.seen.differs(&now),
            Err(error) => vec![format!("(the repository cannot be looked at any more: {error})")],
        }
    }
}
