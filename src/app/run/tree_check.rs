//! Whether the repository stayed as it was while agents could read it (`--read-repo`).
//!
//! Agents get tools that only read; this is the second line, for a CLI that does more than it should. What
//! changed is named and nothing is restored: it may as well be the user, who worked on.
//!
//! What a run began with stands in the session's journal. A run that is killed cannot look again; the next one
//! then compares with that, so that no resume makes a decision of what was read while somebody wrote.

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
    /// What changed before this run and was not told yet.
    before: Vec<String>,
    // Held, so that a stopped run can still be looked at afterwards.
    _switch: Switch,
}

impl Watch {
    /// Looks at the repository.
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
        let looked = tokio::select! {
            biased;
            error = signals::serve(&workspace.stops, &switch, None) => return Err(signals::broken(error)),
            looked = look => looked,
        };
        let (git, seen) = looked.map_err(|error| git_error(error, &switch))?;
        Ok(Self { git, own, seen, before: Vec::new(), _switch: switch })
    }

    /// Returns what was seen, for the session's record.
    pub(crate) fn marks(&self) -> BTreeMap<String, String> {
        self.seen.marks()
    }

    /// Takes over from a run that was cut off before it could look again: whatever differs from what that one
    /// began with may be what its agents did.
    pub(crate) fn go_on_from(&mut self, begun: &BTreeMap<String, String>) {
        self.before = differing(begun, &self.marks());
    }

    /// Returns what changed since, for people. That it cannot be said counts as a change.
    pub(crate) async fn changed(&self) -> Vec<String> {
        let mut changed = match self.git.seen(&self.own).await {
            Ok(now) => self.seen.differs(&now),
            Err(error) => vec![format!("(the repository cannot be looked at any more: {error})")],
        };
        changed.extend(self.before.iter().cloned());
        changed.sort();
        changed.dedup();
        changed
    }
}
