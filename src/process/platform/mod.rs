//! The calls in which systems differ: looking at processes, signalling exactly one, adopting orphans.
//!
//! The choice is made here alone. `linux.rs` reads `/proc`, signals by pidfd and has subreapers; `portable.rs` is for macOS and has
//! nothing but POSIX and `ps`. Built with `--cfg portable`, Linux takes the second one as well, so that it is compiled and tested
//! without a Mac (`tests/portable/run`). Such a program is for tests: it keeps less of the promises.

#[cfg_attr(all(target_os = "linux", not(portable)), path = "linux.rs")]
#[cfg_attr(not(all(target_os = "linux", not(portable))), path = "portable.rs")]
mod system;

pub(super) use system::{
    ADOPTS, Lineage, become_subreaper, guard_program, ignored, only_child, processes, this,
    with_entry,
};
