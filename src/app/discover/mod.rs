//! `discover`: runs the discovery agents, and hands what they found to the store and to the partner debate.

pub(crate) mod quality;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::rc::Rc;

use chrono::{DateTime, Utc};

use super::workspace::Workspace;
use crate::discovery::tree::Tree;
use crate::engine::limits::Switch;

/// What every agent of one run is given.
pub(crate) struct Context<'a> {
    /// The project, its configuration and the user's environment.
    pub(crate) workspace: &'a Workspace,
    /// The repository's root, absolute.
    pub(crate) root: PathBuf,
    /// When the run began.
    pub(crate) now: DateTime<Utc>,
    /// The working tree's own files; shared, and read once.
    pub(crate) tree: Rc<Tree>,
    /// When HEAD was committed; `None` without git or commits.
    pub(crate) head: Option<DateTime<Utc>>,
    /// Files that were changed lately, relative to the root.
    pub(crate) changed: BTreeSet<String>,
    /// What stops the run.
    pub(crate) switch: &'a Switch,
}
