//! The project's backlog, as a store.

use std::sync::Arc;

use crate::app::run::workspace::Workspace;
use crate::discovery::store::BacklogStore;

/// Returns the project's backlog store without touching the disk.
pub(crate) fn store(workspace: &Workspace) -> BacklogStore {
    let folder = &workspace.effective.config.paths.backlog;
    let fs = Arc::clone(&workspace.fs);
    BacklogStore::open(fs, workspace.root(), folder, workspace.env().clone())
        .redacting(workspace.redactor())
}
