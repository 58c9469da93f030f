//! The tools of the machine that discovery uses, and what they are run with.

use std::time::Duration;

use super::super::asker::guard;
use super::super::workspace::Workspace;
use crate::engine::limits::Switch;
use crate::env;
use crate::git::{GitError, Host};
use crate::process::Limits;

/// How long one call of git may take.
const GIT_TIMEOUT: Duration = Duration::from_secs(60);

/// Returns what git is run with.
///
/// # Errors
/// There is no git that may be run.
pub(crate) fn git(workspace: &Workspace, switch: &Switch) -> Result<Host, GitError> {
    let missing = |why: String| GitError::NotInstalled(why);
    let program = workspace.machine().tool("git").map_err(missing)?;
    Ok(Host {
        program,
        guard: guard().map_err(|error| missing(error.what))?,
        vars: workspace.around.vars.clone(),
        control: switch.listen(),
        token: env::random_token(),
        limits: Limits {
            timeout: GIT_TIMEOUT,
            ..Limits::default()
        },
    })
}
