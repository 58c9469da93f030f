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

mod folder;
mod ignored;
mod walk;
mod write;

pub(crate) use folder::{Folder, Found, is_link};
pub(crate) use walk::{ParentRules, Walk, repository_of, walk};
pub use write::IfExists;

#[cfg(test)]
mod tests;
