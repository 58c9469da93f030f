//! Starts a guard.

use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use rustix::process::Pid;
use tokio::net::UnixStream;
use tokio::process::Command;
use tokio_process_stream::ProcessChunkStream;

use super::guard;
use super::orphans::Guards;
use super::{Depth, Spec, wire};

/// Waits in milliseconds between attempts while descriptors or processes are exhausted: about 0.6 s in all.
const RETRIES: [u64; 6] = [10, 20, 40, 80, 160, 320];

pub(super) struct StartedGuard {
    pub(super) pid: Pid,
    pub(super) socket: UnixStream,
    /// The program's outputs; the stream ends with the guard's exit status.
    pub(super) chunks: ProcessChunkStream,
    /// Bytes still to be sent: at first the whole request.
    pub(super) outgoing: Vec<u8>,
}

/// Starts the guard of a run; tries again while a resource is temporarily exhausted.
pub(super) async fn start(spec: &Spec) -> io::Result<StartedGuard> {
    check(spec)?;
    let outgoing = wire::request(spec)?;
    let mut waits = RETRIES.iter();
    loop {
        let (program, depth) = (spec.guard.clone(), spec.depth);
        // Not on the run's own thread: Ctrl-Z can stop the child before it executes the guard, and the spawn waits for
        // that. A run whose thread waited too could neither stop with it nor end.
        let spawned = tokio::task::spawn_blocking(move || spawn(&program, depth));
        match spawned.await.map_err(io::Error::other).flatten() {
            Ok((pid, socket, chunks)) => {
                return Ok(StartedGuard { pid, socket, chunks, outgoing });
            }
            Err(error) => match waits.next() {
                Some(wait) if guard::passing(&error) => {
                    tokio::time::sleep(Duration::from_millis(*wait)).await;
                }
                Some(_) | None => return Err(error),
            },
        }
    }
}

fn check(spec: &Spec) -> io::Result<()> {
    let wrong = if !spec.program.is_absolute() {
        "the program's path is not absolute"
    } else if spec.tag.is_empty() || spec.tag.contains('\0') {
        "the call has no usable tag"
    } else {
        return Ok(());
    };
    Err(io::Error::new(io::ErrorKind::InvalidInput, wrong))
}

#[expect(clippy::disallowed_methods, reason = "the one place that starts guards")]
fn spawn(program: &Path, depth: Depth) -> io::Result<(Pid, UnixStream, ProcessChunkStream)> {
    let (ours, theirs) = std::os::unix::net::UnixStream::pair()?;
    ours.set_nonblocking(true)?;
    let ours = UnixStream::from_std(ours)?;
    let mut guards = Guards::lock();
    let child = Command::new(program)
        .arg0(guard::NAME)
        .arg(match depth {
            Depth::Counts => guard::ARGUMENT,
            Depth::Free => guard::FREE_ARGUMENT,
        })
        .env_clear()
        .stdin(Stdio::from(OwnedFd::from(theirs)))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let pid = (child.id())
        .and_then(|id| Pid::from_raw(i32::try_from(id).ok()?))
        .ok_or_else(|| io::Error::other("the guard has no process id"))?;
    guards.add(pid);
    Ok((pid, ours, ProcessChunkStream::from(child)))
}
