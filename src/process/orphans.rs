//! The second line of defence: the orchestrator's clean-up after a guard itself dies (killed with -9, or by the
//! kernel when out of memory).
//!
//! The program then continues as an orphan. Its session is still the dead guard's, its tag is still in its
//! environment, and if the orchestrator is a subreaper (Linux), every process that shed both has become the
//! orchestrator's own child. The clean-up looks for all three. Without a guard there is no proof that no process is
//! left, so this is the second line and not the first.
//!
//! The third line is the next start of this program: if orchestrator and guard were killed at once, their leftovers
//! still carry a mark and no longer have a guard above them.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use rustix::process::{Pid, Signal, WaitOptions};

use super::ancestry::is_guarded;
use super::sweep::{Family, SWEEP_LIMIT, SweepResult, sweep, wait_for_deaths};
use super::table::{Process, Table};
use super::{TAG_VARIABLE, platform, tag_entry};
use crate::ordered::{BTreeSet, Gather};

static SUBREAPER: AtomicBool = AtomicBool::new(false);
static GUARDS: Mutex<BTreeSet<i32>> = Mutex::new(BTreeSet::new());

/// Makes this process inherit what a dead guard leaves behind (Linux; does nothing elsewhere).
///
/// Call it once, at the start of a program that starts children through [`run`](super::run()) only: from then on any
/// other child of this process counts as such a leftover, and is killed when a guard is lost.
pub fn become_subreaper() -> io::Result<()> {
    platform::become_subreaper()?;
    SUBREAPER.store(platform::ADOPTS, Ordering::Relaxed);
    Ok(())
}

/// The guards of this process. Locked while one is started, so that no clean-up sees a guard that is not in the set.
pub(super) struct Guards(MutexGuard<'static, BTreeSet<i32>>);

impl Guards {
    pub(super) fn lock() -> Self {
        Self(GUARDS.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) fn add(&mut self, guard: Pid) {
        self.0.insert(guard.as_raw_pid());
    }

    pub(super) fn remove(&mut self, guard: Pid) {
        self.0.remove(&guard.as_raw_pid());
    }

    /// Returns the children of this process that are not guards: adopted orphans.
    fn orphans<'t>(&self, table: &'t Table) -> impl Iterator<Item = &'t Process> {
        let adopts = SUBREAPER.load(Ordering::Relaxed);
        (table.children(rustix::process::getpid()))
            .filter(move |child| adopts && !self.0.contains(&child.pid.as_raw_pid()))
    }
}

/// Kills everything left by a dead guard's program and its descendants. The guard must not have been reaped yet: its
/// pid names the session.
pub(super) fn sweep_after(guard: Pid, leader: Option<Pid>, tag: &str) -> SweepResult {
    // The guard's socket closes a moment before its children are adopted, so wait for its actual end.
    if let Some(process) = Table::look().get(guard).filter(Process::alive) {
        let handles: Vec<_> = process.handle().into_iter().collect();
        wait_for_deaths(&handles, Instant::now() + SWEEP_LIMIT);
    }
    if let Some(leader) = leader.filter(|_| Table::look().is_empty()) {
        // Without a process table: the program's group, by its number, at once.
        let _ = rustix::process::kill_process_group(leader, Signal::KILL);
    }
    let entry = tag_entry(tag);
    sweep(
        || {
            let guards = Guards::lock();
            let table = Table::look();
            let orphans: BTreeSet<i32> =
                (guards.orphans(&table)).map(|process| process.pid.as_raw_pid()).gather();
            let tree = table.trees(|process| {
                process.session == guard.as_raw_pid() && process.pid != guard
                    || orphans.contains(&process.pid.as_raw_pid())
            });
            let tagged = table.tagged(&entry, &tree);
            Family { tree, tagged }
        },
        || {
            let guards = Guards::lock();
            let table = Table::look();
            // By number: waiting for any child would take the guards from tokio.
            for orphan in guards.orphans(&table).filter(|process| !process.alive()) {
                let _ = rustix::process::waitpid(Some(orphan.pid), WaitOptions::NOHANG);
            }
            false
        },
    )
}

/// Kills the leftovers of earlier runs whose orchestrator and guard were killed at once, and returns the number of
/// processes. Linux only, 0 elsewhere: where guards do not adopt, an orphan of a call in progress looks the same.
///
/// Leftovers carry the mark of a call in their environment and have no guard among their ancestors. A process whose
/// ancestors cannot all be seen is left alone. So is everything if this process carries a mark itself: it then runs
/// below an agent, and its own ancestors carry the mark too.
pub fn sweep_abandoned() -> u32 {
    if !platform::ADOPTS || platform::this().is_none_or(|me| me.is_marked(TAG_VARIABLE)) {
        return 0;
    }
    let abandoned = || {
        let table = Table::look();
        let abandoned: BTreeSet<i32> = (table.marked(TAG_VARIABLE).into_iter())
            .filter(|process| is_guarded(process.pid) == Some(false))
            .map(|process| process.pid.as_raw_pid())
            .gather();
        let tree = table.trees(|process| abandoned.contains(&process.pid.as_raw_pid()));
        Family { tree, tagged: Vec::new() }
    };
    sweep(abandoned, || false).killed
}
