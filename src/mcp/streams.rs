//! The client's two streams, moved away from descriptors 0 and 1 before anything else happens.
//!
//! A print, a panic, a library or a child that writes to descriptor 1 would break the protocol, and one that reads
//! descriptor 0 would eat a request. So both streams get descriptors of their own that no child inherits; 0 then reads
//! nothing, and 1 is standard error. Flags of the shared file description (`O_NONBLOCK`) are left as the client set them.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::AsFd as _;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::{Mode, OFlags};
use rustix::io::{Errno, fcntl_dupfd_cloexec};
use rustix::stdio::{dup2_stdin, dup2_stdout, stderr, stdin, stdout};
use tokio::sync::mpsc;

/// The lowest descriptor that a stream is moved to: above the three that a child gets.
const ABOVE_STANDARD: i32 = 3;

/// Takes both streams of the client: its requests, then the place for answers.
///
/// # Errors
/// The system gives no descriptors, or has no `/dev/null`.
pub(crate) fn take() -> io::Result<(Stream, Stream)> {
    let input = fcntl_dupfd_cloexec(stdin(), ABOVE_STANDARD)?;
    let output = fcntl_dupfd_cloexec(stdout(), ABOVE_STANDARD)?;
    let nothing = rustix::fs::open("/dev/null", OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())?;
    dup2_stdin(&nothing)?;
    dup2_stdout(stderr())?;
    Ok((Stream(input.into()), Stream(output.into())))
}

/// One stream, whatever it is: a pipe, a socket, a file, a terminal. Where the client made it non-blocking, it is waited
/// for all the same.
#[derive(Debug)]
pub(crate) struct Stream(File);

impl Stream {
    fn wait(&self, ready: PollFlags) -> io::Result<()> {
        match poll(&mut [PollFd::new(&self.0.as_fd(), ready)], None) {
            Ok(_) | Err(Errno::INTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}

#[cfg(test)]
impl From<std::os::fd::OwnedFd> for Stream {
    fn from(owned: std::os::fd::OwnedFd) -> Self {
        Self(owned.into())
    }
}

impl Read for Stream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.0.read(buffer) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    self.wait(PollFlags::IN)?;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => return read,
            }
        }
    }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        loop {
            match self.0.write(bytes) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    self.wait(PollFlags::OUT)?;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                written => return written,
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Writes lines until nobody can send any more. A client that reads slowly holds up the senders, nobody else.
///
/// # Errors
/// The client reads no more.
pub(crate) fn write_lines(
    mut output: impl Write,
    lines: &mut mpsc::Receiver<Vec<u8>>,
) -> io::Result<()> {
    while let Some(line) = lines.blocking_recv() {
        output.write_all(&line)?;
        output.flush()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
