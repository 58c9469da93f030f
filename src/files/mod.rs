//! Files below a folder that somebody else may have filled: how they are opened, and which of them git ignores.
//!
//! # Theory of operation
//!
//! The target of a path can change between a check and its opening, and every part of it may be a link. So a path
//! below a root is never checked and then opened: [`Folder`] holds the root by a handle and opens paths below it part
//! by part, no part of which may be a link (`openat2` with `RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS` if the kernel has
//! it, otherwise `openat` with `O_NOFOLLOW` for every part). Reads and writes use that handle.
//!
//! [`walk()`] walks a tree by git's ignore rules; it reads the ignore files through [`Folder`] as well, and bounds
//! their size and number.

use std::path::{Component, Path};

mod folder;
mod ignored;
mod walk;
mod write;

pub(crate) use folder::{Folder, Found, is_link};
pub(crate) use ignored::is_absent;
pub(crate) use walk::{ParentRules, Walk, repository_of, walk};
pub use write::IfExists;

/// Whether a part of a path is git's own folder, however the file system spells it.
pub(crate) fn is_of_git(part: Component<'_>) -> bool {
    part.as_os_str().eq_ignore_ascii_case(".git")
}

/// Returns where a real path leads, if it is to what whoever filled the project must not have shown: `into git's own
/// folder`. `own`: the folders of this program's records below the root, besides the default ones.
pub(crate) fn withheld(root: &Path, own: &[String], real: &Path) -> Option<&'static str> {
    let within = real.strip_prefix(root).ok()?;
    if within.components().any(is_of_git) {
        Some("into git's own folder")
    } else if ([".debate", ".swarm"].into_iter().chain(own.iter().map(String::as_str)))
        .any(|own| within.starts_with(own))
    {
        Some("into a folder of debate-agent's records")
    } else {
        walk::is_ignored(root, real).then_some("to what git ignores")
    }
}

#[cfg(test)]
mod tests;
