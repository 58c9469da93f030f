//! `debate-agent mcp serve`: from the first descriptor to the exit code.

use std::future::pending;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use rustix::process::Signal as Number;
use tokio::runtime::Builder;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::time::timeout;

use super::aside::SEATS;
use super::rpc::Connection;
use super::server::Server;
use super::shutdown::Shutdown;
use super::streams;
use crate::app::workspace::StartContext;
use crate::app::{Order, is_ignored};
use crate::error::{Error, Kind};
use crate::exit::ExitStatus;

/// Maximum time for runs to end: 5 s of grace for their agents, and the writing of their sessions.
const RUNS_END: Duration = Duration::from_secs(15);

/// Maximum time for runs to end once their agents are killed.
const RUNS_DIE: Duration = Duration::from_secs(5);

/// Maximum time to write the last answers to a client that reads slowly.
const LAST_LINES: Duration = Duration::from_secs(2);

/// Serves the client at standard input and output until it goes away or a signal comes. No run outlives it.
///
/// # Errors
/// The server was started by an agent of debate-agent, or the system has no descriptors, threads or signals left.
pub(crate) fn serve(around: StartContext, rehearse: bool) -> Result<ExitStatus, Error> {
    let (input, output) = streams::take().map_err(failed("move the standard streams away"))?;
    around.refuse_nesting()?;
    let server = Arc::new(Server::new(around, rehearse));
    let ending = Arc::new(Shutdown::new(server.runs().clone()));
    let runtime = Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(SEATS)
        .build()
        .map_err(failed("start the runtime"))?;
    let status = runtime.block_on(async {
        let mut signals = Signals::new().map_err(failed("listen to signals"))?;
        let connection = Connection::open(Arc::clone(&server), &ending, input, output)
            .map_err(failed("start the server's threads"))?;
        Ok(live(connection, &server, &ending, &mut signals).await)
    });
    // A tool that is still reading files has no one to answer.
    runtime.shutdown_background();
    status
}

fn failed(what: &'static str) -> impl FnOnce(io::Error) -> Error {
    move |error| Error::new(Kind::Environment, format!("failed to {what}")).because(error)
}

/// The server's whole life; returns its exit status.
async fn live(
    connection: Connection,
    server: &Server,
    ending: &Shutdown,
    signals: &mut Signals,
) -> ExitStatus {
    let mut first = None;
    let mut over = std::pin::pin!(async {
        let written = connection.over().await;
        ending.order(Order::Stop);
        if timeout(RUNS_END, server.runs().all_ended()).await.is_err() {
            ending.order(Order::Kill);
            timeout(RUNS_DIE, server.runs().all_ended()).await.ok();
        }
        timeout(LAST_LINES, written).await.ok();
    });
    loop {
        tokio::select! {
            // If a signal and the client's end coincide, the exit code is the signal's.
            biased;
            status = signals.next() => {
                first.get_or_insert(status);
                // A second request to end means no more grace.
                let order = match ending.ordered() {
                    Order::Run => Order::Stop,
                    Order::Stop | Order::Kill => Order::Kill,
                };
                ending.order(order);
            }
            () = &mut over => return first.unwrap_or(ExitStatus::Success),
        }
    }
}

struct Signals {
    interrupt: Signal,
    terminate: Signal,
    /// `None` under nohup: installing a handler would undo that.
    hangup: Option<Signal>,
}

impl Signals {
    fn new() -> io::Result<Self> {
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hangup: if is_ignored(Number::HUP) {
                None
            } else {
                Some(signal(SignalKind::hangup())?)
            },
        })
    }

    async fn next(&mut self) -> ExitStatus {
        let hangup = async {
            match &mut self.hangup {
                Some(hangup) => hangup.recv().await,
                None => pending().await,
            }
        };
        tokio::select! {
            _ = self.interrupt.recv() => ExitStatus::Interrupted,
            _ = self.terminate.recv() => ExitStatus::Terminated,
            _ = hangup => ExitStatus::HungUp,
        }
    }
}
