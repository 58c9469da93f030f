//! The guard's loop: waits for the program, the owner and the clock, and ends what remains.

use std::io::{Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::{Child, ChildStdin};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, WaitOptions};

use super::spawn::Signals;
use crate::process::clock::Stopwatch;
use crate::process::platform::only_child;
use crate::process::sweep::{Family, SWEEP_LIMIT, SweepResult, sweep, timespec};
use crate::process::table::{Process, Table};
use crate::process::tag_entry;
use crate::process::wire::{self, Command, EndReport, Exit, KillReason, Report, Request};

/// Interval between looks at the process table where deaths are not reported.
const LOOK_AGAIN: Duration = Duration::from_millis(20);

/// The phase of the program's life. Marks are active time of the stopwatch.
#[derive(Debug, Clone, Copy)]
enum Phase {
    Running,
    /// TERM was sent; KILL follows at the mark.
    Terminating {
        kill_at: Duration,
    },
    /// KILL was sent; after the mark the guard no longer waits for the program's end.
    Killed {
        give_up_at: Duration,
    },
}

/// One program under a guard.
#[derive(Debug)]
pub(super) struct Run {
    request: Request,
    prompt: Vec<u8>,
    written: usize,
    stdin: Option<ChildStdin>,
    child: Child,
    leader: Pid,
    /// `None` once the owner is gone.
    owner: Option<UnixStream>,
    signals: Signals,
    /// The program's output pipes, numbered as in `/proc`.
    outputs: Vec<u64>,
    watch: Stopwatch,
    phase: Phase,
    forced: Option<KillReason>,
    /// Whether an end was requested after the program's own end.
    hurry: bool,
}

impl Run {
    pub(super) fn new(
        request: Request,
        prompt: Vec<u8>,
        mut child: Child,
        owner: UnixStream,
        signals: Signals,
        outputs: Vec<u64>,
    ) -> std::io::Result<Self> {
        let stdin = child.stdin.take();
        if let Some(stdin) = &stdin {
            rustix::io::ioctl_fionbio(stdin, true)?;
        }
        Ok(Self {
            leader: Pid::from_child(&child),
            request,
            prompt,
            written: 0,
            stdin,
            child,
            owner: Some(owner),
            signals,
            outputs,
            watch: Stopwatch::start(),
            phase: Phase::Running,
            forced: None,
            hurry: false,
        })
    }

    /// Supervises the program until nothing of it remains, and reports.
    pub(super) fn supervise(mut self) {
        let pid = self.leader.as_raw_pid();
        self.report(&Report::Started { pid });
        self.feed();
        let exit = self.until_exit();
        let leaked_output = self.drain();
        let swept = self.sweep();
        super::remove(self.request.scratch.as_deref());
        self.report(&Report::Ended(EndReport {
            exit,
            forced: self.forced,
            survivors_killed: swept.killed,
            unkillable: swept.unkillable,
            leaked_output,
            took: self.watch.active(),
        }));
    }

    /// Sends a report to the owner. A failure is ignored: an owner that is gone is detected by the end of file.
    fn report(&self, report: &Report) {
        if let Some(owner) = &self.owner {
            drop(wire::send(&mut &*owner, report));
        }
    }

    fn until_exit(&mut self) -> Exit {
        loop {
            if let Some(exit) = self.exit() {
                return exit;
            }
            let due = |mark| self.watch.until(mark) == Some(Duration::ZERO);
            match self.phase {
                Phase::Running if due(self.request.limits.timeout) => {
                    self.terminate(KillReason::TimedOut);
                }
                Phase::Running => self.wait(self.request.limits.timeout, &[]),
                Phase::Terminating { kill_at } if due(kill_at) => self.kill(),
                Phase::Terminating { kill_at } => self.wait(kill_at, &[]),
                Phase::Killed { give_up_at } if due(give_up_at) => return Exit::Stuck,
                Phase::Killed { give_up_at } => self.wait(give_up_at, &[]),
            }
        }
    }

    /// Returns how the program ended, without releasing its pid; `None` while it runs.
    fn exit(&self) -> Option<Exit> {
        let look = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
        match rustix::process::waitid(WaitId::Pid(self.leader), look) {
            Ok(status) => status.map(|status| {
                (status.exit_status().map(Exit::Code))
                    .or_else(|| status.terminating_signal().map(Exit::Signal))
                    .unwrap_or(Exit::Stuck)
            }),
            Err(rustix::io::Errno::INTR) => None,
            Err(_) => Some(Exit::Stuck),
        }
    }

    /// After the program's exit, gives its descendants the drain window: those that can still write to its outputs
    /// or, if the program was asked to end, all of them. Returns whether an output was still open at the end of the
    /// window.
    fn drain(&mut self) -> bool {
        if only_child(self.leader) {
            // The usual end, without a look at every process of the machine.
            return false;
        }
        let now = self.watch.active();
        let window = now + self.request.limits.drain;
        let mark = match self.phase {
            Phase::Running => window,
            Phase::Terminating { kill_at } => kill_at.min(window),
            Phase::Killed { .. } => now,
        };
        loop {
            let table = Table::look();
            let living = descendants(&table);
            let holders: Vec<Process> = (living.iter().copied())
                .filter(|process| process.has_open(&self.outputs))
                .collect();
            let awaited = if self.forced.is_some() { &living } else { &holders };
            if awaited.is_empty() && !self.group_lives_unseen(&table) {
                return false;
            }
            if self.hurry || self.watch.until(mark) == Some(Duration::ZERO) {
                return !holders.is_empty();
            }
            let handles: Vec<OwnedFd> = awaited.iter().filter_map(Process::handle).collect();
            if handles.is_empty() || handles.len() < awaited.len() {
                // Their deaths are not reported, so the next look detects them. The guard's own child is not one of
                // them.
                empty(&self.signals.child);
                self.wait(mark.min(self.watch.active() + LOOK_AGAIN), &handles);
            } else {
                self.wait(mark, &handles);
            }
        }
    }

    /// Returns whether the program's group has live members, for systems without a process table.
    fn group_lives_unseen(&self, table: &Table) -> bool {
        table.is_empty() && rustix::process::test_kill_process_group(self.leader).is_ok()
    }

    /// Kills what remains and releases the program's pid.
    fn sweep(&mut self) -> SweepResult {
        let tag = tag_entry(&self.request.tag);
        let leader = self.leader;
        let child = &mut self.child;
        let mut held = true;
        sweep(
            || family(&tag),
            || {
                if held {
                    // Fails if only the dead leader is left in the group.
                    let _ = rustix::process::kill_process_group(leader, Signal::KILL);
                    held = matches!(child.try_wait(), Ok(None));
                }
                loop {
                    match rustix::process::wait(WaitOptions::NOHANG) {
                        Ok(Some((pid, _))) => held &= pid != leader,
                        Ok(None) => return true,
                        Err(rustix::io::Errno::INTR) => {}
                        Err(_) => return false,
                    }
                }
            },
        )
    }

    /// Waits for an event, at most until the stopwatch shows `mark`, and handles it.
    fn wait(&mut self, mark: Duration, deaths: &[OwnedFd]) {
        let mut for_what = vec![
            PollFd::new(&self.signals.child, PollFlags::IN),
            PollFd::new(&self.signals.stop, PollFlags::IN),
        ];
        let owner_at = for_what.len();
        for_what.extend(self.owner.iter().map(|it| PollFd::new(it, PollFlags::IN)));
        let stdin_at = for_what.len();
        for_what.extend(self.stdin.iter().map(|it| PollFd::new(it, PollFlags::OUT)));
        let deaths_at = for_what.len();
        for_what.extend(deaths.iter().map(|it| PollFd::new(it, PollFlags::IN)));
        let timeout = self.watch.until(mark);
        if poll(&mut for_what, timeout.map(timespec).as_ref()).is_err() {
            return;
        }
        let ready: Vec<bool> = for_what.iter().map(|fd| !fd.revents().is_empty()).collect();
        let is_ready =
            |at: usize, end: usize| ready.get(at..end).is_some_and(|it| it.contains(&true));
        let (stop, owner, stdin) =
            (is_ready(1, 2), is_ready(owner_at, stdin_at), is_ready(stdin_at, deaths_at));
        drop(for_what);
        empty(&self.signals.child);
        if stop {
            empty(&self.signals.stop);
            self.terminate(KillReason::Stopped);
        }
        if owner {
            self.listen();
        }
        if stdin {
            self.feed();
        }
    }

    /// Reads the owner's commands; the end of file is one too.
    fn listen(&mut self) {
        let mut bytes = [0; 64];
        let Some(owner) = &self.owner else { return };
        match (&*owner).read(&mut bytes) {
            Ok(count) if count > 0 => {
                for command in bytes.iter().take(count).copied().filter_map(Command::of) {
                    match command {
                        Command::Stop => self.terminate(KillReason::Stopped),
                        Command::Kill => self.kill_on_request(),
                        Command::Pause => self.pause(),
                        Command::Resume => self.resume(),
                    }
                }
            }
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {}
            Ok(_) | Err(_) => {
                self.owner = None;
                self.terminate(KillReason::Stopped);
            }
        }
    }

    /// Writes as much of the prompt to the program as it accepts now, and closes the pipe after the last byte. A
    /// program that closes the pipe early has read all it wanted, which is not an error.
    fn feed(&mut self) {
        let Some(stdin) = &mut self.stdin else { return };
        while let Some(rest) = self.prompt.get(self.written..).filter(|it| !it.is_empty()) {
            match stdin.write(rest) {
                Ok(count) if count > 0 => self.written += count,
                Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => return,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Ok(_) | Err(_) => break,
            }
        }
        self.stdin = None;
        self.prompt = Vec::new();
        self.written = 0;
    }

    /// Asks the program to end. A program that ended by itself a moment ago keeps its own ending.
    fn terminate(&mut self, why: KillReason) {
        if self.exit().is_some() {
            self.hurry = true;
            return;
        }
        if matches!(self.phase, Phase::Running) {
            self.forced = Some(why);
            self.signal_all(Signal::TERM);
            // A stopped process receives TERM only after it continues.
            self.resume();
            self.signal_all(Signal::CONT);
            let kill_at = self.watch.active() + self.request.limits.grace;
            self.phase = Phase::Terminating { kill_at };
        }
    }

    fn kill_on_request(&mut self) {
        if self.exit().is_none() {
            self.forced.get_or_insert(KillReason::Stopped);
            self.watch.resume();
            self.kill();
        }
        self.hurry = true;
    }

    fn kill(&mut self) {
        self.signal_all(Signal::KILL);
        let give_up_at = self.watch.active() + SWEEP_LIMIT;
        self.phase = Phase::Killed { give_up_at };
    }

    fn pause(&mut self) {
        if matches!(self.phase, Phase::Running) && !self.watch.paused() {
            self.watch.pause();
            // A process forked during one look is caught by the next.
            for _ in 0..3 {
                self.signal_all(Signal::STOP);
                let family = descendants(&Table::look());
                if family.iter().all(Process::stopped) {
                    break;
                }
            }
        }
    }

    fn resume(&mut self) {
        if self.watch.paused() {
            self.watch.resume();
            self.signal_all(Signal::CONT);
        }
    }

    /// Signals the program's group in one call, and then each descendant outside the group. The group has belonged to
    /// the program since before it ran, and its pid is still reserved.
    fn signal_all(&self, signal: Signal) {
        let _ = rustix::process::kill_process_group(self.leader, signal);
        let group = self.leader.as_raw_pid();
        for process in descendants(&Table::look()) {
            if process.group != group {
                // Another user's process, or already gone: the sweep counts those that cannot be killed.
                drop(process.signal(signal));
            }
        }
    }
}

/// Returns every live process that descends from the guard or belongs to its session.
fn descendants(table: &Table) -> Vec<Process> {
    let guard = rustix::process::getpid();
    table.trees(|process| {
        let raw = guard.as_raw_pid();
        process.pid != guard && (process.parent == raw || process.session == raw)
    })
}

fn family(tag: &str) -> Family {
    let table = Table::look();
    let tree = descendants(&table);
    let tagged = table.tagged(tag, &tree);
    Family { tree, tagged }
}

fn empty(mut stream: &UnixStream) {
    let mut bytes = [0; 256];
    while matches!(stream.read(&mut bytes), Ok(count) if count > 0) {}
}
