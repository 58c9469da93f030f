//! Which session an id means, and who holds it.

use crate::app::run::workspace::Workspace;
use crate::error::{Error, store_error};
use crate::session::StoreError;

/// Finds the session that an id, or the start of one, names here. `None`: none does.
///
/// # Errors
/// Several begin like this, it is no id, or the folder cannot be read.
pub fn find(workspace: &Workspace, id: &str) -> Result<Option<String>, Error> {
    match workspace.store(false).resolve(id) {
        Ok(id) => Ok(Some(id)),
        Err(StoreError::UnknownId { .. }) => Ok(None),
        Err(error) => Err(store_error(error)),
    }
}

/// Returns who holds a session now, by the session's whole id. `None`: nobody.
///
/// # Errors
/// Its lock cannot be looked at.
pub fn holder(workspace: &Workspace, id: &str) -> Result<Option<String>, Error> {
    match workspace.store(false).free(id) {
        Ok(()) => Ok(None),
        Err(StoreError::Locked { holder, .. }) => Ok(Some(holder.map_or_else(
            || "a process that does not say its number".to_owned(),
            |holder| holder.to_string(),
        ))),
        Err(error) => Err(store_error(error)),
    }
}
