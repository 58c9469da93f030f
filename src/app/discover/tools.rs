//! The programs that discovery runs besides agents and tests: git, and gh.

use std::path::PathBuf;

use crate::agent::roster::{ToolError, find_tool};
use crate::app::run::workspace::Workspace;

/// Finds gh.
pub(super) fn find_gh(workspace: &Workspace) -> Result<PathBuf, ToolError> {
    find_tool("gh", &workspace.machine())
}
