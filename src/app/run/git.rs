//! Opens the repository of the project or of one of its folders.

use std::path::Path;
use std::time::Duration;

use super::guard::guard;
use super::workspace::Workspace;
use crate::agent::roster::find_tool;
use crate::engine::switch::Switch;
use crate::env;
use crate::git::{Git, GitError, Host};
use crate::process::Limits;

/// Maximum time for one call of git: `status` of a large tree on a slow disk.
const GIT_TIMEOUT: Duration = Duration::from_mins(1);

/// Opens the project's repository.
///
/// # Errors
/// There is no git that may be run, or no repository that may be read; see [`GitError`].
pub(crate) async fn open_git(workspace: &Workspace, switch: &Switch) -> Result<Git, GitError> {
    open_git_in(workspace, workspace.root(), switch).await
}

/// Opens the repository of a folder.
///
/// # Errors
/// As [`open_git`].
pub(crate) async fn open_git_in(
    workspace: &Workspace,
    dir: &Path,
    switch: &Switch,
) -> Result<Git, GitError> {
    Git::open(git_host(workspace, switch)?, dir).await
}

/// Returns the environment in which git runs.
///
/// # Errors
/// There is no git that may be run.
pub(crate) fn git_host(workspace: &Workspace, switch: &Switch) -> Result<Host, GitError> {
    let not_installed = |why: String| GitError::NotInstalled(why);
    let program =
        find_tool("git", &workspace.machine()).map_err(|error| not_installed(error.to_string()))?;
    let guard = guard().map_err(|error| not_installed(error.to_string()))?;
    let config = &workspace.effective.config.limits;
    Ok(Host {
        program,
        guard,
        vars: workspace.around.vars.clone(),
        control: switch.listen(),
        token: env::unique(),
        limits: Limits {
            timeout: GIT_TIMEOUT,
            grace: Duration::from_secs(config.grace_seconds),
            ..Limits::default()
        },
    })
}
