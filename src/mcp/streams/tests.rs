//! Streams that block, that do not, and that are gone.

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
    // Nothing is there yet when it begins to read; whether it is first does not matter.
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
