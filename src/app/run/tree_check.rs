//! Checks whether the repository stayed unchanged while agents could read it (`review.read_repo`).
//!
//! Agents get read-only tools; this is a second safeguard, for a CLI that does more than it should. Changes are
//! listed and nothing is restored: they may as well be the user's own work.
//!
//! The initial state is in the session's journal. A killed run cannot check again; the next one compares with that
//! state instead, so that no resume decides on the basis of files that changed during reading.

use std::collections::BTreeMap;

use super::git::open_git;
use super::signals;
use super::workspace::Workspace;
use crate::engine::switch::Switch;
use crate::error::{Error, git_error};
use crate::git::{Git, Snapshot, differing};

/// The repository before agents may read it.
pub(crate) struct Watch {
    git: Git,
    own: Vec<String>,
    seen: Snapshot,
    /// Changes from before this run that have not been reported yet.
    before: Vec<String>,
    // Kept alive, so that the check works after the run was stopped.
    _switch: Switch,
}

impl Watch {
    /// Records the state of the repository.
    ///
    /// # Errors
    /// It cannot be read, or the run is stopped meanwhile.
    pub(crate) async fn begin(workspace: &Workspace) -> Result<Self, Error> {
        let switch = Switch::default();
        let paths = &workspace.effective.config.paths;
        let own = vec![paths.debate.clone(), paths.backlog.clone()];
        let look = async {
            let git = open_git(workspace, &switch).await?;
            let seen = git.seen(&own).await?;
            Ok((git, seen))
        };
        let looked = signals::during(&workspace.stops, &switch, None, look).await?;
        let (git, seen) = looked.map_err(|error| git_error(error, &switch))?;
        Ok(Self { git, own, seen, before: Vec::new(), _switch: switch })
    }

    /// Returns the recorded state, for the session's record.
    pub(crate) fn marks(&self) -> BTreeMap<String, String> {
        self.seen.marks()
    }

    /// Takes over from a run that was cut off before it could check again: every difference from its initial state
    /// may have been made by its agents.
    pub(crate) fn go_on_from(&mut self, begun: &BTreeMap<String, String>) {
        self.before = differing(begun, &self.marks());
    }

    /// Returns the changes since, for people. A failed check counts as a change.
    pub(crate) async fn changed(&self) -> Vec<String> {
        let mut changed = match self.git.seen(&self.own).await {
            Ok(now) => self.seen.differs(&now),
            Err(error) => vec![format!("(the repository can no longer be read: {error})")],
        };
        changed.extend(self.before.iter().cloned());
        changed.sort();
        changed.dedup();
        changed
    }
}
