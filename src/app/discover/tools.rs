//! Programs that discovery runs apart from agents and tests: git and gh.

use std::path::PathBuf;

use crate::agent::roster::{ToolError, find_tool};
use crate::app::run::workspace::Workspace;

/// Returns the path of gh, or why it is not run.
pub(super) fn find_gh(workspace: &Workspace) -> Result<PathBuf, ToolError> {
    find_tool("gh", &workspace.machine())
}
