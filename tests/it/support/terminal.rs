//! A person at a pseudo-terminal: their view of the screen, and their input.
#![cfg(target_os = "linux")]

use std::fs::File;
use std::io::{PipeReader, PipeWriter, Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::{Mode, OFlags};
use rustix::process::{Pid, Signal, kill_process};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, Winsize, tcgetattr, tcsetwinsize};

use super::live::until;
use super::{Run, Sandbox};

/// The program at a pseudo-terminal; its result goes to a pipe.
pub(crate) struct Terminal {
    child: Child,
    keys: File,
    seen: Arc<Mutex<String>>,
    screen: JoinHandle<()>,
    /// As long as this is open, the screen is watched.
    watched: PipeWriter,
}

impl Terminal {
    /// Starts the program at a new terminal that does not report its width.
    pub(crate) fn start(sandbox: &Sandbox, args: &[&str]) -> Self {
        Self::of_width(0, sandbox, args)
    }

    /// Starts the program at a new terminal with this many columns.
    pub(crate) fn of_width(columns: u16, sandbox: &Sandbox, args: &[&str]) -> Self {
        Self::of(columns, sandbox.command(args))
    }

    /// Starts the program as a shell does: the terminal is its own, and sends it its keys.
    pub(crate) fn controlling(sandbox: &Sandbox, args: &[&str]) -> Self {
        Self::within(&[], sandbox, args)
    }

    /// Starts a shell whose script starts the program, `"$0" "$@"`, as a job.
    pub(crate) fn job(script: &str, sandbox: &Sandbox, args: &[&str]) -> Self {
        Self::within(&["/bin/bash", "-c", &format!("set -m; {script}")], sandbox, args)
    }

    #[expect(clippy::disallowed_methods, reason = "tests start the program itself")]
    fn within(shell: &[&str], sandbox: &Sandbox, args: &[&str]) -> Self {
        let inner = sandbox.command(args);
        let mut outer = Command::new("setsid");
        outer.arg("--ctty").args(shell).arg(inner.get_program()).args(inner.get_args());
        outer.env_clear().envs(sandbox.vars()).current_dir(sandbox.project());
        outer.stdout(Stdio::piped());
        Self::of(100, outer)
    }

    fn of(columns: u16, mut command: Command) -> Self {
        // Inherited by the program, another copy would keep the terminal open after it is closed in this process.
        let keys = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
        let size = Winsize { ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&keys, size).unwrap();
        grantpt(&keys).unwrap();
        unlockpt(&keys).unwrap();
        let name = ptsname(&keys, Vec::new()).unwrap();
        let inside: OwnedFd =
            rustix::fs::open(&name, OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).unwrap();
        command.stdin(inside.try_clone().unwrap()).stderr(inside);
        let keys = File::from(keys);
        let mut screen = keys.try_clone().unwrap();
        let child = command.spawn().unwrap();
        // The terminal ends when the last of its files in the child is closed.
        drop(command);
        let seen = Arc::new(Mutex::new(String::new()));
        let shared = Arc::clone(&seen);
        let (unwatched, watched) = std::io::pipe().unwrap();
        let screen = std::thread::spawn(move || {
            let mut chunk = [0_u8; 4096];
            while is_first(&screen, &unwatched)
                && let Ok(count) = screen.read(&mut chunk)
                && count > 0
            {
                let text = String::from_utf8_lossy(&chunk[..count]).replace('\r', "");
                shared.lock().unwrap().push_str(&text);
            }
        });
        Self { child, keys, seen, screen, watched }
    }

    /// Waits until the screen has shown a text.
    pub(crate) fn sees(&mut self, text: &str) -> &mut Self {
        until(text, || self.seen.lock().unwrap().contains(text));
        self
    }

    /// Waits until the screen has shown a text below another.
    pub(crate) fn sees_below(&mut self, mark: &str, text: &str) -> &mut Self {
        until(text, || {
            let seen = self.seen.lock().unwrap();
            seen.rsplit_once(mark).is_some_and(|(_, below)| below.contains(text))
        });
        self
    }

    /// Types lines, each with its end.
    pub(crate) fn types(&mut self, lines: &[&str]) -> &mut Self {
        for line in lines {
            self.keys.write_all(format!("{line}\n").as_bytes()).unwrap();
        }
        self
    }

    /// Presses one key.
    pub(crate) fn press(&mut self, key: u8) -> &mut Self {
        self.keys.write_all(&[key]).unwrap();
        self
    }

    /// Whether the terminal collects lines and echoes them.
    pub(crate) fn edits_lines(&self) -> bool {
        let modes = tcgetattr(&self.keys).unwrap().local_modes;
        modes.contains(LocalModes::ICANON | LocalModes::ECHO)
    }

    pub(crate) fn send(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    /// Closes the terminal, as its window does, and waits for the end.
    pub(crate) fn close(self) -> Run {
        drop((self.keys, self.watched));
        self.screen.join().unwrap();
        Sandbox::finish(self.child.wait_with_output().unwrap())
    }

    /// Waits for the end; returns the run, with the screen's content as its standard error.
    pub(crate) fn finish(self) -> Run {
        let mut run = Sandbox::finish(self.child.wait_with_output().unwrap());
        self.screen.join().unwrap();
        run.stderr.push_str(&self.seen.lock().unwrap());
        run
    }
}

/// Waits until one of two has something to read or is closed; returns whether the first has.
fn is_first(first: &File, second: &PipeReader) -> bool {
    let mut both = [PollFd::new(first, PollFlags::IN), PollFd::new(second, PollFlags::IN)];
    poll(&mut both, None).unwrap();
    !both[0].revents().is_empty()
}
