//! Resets what the caller may have changed in this process's signals before it started.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use nix::sys::signal::SigSet;
use signal_hook::consts::SIGXFSZ;

/// Unblocks every signal, and turns a write beyond the file size limit into an error.
///
/// A mask survives `exec`, and supervisors that read signals from a descriptor do start programs with their own mask:
/// without SIGCHLD the end of a call would not be noticed before its time limit, and with INT or TERM blocked nothing
/// could be stopped. Guards and programs inherit what is set here. Call it on the first thread before there are
/// others. Settings that cannot be reset stay unchanged.
pub fn reset_signals() {
    SigSet::empty().thread_set_mask().ok();
    // Caught rather than ignored: programs would inherit an ignored signal.
    signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false))).ok();
}
