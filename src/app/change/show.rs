//! `diff`: shows what reviewers would see.

use super::read;
use super::scope::Request;
use crate::app::run::kind::redact;
use crate::app::run::signals;
use crate::app::run::workspace::Workspace;
use crate::change::Change;
use crate::engine::switch::Switch;
use crate::error::{Error, git_error};
use crate::git::GitError;
use crate::report::change::DiffDocument;

/// Reads a change and returns what reviewers would see of it; with `full`, the text itself.
///
/// # Errors
/// As for the scope: no repository, an unknown commit, an unreadable patch.
pub(crate) async fn diff(
    workspace: &Workspace,
    request: &Request,
    full: bool,
) -> Result<DiffDocument, Error> {
    let change = redact(workspace, read_alone(workspace, request).await?)?;
    let settings = &workspace.effective.config.review;
    Ok(DiffDocument::new(&change, settings.max_diff_bytes, settings.max_batches, full))
}

/// Reads a change while nothing else handles signals.
///
/// # Errors
/// As [`read`].
pub(crate) async fn read_alone(workspace: &Workspace, request: &Request) -> Result<Change, Error> {
    let switch = Switch::default();
    let change = read(workspace, request, &switch);
    let change = signals::during(&workspace.stops, &switch, None, change).await??;
    if switch.stopped().is_some() {
        return Err(git_error(GitError::Stopped { command: "diff" }, &switch));
    }
    Ok(change)
}
