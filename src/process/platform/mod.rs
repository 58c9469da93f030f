//! The calls that differ between systems: looking at processes, signalling exactly one, adopting orphans.
//!
//! The choice is made in this file alone. `linux.rs` reads `/proc`, signals by pidfd and has subreapers;
//! `portable.rs` is for macOS and uses nothing but POSIX and `ps`. Built with `--cfg portable`, Linux uses
//! `portable.rs` too, so that it is compiled and tested without a Mac (`tests/portable/run`). Such a build is for
//! tests only: it keeps fewer of the promises.

#[cfg_attr(all(target_os = "linux", not(portable)), path = "linux.rs")]
#[cfg_attr(not(all(target_os = "linux", not(portable))), path = "portable.rs")]
mod system;

pub(super) use system::{
    ADOPTS, Lineage, become_subreaper, guard_program, ignored, is_full, only_child, processes,
    this, used, with_entry,
};
