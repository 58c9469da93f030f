//! A file of the project as the revision has it that a change is compared with.

use super::super::workspace::Workspace;
use super::git_error;
use crate::app::discover::open_git;
use crate::change::Change;
use crate::engine::limits::Switch;
use crate::error::{Error, Kind};
use crate::git::GitError;

/// Largest such file.
const MOST: u64 = 4 << 20;

/// Returns a file of the project's root as the base revision of a change has it; `None` where it has
/// none. The base of a patch is HEAD, where there is a repository.
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
    let git = match open_git(workspace, switch).await {
        Ok(git) => git,
        // A patch needs no repository.
        Err(_) if change.base.is_none() => return Ok(None),
        Err(error) => return Err(failed(error)),
    };
    let commit = match &change.base {
        Some(base) => git.resolve(base).await.map_err(failed)?,
        None => git.head().await.map_err(failed)?,
    };
    let Some(commit) = commit else {
        return Ok(None);
    };
    let Ok(folder) = workspace.root().strip_prefix(git.root()) else {
        return Ok(None);
    };
    let path = folder.join(file);
    let Some(path) = path.to_str() else {
        return Ok(None);
    };
    match git.file_at(&commit, path, MOST).await {
        Err(GitError::TooMuchOutput { .. }) => Err(Error::new(
            Kind::Input,
            format!("{file} of the base revision has more than {MOST} bytes"),
        )),
        read => read.map_err(failed),
    }
}
