//! Checks whether a process was started, however indirectly, by a program under one of our guards.
//!
//! The variable [`DEPTH_VARIABLE`](super::DEPTH_VARIABLE) reports the same, but some programs do not pass on
//! variables they do not know. The chain of parents cannot be escaped: a guard adopts every process below it that
//! loses its parent. Where the chain cannot be seen, the answer is no: inside a separate process namespace, whose
//! processes see nothing above it, and for an orphan on systems where guards do not adopt.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;

use rustix::process::{Pid, getpid};

use super::guard;
use super::platform::Lineage;

/// Maximum number of steps from a process to its parent.
const MOST_STEPS: usize = 256;

/// Maximum number of walks. A walk starts over when a process on the way ends, because its children then have a new
/// parent.
const MOST_TRIES: usize = 16;

/// Bytes of a command line that are read: a guard's own is shorter.
const LINE_BYTES: usize = 64;

const INIT: i32 = 1;

enum AncestorWalk {
    /// A guard that counts was found.
    Found,
    /// The walk reached the first process of the machine.
    Top,
    /// The walk reached a process whose parent cannot be seen.
    Edge,
}

/// Returns whether a guard that counts as a level of debates is among the ancestors of this process.
pub fn under_guard() -> bool {
    // The guard of a call without depth ([`guard::FREE_ARGUMENT`]) is not a level.
    let counts = |argument: &[u8]| argument == guard::ARGUMENT.as_bytes();
    let walk = (0..MOST_TRIES).find_map(|_| walk(getpid(), counts));
    matches!(walk, Some(AncestorWalk::Found))
}

/// Returns whether any guard is among the ancestors of a process; `None` if not all of them can be seen.
pub(super) fn is_guarded(pid: Pid) -> Option<bool> {
    match (0..MOST_TRIES).find_map(|_| walk(pid, |_| true))? {
        AncestorWalk::Found => Some(true),
        AncestorWalk::Top => Some(false),
        AncestorWalk::Edge => None,
    }
}

/// Walks up from a process to the first guard accepted by `counts`; `None` if a process on the way ended meanwhile.
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

/// Returns whether a process was started as a guard accepted by `counts`.
fn is_guard(lineage: &Lineage, pid: Pid, counts: impl Fn(&[u8]) -> bool) -> bool {
    let line = lineage.command(pid, LINE_BYTES);
    let mut arguments = line.split(|byte| *byte == Lineage::SEPARATOR);
    let name = arguments.next();
    let argument = arguments.next().unwrap_or_default();
    name == Some(guard::NAME.as_bytes())
        && guard::is_wanted(OsStr::from_bytes(argument))
        && counts(argument)
}
