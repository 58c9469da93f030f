//! The client's two streams, moved away from descriptors 0 and 1 before anything else happens.
//!
//! A print, a panic, a library or a child that writes to descriptor 1 would break the protocol, and one that reads
//! descriptor 0 would eat a request. So both streams get descriptors of their own that no child inherits; 0 then
//! reads nothing, and 1 is standard error. Flags of the shared file description (`O_NONBLOCK`) are left as the client
//! set them.

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

/// Takes both streams of the client: its requests, then the destination of the answers.
///
/// # Errors
/// The system has no descriptors left, or no `/dev/null`.
pub(crate) fn take() -> io::Result<(Stream, Stream)> {
    let input = fcntl_dupfd_cloexec(stdin(), ABOVE_STANDARD)?;
    let output = fcntl_dupfd_cloexec(stdout(), ABOVE_STANDARD)?;
    let nothing = rustix::fs::open("/dev/null", OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())?;
    dup2_stdin(&nothing)?;
    dup2_stdout(stderr())?;
    Ok((Stream(input.into()), Stream(output.into())))
}

/// One stream of any kind: a pipe, a socket, a file, a terminal. If the client made it non-blocking, reads and writes
/// still wait.
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

/// Writes lines until all senders are gone. A client that reads slowly holds up only the senders.
///
/// # Errors
/// The client no longer reads.
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
mod tests {
    //! Tests of streams that block, that do not, and that are closed.

    use std::os::fd::OwnedFd;
    use std::os::unix::net::UnixStream;
    use std::thread;

    use super::*;

    fn pair() -> (Stream, UnixStream) {
        let (ours, theirs) = UnixStream::pair().unwrap();
        ours.set_nonblocking(true).unwrap();
        (OwnedFd::from(ours).into(), theirs)
    }

    #[test]
    fn a_stream_that_does_not_block_is_waited_for() {
        let (mut ours, mut theirs) = pair();
        let reader = thread::spawn(move || {
            let mut all = Vec::new();
            ours.read_to_end(&mut all).map(|_| all).unwrap()
        });
        // The stream is still empty when the read begins; which of the two is first does not matter.
        thread::yield_now();
        theirs.write_all(b"hello").unwrap();
        drop(theirs);
        assert_eq!(reader.join().unwrap(), b"hello");

        let (ours, mut theirs) = pair();
        let (send, mut lines) = mpsc::channel(4);
        let writer = thread::spawn(move || write_lines(ours, &mut lines));
        // More than the socket takes at once.
        let line = vec![b'x'; 4 << 20];
        send.blocking_send(line.clone()).unwrap();
        drop(send);
        let mut all = Vec::new();
        theirs.read_to_end(&mut all).unwrap();
        assert!(all == line);
        writer.join().unwrap().unwrap();
    }

    #[test]
    fn a_client_that_is_gone_is_an_error_for_the_writer() {
        let (ours, theirs) = pair();
        drop(theirs);
        let (send, mut lines) = mpsc::channel(4);
        send.blocking_send(b"hello\n".to_vec()).unwrap();
        let error = write_lines(ours, &mut lines).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
    }
}
