//! Whether a process was started, however indirectly, by a program under one of our guards.
//!
//! A variable says the same ([`DEPTH_VARIABLE`](super::DEPTH_VARIABLE)), and some programs hand on no variable that they do not
//! know. The chain of parents cannot be left out: a guard adopts whatever below it loses its parent. Where it cannot be seen
//! the answer is no: in a process namespace of its own, whose processes see none above it, and for an orphan where guards adopt nobody.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;

use rustix::process::{Pid, getpid};

use super::guard;
use super::platform::Lineage;

/// Most steps from a process to its parent.
const MOST_STEPS: usize = 256;

/// How often the walk begins again after a process on the way ended, so that its own children have another parent now.
const MOST_TRIES: usize = 16;

/// Bytes of a command line that are read: a guard's is shorter.
const LINE_BYTES: usize = 64;

/// The first process of a machine or of a process namespace.
const INIT: i32 = 1;

/// How far a walk up the ancestors came.
enum AncestorWalk {
    /// To the first one that counts.
    Found,
    /// To the first process of the machine.
    Top,
    /// To a process whose parent is outside of what can be seen.
    Edge,
}

/// Tells whether a guard is among the ancestors of this process.
pub fn under_guard() -> bool {
    // A guard of a call that is free of the depth does not count as a level.
    let counts = |argument: &[u8]| argument == guard::ARGUMENT.as_bytes();
    let walk = (0..MOST_TRIES).find_map(|_| walk(getpid(), counts));
    matches!(walk, Some(AncestorWalk::Found))
}

/// Tells whether a guard is among the ancestors of a process; `None`: not all of them can be seen.
pub(super) fn is_guarded(pid: Pid) -> Option<bool> {
    match (0..MOST_TRIES).find_map(|_| walk(pid, |_| true))? {
        AncestorWalk::Found => Some(true),
        AncestorWalk::Top => Some(false),
        AncestorWalk::Edge => None,
    }
}

/// Goes up from a process to the first guard for which `counts` holds; `None`: a process on the way ended meanwhile.
fn walk(from: Pid, counts: impl Fn(&[u8]) -> bool) -> Option<AncestorWalk> {
    let lineage = Lineage::look();
    let mut pid = from;
    for _ in 0..MOST_STEPS {
        match Pid::from_raw(lineage.parent(pid)?) {
            None if pid.as_raw_pid() == INIT => return Some(AncestorWalk::Top),
            None => return Some(AncestorWalk::Edge),
            Some(parent) if is_guard(&lineage, parent, &counts) => {
                return Some(AncestorWalk::Found);
            }
            Some(parent) => pid = parent,
        }
    }
    Some(AncestorWalk::Edge)
}

/// Tells whether a process was started as a guard that counts.
fn is_guard(lineage: &Lineage, pid: Pid, counts: impl Fn(&[u8]) -> bool) -> bool {
    let line = lineage.command(pid, LINE_BYTES);
    let mut arguments = line.split(|byte| *byte == Lineage::SEPARATOR);
    let name = arguments.next();
    let argument = arguments.next().unwrap_or_default();
    name == Some(guard::NAME.as_bytes())
        && guard::is_wanted(OsStr::from_bytes(argument))
        && counts(argument)
}
