//! Finds a session by an id, and the process that has locked it.

use crate::app::run::workspace::Workspace;
use crate::error::{Error, store_error};
use crate::session::StoreError;

/// Returns the full id of the project's session with this id or prefix of one; `None` if there is none.
///
/// # Errors
/// Several sessions match, the id is invalid, or the folder cannot be read.
pub fn find(workspace: &Workspace, id: &str) -> Result<Option<String>, Error> {
    match workspace.store().resolve(id) {
        Ok(id) => Ok(Some(id)),
        Err(StoreError::UnknownId { .. }) => Ok(None),
        Err(error) => Err(store_error(error)),
    }
}

/// Returns a description of the process that has locked a session, given its full id; `None` if it is not locked.
///
/// # Errors
/// The lock cannot be checked.
pub fn holder(workspace: &Workspace, id: &str) -> Result<Option<String>, Error> {
    match workspace.store().free(id) {
        Ok(()) => Ok(None),
        Err(StoreError::Locked { holder, .. }) => Ok(Some(holder.map_or_else(
            || "a process that did not record its id".to_owned(),
            |holder| holder.to_string(),
        ))),
        Err(error) => Err(store_error(error)),
    }
}
