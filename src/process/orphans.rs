//! The second line: what the orchestrator does when a guard itself dies (killed with -9, or
//! by the kernel for want of memory).
//!
//! The program then goes on, an orphan. Its session is still the dead guard's, its tag is still
//! in its environment, and when the orchestrator is a subreaper (Linux), whatever shed both has
//! become the orchestrator's own child. All three are looked for. Without a guard there is no
//! proof that nobody is left, so this is the second line and not the first.
//!
//! The third line is the next start of this program: where orchestrator and guard were killed at
//! once, what they left still carries a mark, and has no guard above it any more.

use std::collections::BTreeSet;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use rustix::process::{Pid, Signal, WaitOptions};

use super::ancestry::is_guarded;
use super::sweep::{Family, SWEEP_LIMIT, SweepResult, sweep, wait_for_deaths};
use super::table::{Process, Table};
use super::{TAG_VARIABLE, platform, tag_entry};

static SUBREAPER: AtomicBool = AtomicBool::new(false);
static GUARDS: Mutex<BTreeSet<i32>> = Mutex::new(BTreeSet::new());

/// Makes this process inherit what a dead guard leaves behind (Linux; elsewhere it does nothing).
///
/// Call it once, at the start of a program that starts children through [`run`](super::run())
/// only: from then on any other child of this process is taken for such a leftover, and killed
/// when a guard is lost.
pub fn become_subreaper() -> io::Result<()> {
    platform::become_subreaper()?;
    SUBREAPER.store(platform::ADOPTS, Ordering::Relaxed);
    Ok(())
}

/// The guards of this process. Held while one is started, so that no clean-up ever sees a guard
/// that is not in it.
pub(super) struct Guards(MutexGuard<'static, BTreeSet<i32>>);

impl Guards {
    pub(super) fn lock() -> Self {
        Self(GUARDS.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) fn add(&mut self, guard: Pid) {
        self.0.insert(guard.as_raw_pid());
    }

    /// Forgets a guard that was reaped.
    pub(super) fn remove(&mut self, guard: Pid) {
        self.0.remove(&guard.as_raw_pid());
    }

    /// Returns the children of this process that are no guards: orphans that came to us.
    fn orphans<'t>(&self, table: &'t Table) -> impl Iterator<Item = &'t Process> {
        let adopts = SUBREAPER.load(Ordering::Relaxed);
        (table.children(rustix::process::getpid()))
            .filter(move |child| adopts && !self.0.contains(&child.pid.as_raw_pid()))
    }
}

/// Kills everything that a dead guard's program and its descendants left. The guard must not
/// have been reaped: its pid names the session.
pub(super) fn sweep_after(guard: Pid, leader: Option<Pid>, tag: &str) -> SweepResult {
    // Its socket closes a moment before its children are handed on: wait for its very end.
    if let Some(process) = Table::look().get(guard).filter(Process::alive) {
        let handles: Vec<_> = process.handle().into_iter().collect();
        wait_for_deaths(&handles, Instant::now() + SWEEP_LIMIT);
    }
    if let Some(leader) = leader.filter(|_| Table::look().is_empty()) {
        // No table to find anybody in: the group, by its number, at once.
        let _ = rustix::process::kill_process_group(leader, Signal::KILL);
    }
    let entry = tag_entry(tag);
    sweep(
        || {
            let guards = Guards::lock();
            let table = Table::look();
            let orphans: BTreeSet<i32> =
                (guards.orphans(&table)).map(|process| process.pid.as_raw_pid()).collect();
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

/// Kills what earlier runs left whose orchestrator and guard were killed at once, so that nobody
/// was there to do it then. Returns how many processes that were. Linux only, elsewhere 0: where a guard adopts nobody, an orphan
/// of a call that goes on looks the same.
///
/// They are known by the mark of a call in their environment, and by having no guard among their
/// ancestors. Whoever's ancestors cannot all be seen is left alone. So is everything if this
/// process carries a mark itself: it is then below an agent, and its own ancestors carry it too.
pub fn sweep_abandoned() -> u32 {
    if !platform::ADOPTS || platform::this().is_none_or(|me| me.is_marked(TAG_VARIABLE)) {
        return 0;
    }
    let abandoned = || {
        let table = Table::look();
        let abandoned: BTreeSet<i32> = (table.marked(TAG_VARIABLE).into_iter())
            .filter(|process| is_guarded(process.pid) == Some(false))
            .map(|process| process.pid.as_raw_pid())
            .collect();
        let tree = table.trees(|process| abandoned.contains(&process.pid.as_raw_pid()));
        Family { tree, tagged: Vec::new() }
    };
    sweep(abandoned, || false).killed
}
