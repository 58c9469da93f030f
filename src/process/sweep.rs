//! Ends what a program left behind, and proves it.
//!
//! The processes of a call are found in three ways, because each has a gap: by descent (a subreaper adopts every
//! orphan, whatever it did to its session or environment), by session, and by the call's tag in the environment (for
//! processes started by another one on the program's behalf). A look at the process table is never atomic, so it is
//! repeated. On Linux the end is certain: a subreaper without children has no descendants.

use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal};

use super::platform;
use super::table::Process;
use crate::ordered::{BTreeSet, Gather};

/// Maximum duration of a sweep. KILL works at once; only a process inside an uninterruptible call (a dead disk) or of
/// another user is left after it.
pub(super) const SWEEP_LIMIT: Duration = Duration::from_secs(1);

/// The live processes of one call.
#[derive(Debug, Default)]
pub(super) struct Family {
    /// Processes found by descent or session.
    pub(super) tree: Vec<Process>,
    /// Other processes that carry the call's tag.
    pub(super) tagged: Vec<Process>,
}

impl Family {
    fn members(&self) -> impl Iterator<Item = &Process> {
        self.tree.iter().chain(&self.tagged)
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct SweepResult {
    pub(super) killed: u32,
    /// Number of processes that could not be killed.
    pub(super) unkillable: u32,
}

/// Kills what `find` finds until it finds nothing and `reap`, called after each round, reports that no child is left.
pub(super) fn sweep(find: impl Fn() -> Family, mut reap: impl FnMut() -> bool) -> SweepResult {
    let deadline = Instant::now() + SWEEP_LIMIT;
    let mut killed = BTreeSet::new();
    let mut first = true;
    loop {
        let family = find();
        let mut handles = Vec::new();
        for process in family.members() {
            let handle = process.handle();
            if process.signal(Signal::KILL).unwrap_or(false) {
                killed.insert((process.pid.as_raw_pid(), process.start));
                handles.extend(handle);
            }
        }
        if !first {
            kill_groups(&family.tree);
        }
        first = false;
        if handles.is_empty() && !family.tree.is_empty() {
            std::thread::sleep(Duration::from_millis(2));
        }
        wait_for_deaths(&handles, deadline);
        let children_left = reap();
        let nobody = family.members().next().is_none();
        if nobody && !children_left {
            break;
        }
        if Instant::now() >= deadline {
            let left = find();
            return SweepResult {
                killed: count(killed.len().saturating_sub(left.members().count())),
                unkillable: count(left.members().count()),
            };
        }
    }
    SweepResult { killed: count(killed.len()), unkillable: 0 }
}

/// Kills whole groups: a process that forks and exits faster than we look is caught only together with its group, in
/// one call. This is safe for other processes: a group never spans sessions, and these sessions were made by
/// descendants, or by the guard, whose own group is left out.
///
/// Our own group and session come from the table too: in a container they may have been made outside of it, and the
/// system calls then return 0 for them, which `rustix` considers impossible.
fn kill_groups(tree: &[Process]) {
    let Some(own) = platform::this() else { return };
    let leads = own.session == own.pid.as_raw_pid();
    let groups: BTreeSet<i32> = (tree.iter())
        .filter(|process| leads || process.session != own.session)
        .map(|process| process.group)
        .filter(|group| *group > 1 && *group != own.group)
        .gather();
    for group in groups.into_iter().filter_map(Pid::from_raw) {
        // Most likely already gone; the next look decides.
        let _ = rustix::process::kill_process_group(group, Signal::KILL);
    }
}

/// Waits until each process is dead, at most until the deadline.
pub(super) fn wait_for_deaths(handles: &[OwnedFd], deadline: Instant) {
    for handle in handles {
        loop {
            let mut poll_for = [PollFd::new(handle, PollFlags::IN)];
            let left = deadline.saturating_duration_since(Instant::now());
            match poll(&mut poll_for, Some(&timespec(left))) {
                Err(rustix::io::Errno::INTR) => {}
                Ok(_) | Err(_) => break,
            }
        }
    }
}

pub(super) fn timespec(wait: Duration) -> Timespec {
    Timespec {
        tv_sec: i64::try_from(wait.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: wait.subsec_nanos().into(),
    }
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
