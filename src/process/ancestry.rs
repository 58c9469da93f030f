//! Whether this process was started, however indirectly, by a program under one of our guards.
//!
//! A variable says the same ([`DEPTH_VARIABLE`](super::DEPTH_VARIABLE)), and some programs hand on no variable that they do not
//! know. The chain of parents cannot be left out: a guard adopts whatever below it loses its parent. Where it cannot be seen
//! the answer is no: on systems without `/proc`, and in a process namespace of its own, whose processes see none above it.

/// Most steps from a process to its parent.
const MOST_STEPS: usize = 256;

/// How often the walk begins again after a process on the way ended, so that its own children have another parent now.
const MOST_TRIES: usize = 16;

/// Tells whether a guard is among the ancestors of this process.
pub fn under_guard() -> bool {
    #[cfg(target_os = "linux")]
    {
        linux::under_guard()
    }
    #[cfg(not(target_os = "linux"))]
    {
        false
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use std::fs::File;
    use std::io::Read as _;

    use rustix::process::{Pid, getpid};

    use super::{MOST_STEPS, MOST_TRIES};
    use crate::process::guard;
    use crate::process::table::Process;

    /// Bytes of a command line that are read: a guard's is shorter.
    const LINE_BYTES: u64 = 64;

    pub(super) fn under_guard() -> bool {
        (0..MOST_TRIES).find_map(|_| walk()).unwrap_or(false)
    }

    /// Goes up once; `None`: a process on the way ended meanwhile.
    fn walk() -> Option<bool> {
        let mut pid = getpid();
        for _ in 0..MOST_STEPS {
            let parent = Process::of(pid)?.parent;
            match Pid::from_raw(parent) {
                // The first process of the machine, or of what can be seen of it.
                None => return Some(false),
                Some(parent) if is_guard(parent) => return Some(true),
                Some(parent) => pid = parent,
            }
        }
        Some(false)
    }

    /// Tells whether a process was started as a guard. One whose command line cannot be read is none: ours can.
    fn is_guard(pid: Pid) -> bool {
        let mut line = Vec::new();
        let read = File::open(format!("/proc/{}/cmdline", pid.as_raw_pid()))
            .and_then(|file| file.take(LINE_BYTES).read_to_end(&mut line));
        let mut arguments = line.split(|byte| *byte == 0);
        read.is_ok()
            && arguments.next() == Some(guard::NAME.as_bytes())
            && arguments.next() == Some(guard::ARGUMENT.as_bytes())
    }
}
