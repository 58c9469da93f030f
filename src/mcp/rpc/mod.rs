//! JSON-RPC and `rmcp`: the only place that knows either.
//!
//! # Theory of operation
//!
//! ```text
//!   reader thread ── lines ── `arriving` ──► `wire` ──► rmcp's loop ──► `handler` ──► server
//!   writer thread ◄──────── lines ───────────  │  ◄──────────────────────┘
//!                                              └ `pending`: the requests without an answer so far
//! ```
//!
//! * A line becomes a message, an answer that needs no server (too long, not a request), or a line on standard error
//!   (`arriving`); no line longer than `lines::LONGEST` is buffered.
//! * `pending` counts a request from its arrival until its answer is with the writer. So a client that asks without
//!   reading is refused after a while, and nothing grows. It also refuses an id that is in use: `rmcp` keeps one
//!   entry per id and would deliver only one of two answers.
//! * A message without a usable id is not answered but logged on standard error: clients of before 2025-11-25 know no
//!   error without an id, and show one to their user as a fault of the server.
//! * There is no gate before `initialize`: `rmcp` would end the connection for a notification that comes too early.
//!   Each request states its revision in its metadata, or uses the negotiated one.
//! * The end: the transport forwards nothing any more, waits until all requests are answered, and only then tells
//!   `rmcp`, whose own patience (5 s) is as long as the grace of an agent and could lose the answer.

mod arriving;
mod described;
mod handler;
mod head;
mod lines;
mod pending;
mod resources;
mod wire;

use std::io::{self, BufReader, Read, Write};
use std::sync::Arc;
use std::thread;

use rmcp::RoleServer;
use rmcp::service::{RunningService, serve_directly};
use tokio::sync::{mpsc, oneshot};

use self::arriving::{BadMessageLog, Incoming};
use self::handler::Handler;
use self::lines::{LONGEST, Line};
use self::wire::Wire;
use super::server::Server;
use super::shutdown::Shutdown;
use super::streams::write_lines;
use crate::app::Order;

/// Messages between the threads and the loop. Each line has at most 1 MiB.
const QUEUE: usize = 8;

/// Bytes per read.
const PIECE: usize = 64 << 10;

/// A client that is being served.
pub(crate) struct Connection {
    service: RunningService<RoleServer, Handler>,
    written: oneshot::Receiver<()>,
}

impl Connection {
    /// Serves a client.
    ///
    /// # Errors
    /// The system cannot create threads.
    pub(crate) fn open(
        server: Arc<Server>,
        ending: &Arc<Shutdown>,
        input: impl Read + Send + 'static,
        output: impl Write + Send + 'static,
    ) -> io::Result<Self> {
        let (to_wire, incoming) = mpsc::channel(QUEUE);
        let (to_writer, mut outgoing) = mpsc::channel(QUEUE);
        let (tell, written) = oneshot::channel();
        thread::Builder::new().name("reader".to_owned()).spawn(move || read(input, &to_wire))?;
        let gone = Arc::clone(ending);
        thread::Builder::new().name("writer".to_owned()).spawn(move || {
            if write_lines(output, &mut outgoing).is_err() {
                // The client no longer reads: the same as the end of its input.
                gone.order(Order::Stop);
            }
            tell.send(()).ok();
        })?;
        let wire = Wire::new(incoming, to_writer, Arc::clone(ending));
        let service = serve_directly(Handler::new(server), wire, None);
        Ok(Self { service, written })
    }

    /// Waits until the client is no longer served; the receiver reports that the last lines are written.
    pub(crate) async fn over(self) -> oneshot::Receiver<()> {
        self.service.waiting().await.ok();
        self.written
    }
}

fn read(input: impl Read, to: &mpsc::Sender<Incoming>) {
    let mut input = BufReader::with_capacity(PIECE, input);
    let mut complaints = BadMessageLog::new(io::stderr());
    loop {
        let next = match lines::next(&mut input, LONGEST) {
            Ok(Line::Whole(line)) => arriving::message(&line),
            Ok(Line::Long(bytes, seen)) => Some(arriving::too_long(bytes, &seen)),
            Ok(Line::End(0)) => break,
            Ok(Line::End(cut)) => {
                complaints.say_last(&format!(
                    "the input ended within a line, which is ignored ({cut} bytes)"
                ));
                break;
            }
            Err(error) => {
                complaints.say_last(&format!("failed to read the input: {error}"));
                break;
            }
        };
        let Some(incoming) = next else { continue };
        if let Incoming::Unanswerable(why) = &incoming {
            complaints.say(why);
        } else if to.blocking_send(incoming).is_err() {
            break;
        }
    }
    complaints.total();
}
