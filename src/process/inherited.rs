//! What a caller may have done to the signals of this process before it began.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use nix::sys::signal::SigSet;
use signal_hook::consts::SIGXFSZ;

/// Unblocks every signal, and turns a write beyond the limit of file sizes into an error.
///
/// A mask survives `exec`, and supervisors that read signals from a descriptor do start programs
/// with theirs: without SIGCHLD no call would be seen to end before its time limit, and with INT
/// or TERM blocked nothing could be stopped. Guards and programs inherit what is set here. Call
/// it on the first thread before there are others. What cannot be reset stays as it was.
pub fn reset_signals() {
    SigSet::empty().thread_set_mask().ok();
    // Not ignored but caught: an ignored signal would be ignored by every program as well.
    signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false))).ok();
}
