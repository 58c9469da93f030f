//! The orchestrator's side of a run.

use std::future::{Future, pending};
use std::io;
use std::time::Duration;

use futures_util::{FutureExt as _, Stream, StreamExt as _};
use rustix::process::{Pid, Signal};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::UnixStream;
use tokio::sync::watch;
use tokio_process_stream::{Item, ProcessChunkStream};

use super::clock::Stopwatch;
use super::orphans::{self, Guards};
use super::start::{StartedGuard, start};
use super::sweep::SweepResult;
use super::wire::{self, Command, EndReport, Exit, KillReason, Report};
use super::{Control, Ending, FAREWELL, Limits, ProcessResult, Sink, Spec};

/// Time beyond its own limits after which a guard counts as hung, and for which outputs are still read after its end.
const SLACK: Duration = Duration::from_secs(2);

/// Runs a program to its end, or ends it at its limits or as `control` demands. When this returns, nothing that the
/// program started is alive, even after a success; [`ProcessResult::unkillable`] counts the exceptions. Dropping the
/// future ends the program too (TERM, grace, KILL), in the background.
///
/// No failure is an error of the caller: each is an [`Ending`].
pub async fn run(
    spec: &Spec,
    mut control: watch::Receiver<Control>,
    sink: &mut dyn Sink,
) -> ProcessResult {
    let watch = Stopwatch::start();
    if !may_start(&mut control).await {
        return unstarted(Ending::Cancelled, &watch);
    }
    let started = match start(spec).await {
        Ok(started) => started,
        Err(error) => {
            let ending = Ending::SpawnFailed {
                not_found: false,
                message: format!("the guard {} did not start: {error}", spec.guard.display()),
            };
            return unstarted(ending, &watch);
        }
    };
    let call = Call::new(spec, started, control, sink);
    call.follow().await
}

/// Waits while the run is paused before its start. Returns whether it may start.
async fn may_start(control: &mut watch::Receiver<Control>) -> bool {
    let not_paused = |control: &Control| !matches!(control, Control::Pause);
    let now = match control.wait_for(not_paused).await {
        Ok(now) => *now,
        // The sender is gone, so the run can no longer be stopped or kept paused.
        Err(_) => Control::Run,
    };
    match now {
        Control::Run | Control::Pause => true,
        Control::Stop | Control::Kill => false,
    }
}

fn unstarted(ending: Ending, watch: &Stopwatch) -> ProcessResult {
    ProcessResult {
        ending,
        survivors_killed: 0,
        unkillable: 0,
        leaked_output: false,
        took: watch.active(),
        stdout_seen: 0,
    }
}

/// A run between the start of its guard and its end.
struct Call<'a> {
    limits: Limits,
    tag: &'a str,
    sink: &'a mut dyn Sink,
    control: watch::Receiver<Control>,
    /// Whether the sender of control still exists.
    controlled: bool,
    guard: Pid,
    chunks: ProcessChunkStream,
    chunks_done: bool,
    socket: UnixStream,
    incoming: Vec<u8>,
    outgoing: Vec<u8>,
    leader: Option<Pid>,
    watch: Stopwatch,
    /// The stopwatch's mark after which a guard that has not reported counts as hung.
    hung_at: Duration,
    hung: bool,
    heard_at: Duration,
    /// When it has to be gone after its last word.
    leaves_at: Option<Duration>,
    stdout_seen: u64,
    stderr_seen: u64,
    /// The reason of our request to end, if there was one.
    asked: Option<Ending>,
    outcome: Option<Outcome>,
}

/// The outcome of the guard's side of a run.
enum Outcome {
    NotStarted { not_found: bool, message: String },
    Ended(EndReport),
    Lost(SweepResult),
}

type Chunk = <ProcessChunkStream as Stream>::Item;

enum GuardEvent {
    Chunk(Option<Chunk>),
    Socket(io::Result<usize>),
    Sent(io::Result<usize>),
    Control(bool),
    Silence,
    Hung,
}

impl<'a> Call<'a> {
    fn new(
        spec: &'a Spec,
        started: StartedGuard,
        control: watch::Receiver<Control>,
        sink: &'a mut dyn Sink,
    ) -> Self {
        let limits = spec.limits;
        Self {
            limits,
            tag: &spec.tag,
            sink,
            control,
            controlled: true,
            guard: started.pid,
            chunks: started.chunks,
            chunks_done: false,
            socket: started.socket,
            incoming: Vec::new(),
            outgoing: started.outgoing,
            leader: None,
            watch: Stopwatch::start(),
            hung_at: limits.timeout + limits.grace + limits.drain + SLACK,
            hung: false,
            heard_at: Duration::ZERO,
            leaves_at: None,
            stdout_seen: 0,
            stderr_seen: 0,
            asked: None,
            outcome: None,
        }
    }

    async fn follow(mut self) -> ProcessResult {
        while self.outcome.is_none() {
            match self.next().await {
                GuardEvent::Chunk(item) => self.take(item),
                GuardEvent::Socket(Ok(count)) if count > 0 => self.read_reports().await,
                GuardEvent::Socket(_) => self.lose_guard().await,
                GuardEvent::Sent(Ok(count)) => self.sent(count),
                // The guard is gone, but its last reports may still be unread.
                GuardEvent::Sent(Err(_)) => self.outgoing.clear(),
                GuardEvent::Control(true) => self.obey(),
                GuardEvent::Control(false) => self.controlled = false,
                GuardEvent::Silence => self.silence(),
                GuardEvent::Hung => {
                    self.hung = true;
                    self.kill_guard();
                    self.hung_at += SLACK;
                }
            }
        }
        self.read_to_the_end().await;
        self.finish()
    }

    fn sent(&mut self, count: usize) {
        drop(self.outgoing.drain(..count));
        if self.outgoing.is_empty() {
            // The prompt is sent, so its memory is released.
            self.outgoing = Vec::new();
        }
    }

    async fn next(&mut self) -> GuardEvent {
        let idle = self.limits.idle.map(|idle| self.heard_at + idle);
        let patience = self.leaves_at.or(idle).filter(|_| self.asked.is_none());
        let silence = alarm(&self.watch, patience);
        let hung = alarm(&self.watch, Some(self.hung_at));
        let (mut reader, mut writer) = self.socket.split();
        tokio::select! {
            item = self.chunks.next(), if !self.chunks_done => GuardEvent::Chunk(item),
            read = reader.read_buf(&mut self.incoming) => GuardEvent::Socket(read),
            sent = writer.write(&self.outgoing), if !self.outgoing.is_empty() => GuardEvent::Sent(sent),
            changed = self.control.changed(), if self.controlled => GuardEvent::Control(changed.is_ok()),
            () = silence => GuardEvent::Silence,
            () = hung => GuardEvent::Hung,
        }
    }

    /// Passes on a chunk, up to the cap.
    fn take(&mut self, item: Option<Chunk>) {
        self.heard_at = self.watch.active();
        match item {
            Some(Item::Stdout(chunk)) => {
                let chunk = self.sink.aside(&chunk);
                let kept = within(self.limits.stdout_bytes, &mut self.stdout_seen, &chunk);
                if !kept.is_empty() {
                    self.sink.stdout(kept);
                }
                if self.leaves_at.is_none() && self.sink.is_complete() {
                    self.leaves_at = Some(self.heard_at + FAREWELL);
                }
                if self.stdout_seen > self.limits.stdout_bytes
                    && self.asked != Some(Ending::OutputLimit)
                {
                    // This replaces any earlier reason, because the output we have is cut.
                    self.ask(Command::Stop, self.limits.grace);
                    self.asked = Some(Ending::OutputLimit);
                }
            }
            Some(Item::Stderr(chunk)) => {
                let kept = within(self.limits.stderr_bytes, &mut self.stderr_seen, &chunk);
                if !kept.is_empty() {
                    self.sink.stderr(kept);
                }
            }
            Some(Item::Done(_)) | None => {
                self.chunks_done = true;
                Guards::lock().remove(self.guard);
            }
        }
    }

    /// Handles the passing of the idle limit, or of the grace after the last word, unless there is output to be read after all: a process that was itself
    /// suspended must not blame the program.
    fn silence(&mut self) {
        if let Some(item) = self.chunks.next().now_or_never().filter(|_| !self.chunks_done) {
            self.take(item);
            if self.leaves_at.is_none() {
                return;
            }
        }
        self.ask(Command::Stop, self.limits.grace);
        let why = if self.leaves_at.is_some() { Ending::Lingering } else { Ending::Idle };
        self.asked.get_or_insert(why);
    }

    fn obey(&mut self) {
        let wanted = *self.control.borrow_and_update();
        match wanted {
            Control::Run if self.watch.paused() => {
                self.watch.resume();
                self.outgoing.push(Command::Resume.byte());
            }
            Control::Pause if !self.watch.paused() && self.asked.is_none() => {
                self.watch.pause();
                self.outgoing.push(Command::Pause.byte());
            }
            Control::Run | Control::Pause => {}
            Control::Stop => {
                self.ask(Command::Stop, self.limits.grace);
                self.asked.get_or_insert(Ending::Cancelled);
            }
            Control::Kill => {
                self.ask(Command::Kill, Duration::ZERO);
                self.asked.get_or_insert(Ending::Cancelled);
            }
        }
    }

    /// Asks the guard to end the program, and allows it `grace`.
    fn ask(&mut self, command: Command, grace: Duration) {
        self.watch.resume();
        self.outgoing.push(command.byte());
        let soon = self.watch.active() + grace + self.limits.drain + SLACK;
        self.hung_at = self.hung_at.min(soon);
    }

    async fn read_reports(&mut self) {
        loop {
            match wire::take_report(&mut self.incoming) {
                Ok(Some(Report::Started { pid })) => self.leader = Pid::from_raw(pid),
                Ok(Some(Report::NotStarted { not_found, message })) => {
                    self.outcome = Some(Outcome::NotStarted { not_found, message });
                }
                Ok(Some(Report::Ended(ended))) => self.outcome = Some(Outcome::Ended(ended)),
                Ok(None) => return,
                Err(_) => {
                    // Not a report of our guard: its messages are no longer trusted.
                    self.kill_guard();
                    return self.lose_guard().await;
                }
            }
        }
    }

    /// Kills the guard, unless its pid was already released.
    fn kill_guard(&self) {
        if !self.chunks_done {
            let _ = rustix::process::kill_process(self.guard, Signal::KILL);
        }
    }

    /// Cleans up in place of a guard that ended without a last report.
    async fn lose_guard(&mut self) {
        let (guard, leader, tag) = (self.guard, self.leader, self.tag.to_owned());
        let swept = tokio::task::spawn_blocking(move || orphans::sweep_after(guard, leader, &tag));
        let swept = swept.await.unwrap_or_default();
        self.outcome = Some(Outcome::Lost(swept));
    }

    /// Reads what is left in the pipes. Every process that could write to them is dead, so this ends at once; the
    /// limit is for a process that could not be killed.
    async fn read_to_the_end(&mut self) {
        let limit = tokio::time::sleep(SLACK);
        tokio::pin!(limit);
        while !self.chunks_done {
            tokio::select! {
                item = self.chunks.next() => self.take(item),
                () = &mut limit => break,
            }
        }
    }

    fn finish(self) -> ProcessResult {
        let cut = self.asked == Some(Ending::OutputLimit);
        let asked = self.asked;
        let own = self.watch.active();
        let (ending, swept, leaked_output, took) = match self.outcome {
            Some(Outcome::NotStarted { not_found, message }) => {
                let failed = Ending::SpawnFailed { not_found, message };
                (asked.unwrap_or(failed), SweepResult::default(), false, own)
            }
            Some(Outcome::Ended(ended)) => {
                let swept =
                    SweepResult { killed: ended.survivors_killed, unkillable: ended.unkillable };
                let ending = match (ended.forced, ended.exit) {
                    _ if cut => Ending::OutputLimit,
                    (Some(KillReason::TimedOut), _) => Ending::TimedOut,
                    (Some(KillReason::Stopped), _) => asked.unwrap_or(Ending::Cancelled),
                    (None, Exit::Code(code)) => Ending::Exited { code },
                    (None, Exit::Signal(signal)) => Ending::Signaled { signal },
                    (None, Exit::Stuck) => Ending::GuardLost,
                };
                (ending, swept, ended.leaked_output, ended.took)
            }
            Some(Outcome::Lost(swept)) => {
                let lost = if self.hung { Ending::TimedOut } else { Ending::GuardLost };
                (asked.unwrap_or(lost), swept, false, own)
            }
            None => (Ending::GuardLost, SweepResult::default(), false, own),
        };
        ProcessResult {
            ending,
            survivors_killed: swept.killed,
            unkillable: swept.unkillable,
            leaked_output,
            took,
            stdout_seen: self.stdout_seen,
        }
    }
}

/// Completes when the stopwatch shows `mark`; never while it is paused or without a mark.
fn alarm(watch: &Stopwatch, mark: Option<Duration>) -> impl Future<Output = ()> + use<> {
    let wait = mark.and_then(|mark| watch.until(mark));
    async move {
        match wait {
            Some(wait) => tokio::time::sleep(wait).await,
            None => pending().await,
        }
    }
}

/// Counts a chunk and returns the part of it that is still within the cap.
fn within<'c>(cap: u64, seen: &mut u64, chunk: &'c [u8]) -> &'c [u8] {
    let room = usize::try_from(cap.saturating_sub(*seen)).unwrap_or(usize::MAX);
    *seen += chunk.len() as u64;
    chunk.get(..room).unwrap_or(chunk)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cap_cuts_the_chunk_that_crosses_it_and_counts_all() {
        let mut seen = 0;
        assert_eq!(within(5, &mut seen, b"abc"), b"abc");
        assert_eq!(within(5, &mut seen, b"def"), b"de");
        assert_eq!(within(5, &mut seen, b"ghi"), b"");
        assert_eq!(seen, 9);
    }
}
