//! Which sessions a project has: all, or a page of them.

use crate::app::backlog::record;
use crate::app::run::foreign;
use crate::app::run::workspace::Workspace;
use crate::error::{Error, store_error};
use crate::report::sessions::SessionsDocument;

/// Lists the sessions of the project, newest first.
///
/// # Errors
/// The folder cannot be read. A session that cannot is listed as that.
pub fn list(workspace: &Workspace) -> Result<SessionsDocument, Error> {
    let mut listed = foreign::store(workspace, false)?.list().map_err(store_error)?;
    listed.reverse();
    let mut document = SessionsDocument::new(&listed);
    document.records = record::alone(workspace, &document.sessions)?;
    Ok(document)
}

/// Lists at most `most` sessions of the project, newest first, of those that were drawn before the session `before`; `None`:
/// from the newest on. Only their journals are read, however many there are.
///
/// # Errors
/// As [`list`].
pub fn page(
    workspace: &Workspace,
    before: Option<&str>,
    most: usize,
) -> Result<SessionsDocument, Error> {
    let store = foreign::store(workspace, false)?;
    let ids = store.ids().map_err(store_error)?.into_iter().rev();
    let listed: Vec<_> = ids
        .filter(|id| before.is_none_or(|before| id.as_str() < before))
        .take(most)
        .map(|id| store.listed(id))
        .collect();
    Ok(SessionsDocument::new(&listed))
}
