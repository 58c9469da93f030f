//! Finds an agent's program where nobody but the user and administrators can have put it.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::RosterError;
use crate::ordered::{BTreeSet, Gather};
use crate::process::program::find;

/// The state of this machine that decides which programs may run.
#[derive(Debug, Clone)]
pub struct HostRules {
    /// The value of `PATH`.
    pub path: String,
    /// The folder that the debate is about; programs inside it are not run.
    pub workspace: PathBuf,
    /// The user's home.
    pub home: PathBuf,
    /// Groups that may write to the folders of programs; see [`trusted_groups`].
    pub trusted_groups: BTreeSet<u32>,
}

/// Groups whose members administer the machine anyway.
const ADMIN_GROUPS: [&str; 5] = ["root", "wheel", "admin", "sudo", "staff"];

/// Returns the user's own group and the machine's admin groups. `etc_group` is the text of
/// `/etc/group`.
pub fn trusted_groups(own: u32, etc_group: &str) -> BTreeSet<u32> {
    etc_group
        .lines()
        .filter_map(|line| {
            let mut fields = line.split(':');
            let name = fields.next()?;
            let id = fields.nth(1)?.parse().ok()?;
            ADMIN_GROUPS.contains(&name).then_some(id)
        })
        .chain([own, 0])
        .gather()
}

/// Why a tool that is not an agent may not be run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ToolError {
    #[error("{0} is not on PATH: install it")]
    Missing(String),
    #[error("{0}")]
    Unsafe(String),
}

/// Finds a tool on PATH (`git`, `gh`) by the rules for agents: an absolute path, outside the
/// workspace, where only the user and administrators can have put it.
pub fn find_tool(name: &str, machine: &HostRules) -> Result<PathBuf, ToolError> {
    locate(name, name, machine).map_err(|error| match error {
        RosterError::NotFound { .. } => ToolError::Missing(name.to_owned()),
        RosterError::InWorkspace { path, .. } => ToolError::Unsafe(format!(
            "{} lies inside the workspace, so the repository could have brought it: put the real {name} first on PATH",
            path.display()
        )),
        RosterError::Replaceable {
            path,
            place,
            whom,
            mend,
            ..
        } => ToolError::Unsafe(format!(
            "{} can be replaced by {whom}, because {place} is writable for them: `chmod {mend} {place}`",
            path.display(),
            place = place.display()
        )),
        error @ (RosterError::UnknownAgent { .. }
        | RosterError::NoAgent { .. }
        | RosterError::NameDiffers { .. }
        | RosterError::NotExecutable { .. }
        | RosterError::Relative { .. }
        | RosterError::Dangerous { .. }
        | RosterError::NoEffort { .. }
        | RosterError::NotPassed { .. }
        | RosterError::CannotRead { .. }) => ToolError::Unsafe(error.to_string()),
    })
}

/// Finds a program and checks that only the user and administrators can have put it there.
pub(super) fn locate(
    agent: &str,
    program: &str,
    machine: &HostRules,
) -> Result<PathBuf, RosterError> {
    let missing = |place: &str| RosterError::NotFound {
        agent: agent.to_owned(),
        program: program.to_owned(),
        place: place.to_owned(),
    };
    let path = if let Some(rest) = program.strip_prefix("~/") {
        machine.home.join(rest)
    } else if Path::new(program).is_absolute() {
        PathBuf::from(program)
    } else if program.contains('/') {
        return Err(RosterError::Relative { agent: agent.to_owned(), path: program.to_owned() });
    } else {
        find(program, &machine.path).ok_or_else(|| missing("on PATH"))?
    };
    if !path.exists() {
        return Err(missing("at that path"));
    }
    if !is_executable(&path) {
        return Err(RosterError::NotExecutable { agent: agent.to_owned(), path });
    }
    check_place(agent, &path, machine)?;
    Ok(path)
}

fn is_executable(path: &Path) -> bool {
    path.metadata().is_ok_and(|meta| meta.is_file() && meta.mode() & 0o111 != 0)
}

/// Checks both the path where the program was found and the target of a link.
fn check_place(agent: &str, path: &Path, machine: &HostRules) -> Result<(), RosterError> {
    let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let workspace = machine.workspace.canonicalize().unwrap_or_else(|_| machine.workspace.clone());
    let home = machine.home.canonicalize().unwrap_or_else(|_| machine.home.clone());
    // If the workspace is the home folder or contains it, all the user's own programs are inside
    // the workspace.
    let is_workspace = !home.starts_with(&workspace);
    let folder = path.parent().and_then(|folder| folder.canonicalize().ok());
    for place in [Some(real.as_path()), folder.as_deref()].into_iter().flatten() {
        if is_workspace && place.starts_with(&workspace) {
            return Err(RosterError::InWorkspace {
                agent: agent.to_owned(),
                path: path.to_owned(),
            });
        }
    }
    let near = [Some(real.as_path()), real.parent(), folder.as_deref()];
    for place in near.into_iter().flatten() {
        check_writable(agent, path, place, machine, true)?;
    }
    // A writable parent allows swapping a whole folder, unless the sticky bit prevents it.
    for place in real.ancestors().skip(2) {
        check_writable(agent, path, place, machine, false)?;
    }
    Ok(())
}

fn check_writable(
    agent: &str,
    path: &Path,
    place: &Path,
    machine: &HostRules,
    near: bool,
) -> Result<(), RosterError> {
    let Ok(meta) = place.metadata() else {
        return Ok(());
    };
    let sticky = !near && meta.mode() & 0o1000 != 0;
    let refused = |whom: String, mend| RosterError::Replaceable {
        agent: agent.to_owned(),
        path: path.to_owned(),
        place: place.to_owned(),
        whom,
        mend,
    };
    if meta.mode() & 0o002 != 0 && !sticky {
        return Err(refused("anybody".to_owned(), "o-w"));
    }
    if near && meta.mode() & 0o020 != 0 && !machine.trusted_groups.contains(&meta.gid()) {
        return Err(refused(format!("the group {}", meta.gid()), "g-w"));
    }
    Ok(())
}
