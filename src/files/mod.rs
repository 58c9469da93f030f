//! Files below a folder that somebody else may have filled: how they are opened, and which of them git ignores.
//!
//! # Theory of operation
//!
//! What a path leads to can change between a look at it and its opening, and every part of it may be a link. So a
//! path below a root is never judged and then opened: [`Folder`] holds the root by a handle and opens what lies below
//! it part by part, no part of which may be a link (`openat2` with `RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS` where the
//! kernel has it, `openat` with `O_NOFOLLOW` for every part elsewhere). What is read or written is that handle.
//!
//! [`walk`] walks a tree by git's ignore rules; it reads the ignore files through [`Folder`] as well, and bounds
//! their size and number.

mod folder;
mod ignored;
mod walk;
mod write;

pub use folder::{Entry, Folder, Found, is_link, link_of};
pub use walk::{Above, Walk, repository_of, walk};
pub use write::Existing;

#[cfg(test)]
mod tests;
