//! Lists a project's sessions: all, or one page of them.

use crate::app::backlog::record;
use crate::app::run::foreign;
use crate::app::run::workspace::Workspace;
use crate::error::{Error, store_error};
use crate::report::sessions::SessionsDocument;

/// Returns the sessions of the project, newest first.
///
/// # Errors
/// The folder cannot be read. An unreadable session is listed as such.
pub fn list(workspace: &Workspace) -> Result<SessionsDocument, Error> {
    let mut listed = foreign::store(workspace)?.list().map_err(store_error)?;
    listed.reverse();
    let mut document = SessionsDocument::new(&listed);
    document.records = record::alone(workspace, &document.sessions)?;
    Ok(document)
}

/// Returns at most `most` sessions of the project, newest first, from those with an id before `before`; `None` starts
/// with the newest. Only their journals are read, however many sessions there are.
///
/// # Errors
/// As [`list`].
pub fn page(
    workspace: &Workspace,
    before: Option<&str>,
    most: usize,
) -> Result<SessionsDocument, Error> {
    let store = foreign::store(workspace)?;
    let ids = store.ids().map_err(store_error)?.into_iter().rev();
    let listed: Vec<_> = ids
        .filter(|id| before.is_none_or(|before| id.as_str() < before))
        .take(most)
        .map(|id| store.listed(id))
        .collect();
    Ok(SessionsDocument::new(&listed))
}
