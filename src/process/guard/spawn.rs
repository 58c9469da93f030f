//! The guard's start: catches signals, starts the program and releases its outputs.

use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGQUIT, SIGTERM};

use crate::process::sweep::timespec;
use crate::process::wire::Request;
use crate::process::{DEPTH_VARIABLE, Depth, TAG_VARIABLE, platform};

/// Waits in milliseconds between attempts to start while a resource is temporarily exhausted: about 1.3 s in all.
const RETRIES: [u64; 7] = [10, 20, 40, 80, 160, 320, 640];

#[derive(Debug)]
pub(super) struct Signals {
    /// Readable after the end of a child.
    pub(super) child: UnixStream,
    /// Readable after a signal that asks the guard to end.
    pub(super) stop: UnixStream,
}

impl Signals {
    /// Catches the signals that ask the guard to end, and every signal inherited as *ignored*: an ignored signal
    /// stays ignored over `exec`, a caught one returns to its default, so a program under `nohup` can still be
    /// stopped. (The mask was emptied at the start.)
    pub(super) fn catch() -> io::Result<Self> {
        let (child, child_writer) = UnixStream::pair()?;
        let (stop, stop_writer) = UnixStream::pair()?;
        signal_hook::low_level::pipe::register(SIGCHLD, child_writer)?;
        for signal in [SIGHUP, SIGINT, SIGQUIT, SIGTERM] {
            signal_hook::low_level::pipe::register(signal, stop_writer.try_clone()?)?;
        }
        child.set_nonblocking(true)?;
        stop.set_nonblocking(true)?;
        let unread = Arc::new(AtomicBool::new(false));
        for signal in ignored() {
            // The C library reserves two numbers and refuses them.
            drop(signal_hook::flag::register(signal, Arc::clone(&unread)));
        }
        Ok(Self { child, stop })
    }
}

/// Returns the signals that this process ignores and that can be caught.
fn ignored() -> Vec<i32> {
    let forbidden = signal_hook::consts::FORBIDDEN;
    // If the system does not report them: the signals that shells and `nohup` are known to ignore.
    let mask = platform::ignored().unwrap_or_else(|| {
        use signal_hook::consts::{SIGALRM, SIGTSTP, SIGTTIN, SIGTTOU, SIGUSR1, SIGUSR2};
        [SIGALRM, SIGTSTP, SIGTTIN, SIGTTOU, SIGUSR1, SIGUSR2]
            .iter()
            .fold(0, |mask, signal| mask | 1 << (signal - 1))
    });
    (1..=64)
        .filter(|signal| mask & (1 << (signal - 1)) != 0 && !forbidden.contains(signal))
        .collect()
}

/// Starts the program. While a resource is temporarily exhausted, tries again for about a second; gives up early if
/// the owner sends a command. The error contains whether the program does not exist at all, and the reason.
pub(super) fn start(request: &Request, owner: &UnixStream) -> Result<Child, (bool, String)> {
    let mut waits = RETRIES.iter();
    loop {
        let error = match command(request).spawn() {
            Ok(child) => return Ok(child),
            Err(error) => error,
        };
        match waits.next() {
            Some(wait) if passing(&error) => {
                let mut watch = [PollFd::new(owner, PollFlags::IN)];
                let wait = timespec(Duration::from_millis(*wait));
                if !matches!(poll(&mut watch, Some(&wait)), Ok(0) | Err(Errno::INTR)) {
                    return Err((false, "stopped before it could start".to_owned()));
                }
            }
            Some(_) | None => return Err(explain(request, &error)),
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "the one place that starts programs")]
fn command(request: &Request) -> Command {
    let mut command = Command::new(&request.program);
    command
        .args(&request.args)
        .env_clear()
        .envs(request.env.iter().map(|(name, value)| (name, value)))
        .env("PWD", &request.cwd)
        .env(TAG_VARIABLE, &request.tag)
        .current_dir(&request.cwd)
        .stdin(Stdio::piped())
        .stdout(Stdio::inherit())
        .stderr(Stdio::inherit())
        .process_group(0);
    match request.depth {
        Depth::Counts => command.env(DEPTH_VARIABLE, "1"),
        Depth::Free => &mut command,
    };
    command
}

/// Returns whether a failed start may succeed a moment later.
pub(in crate::process) fn passing(error: &io::Error) -> bool {
    [Errno::AGAIN, Errno::MFILE, Errno::NFILE, Errno::NOMEM, Errno::TXTBSY]
        .iter()
        .any(|errno| error.raw_os_error() == Some(errno.raw_os_error()))
}

fn explain(request: &Request, error: &io::Error) -> (bool, String) {
    let program = request.program.display();
    if !request.cwd.is_dir() {
        let cwd = request.cwd.display();
        return (false, format!("the working directory {cwd} does not exist"));
    }
    if !request.program.exists() {
        return (true, format!("{program}: {error}"));
    }
    if error.kind() == io::ErrorKind::NotFound {
        let message =
            format!("{program}: the interpreter that its first line names does not exist");
        return (false, message);
    }
    (false, format!("{program}: {error}"))
}

/// Redirects the guard's own outputs to the null device, so that end of file on the pipes comes from the program
/// alone. Returns the numbers of the pipes as used in `/proc`.
pub(super) fn release_outputs(null: &File) -> io::Result<Vec<u64>> {
    let mut pipes = Vec::new();
    for output in [rustix::stdio::stdout().as_fd(), rustix::stdio::stderr().as_fd()] {
        pipes.push(rustix::fs::fstat(output)?.st_ino);
    }
    rustix::stdio::dup2_stdout(null)?;
    rustix::stdio::dup2_stderr(null)?;
    Ok(pipes)
}
