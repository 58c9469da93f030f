//! One file of the project on either side of a change: in its base revision, and as the change leaves it.

use super::scope::Scope;
use crate::app::run::git::open_git;
use crate::app::run::workspace::Workspace;
use crate::change::Change;
use crate::engine::switch::Switch;
use crate::error::{Error, Kind, git_error};
use crate::git::{CommitId, Git, GitError, Side};

/// Maximum bytes of such a file.
const MOST: u64 = 4 << 20;

/// Returns a file of the project's root as it is in a change's base revision; `None` if it does not exist there. A
/// patch has no base: HEAD need not be the revision it was made against, and may well be the patch's own branch.
///
/// # Errors
/// git failed, or the file is too large.
pub(crate) async fn at_base(
    workspace: &Workspace,
    change: &Change,
    file: &str,
    switch: &Switch,
) -> Result<Option<Vec<u8>>, Error> {
    let failed = |error| git_error(error, switch);
    let Some(base) = &change.base else {
        return Ok(None);
    };
    let git = open_git(workspace, switch).await.map_err(failed)?;
    let Some(commit) = git.resolve(base).await.map_err(failed)? else {
        return Ok(None);
    };
    at(workspace, &git, &commit, file).await.map_err(failed)?.ok_or_else(|| {
        Error::new(Kind::Input, format!("{file} of the base revision has more than {MOST} bytes"))
    })
}

/// Returns a file of the project's root as it is on the newer side of a scope; `None` if it does not exist or cannot
/// be read, since nothing is decided by it. For a patch that is the file in the working tree.
pub(crate) async fn as_changed(
    workspace: &Workspace,
    scope: &Scope,
    file: &str,
    switch: &Switch,
) -> Option<Vec<u8>> {
    let new = if let Scope::Patch(_) = scope {
        Side::WorkTree
    } else {
        let git = open_git(workspace, switch).await.ok()?;
        super::scope::resolve(&git, scope, switch).await.ok()?.new
    };
    match new {
        // The index is not searched: as a rule, staged content is in the working tree too.
        Side::WorkTree | Side::Index => {
            let path = workspace.root().join(file);
            workspace.fs.read(&path, MOST).ok()
        }
        Side::Commit(commit) => {
            let git = open_git(workspace, switch).await.ok()?;
            at(workspace, &git, &commit, file).await.ok()??
        }
    }
}

/// Returns a file of the project's root as it is in a commit: `None` if it is too large, `Some(None)` if it does not
/// exist.
async fn at(
    workspace: &Workspace,
    git: &Git,
    commit: &CommitId,
    file: &str,
) -> Result<Option<Option<Vec<u8>>>, GitError> {
    let Ok(folder) = workspace.root().strip_prefix(git.root()) else {
        return Ok(Some(None));
    };
    let path = folder.join(file);
    let Some(path) = path.to_str() else {
        return Ok(Some(None));
    };
    match git.file_at(commit, path, MOST).await {
        Err(GitError::TooMuchOutput { .. }) => Ok(None),
        read => read.map(Some),
    }
}
