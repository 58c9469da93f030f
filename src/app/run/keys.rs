//! Keys of a person who watches a run at a terminal.
//!
//! Only line editing and echo are switched off, so Ctrl-C and Ctrl-Z stay signals. The terminal is as before whenever
//! this process ends or is suspended, except by a KILL.

use std::convert::Infallible;
use std::io;
use std::mem;
use std::os::fd::{AsFd as _, OwnedFd};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::Signal;
use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};

use crate::engine::bus::Bus;
use crate::engine::events::EventKind;
use crate::engine::switch::Switch;
use crate::kernel::{Fact, Stop};
use crate::process::Control;
use crate::report::look::is_in_front;

/// How often a terminal is looked at.
pub(crate) const PAUSE: Duration = Duration::from_millis(100);

/// What `?` says.
const HELP: &str = "keys: s stops after this step, p pauses, 1 to 9 show or hide the words of that row, \
                    Ctrl-C stops now";

/// Whether a terminal has something to read, or was closed.
pub(crate) fn is_readable(terminal: &OwnedFd) -> io::Result<bool> {
    let mut watched = [PollFd::new(terminal, PollFlags::IN)];
    match poll(&mut watched, Some(&Timespec { tv_sec: 0, tv_nsec: 0 })) {
        Err(Errno::INTR) => Ok(false),
        ready => Ok(ready? > 0),
    }
}

/// A terminal whose keys are read one by one.
#[derive(Debug)]
pub(super) struct Keys {
    terminal: OwnedFd,
    before: Termios,
}

impl Keys {
    /// Begins to read standard input by keys; `None` if it is no terminal, or another job's.
    pub(super) fn open() -> Option<Self> {
        let terminal = io::stdin().as_fd().try_clone_to_owned().ok()?;
        let before = tcgetattr(&terminal).ok()?;
        let keys = Self { terminal, before };
        keys.is_ours().then(|| keys.listen())?;
        Some(keys)
    }

    /// Whether this is the job that the terminal serves: the kernel stops any other that reads or changes it.
    fn is_ours(&self) -> bool {
        is_in_front(&self.terminal) == Some(true)
    }

    fn set(&self, modes: &Termios) {
        if self.is_ours() {
            // If it fails, keys need a line end.
            tcsetattr(&self.terminal, OptionalActions::Now, modes).ok();
        }
    }

    /// Switches line editing and echo off.
    pub(super) fn listen(&self) {
        let mut raw = self.before.clone();
        raw.local_modes -= LocalModes::ICANON | LocalModes::ECHO;
        self.set(&raw);
    }

    /// Leaves the terminal as it was.
    pub(super) fn restore(&self) {
        self.set(&self.before);
    }

    /// Obeys keys for as long as it is polled.
    pub(super) async fn obey(&self, switch: &Switch, bus: &Bus) -> Infallible {
        let say = |message: &str| {
            let data = serde_json::Value::Null;
            bus.emit(EventKind::Found(Fact::new("key", None, message, data)));
        };
        let (mut bytes, mut is_behind) = ([0; 16], false);
        loop {
            tokio::time::sleep(PAUSE).await;
            if !self.is_ours() {
                is_behind = true;
                continue;
            }
            if mem::take(&mut is_behind) {
                self.listen();
            }
            match is_readable(&self.terminal) {
                Ok(true) => {}
                Ok(false) => continue,
                Err(_) => break,
            }
            let Ok(count @ 1..) = rustix::io::read(&self.terminal, &mut bytes) else { break };
            for byte in &bytes[..count] {
                match byte {
                    b's' => {
                        switch.stop_after_step(Stop::Cancelled(Signal::INT.as_raw()));
                        say("stops after this step; what was answered is kept");
                    }
                    b'p' => {
                        let pauses = *switch.listen().borrow() == Control::Run;
                        switch.pause(pauses);
                        say(if pauses { "paused: p continues" } else { "continues" });
                    }
                    b'1'..=b'9' => bus.choose(usize::from(byte - b'0')),
                    b'?' => say(HELP),
                    _ => {}
                }
            }
        }
        std::future::pending().await
    }
}

impl Drop for Keys {
    fn drop(&mut self) {
        self.restore();
    }
}
