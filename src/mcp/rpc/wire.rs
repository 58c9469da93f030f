//! The transport that `rmcp` sees: admission of requests, sending of answers, and an end that loses no answer.

use std::future::{Future, ready};
use std::io;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::Either;
use rmcp::RoleServer;
use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ErrorCode, RequestId, ServerJsonRpcMessage,
};
use rmcp::transport::Transport;
use tokio::sync::mpsc::{self, error::TrySendError};
use tokio::time::{Instant, sleep};

use super::arriving::{Incoming, refuse};
use super::pending::{MOST, PendingRequests, Refusal};
use crate::app::Order;
use crate::mcp::shutdown::Shutdown;

/// JSON-RPC's server-defined error: try again when there is less to do.
const BUSY: ErrorCode = ErrorCode(-32000);

/// Maximum time for open requests to be answered once the end began. Agents that are told to stop are killed after 5
/// s (`limits.grace`), and their session is written then.
const LAST_ANSWERS: Duration = Duration::from_secs(12);

/// The same after the order to kill.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// Polling interval of the end, until everything is answered.
const LOOK: Duration = Duration::from_millis(5);

pub(super) struct Wire {
    incoming: mpsc::Receiver<Incoming>,
    outgoing: mpsc::Sender<Vec<u8>>,
    flight: Arc<PendingRequests>,
    ending: Arc<Shutdown>,
    /// An answer that the writer has not taken yet. It is kept in a field because a receive may be given up at any
    /// await.
    answer: Option<Vec<u8>>,
    /// The start of the end, and of the order to kill.
    ended: Option<Instant>,
    killed: Option<Instant>,
}

impl Wire {
    pub(super) fn new(
        incoming: mpsc::Receiver<Incoming>,
        outgoing: mpsc::Sender<Vec<u8>>,
        ending: Arc<Shutdown>,
    ) -> Self {
        Self {
            incoming,
            outgoing,
            flight: Arc::default(),
            ending,
            answer: None,
            ended: None,
            killed: None,
        }
    }

    /// Admits an incoming line; returns a message that may go on to the server.
    fn admit(&mut self, incoming: Incoming) -> Option<ClientJsonRpcMessage> {
        let message = match incoming {
            Incoming::Message(message) => *message,
            Incoming::Answer(answer) => {
                self.answer = Some(line(&answer));
                return None;
            }
            // The reader has logged it.
            Incoming::Unanswerable(_) => return None,
        };
        match &message {
            ClientJsonRpcMessage::Request(request) => {
                if let Err(refusal) = self.flight.take(&request.id) {
                    let refused = refused(request.id.clone(), refusal);
                    return self.admit(refused);
                }
            }
            ClientJsonRpcMessage::Notification(notification) => {
                if let ClientNotification::CancelledNotification(cancelled) =
                    &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    self.flight.cancel(id);
                }
            }
            ClientJsonRpcMessage::Response(_) | ClientJsonRpcMessage::Error(_) => {}
        }
        Some(message)
    }

    /// Ends: the runs are told at once, then the open requests get their answers.
    async fn end(&mut self) {
        self.ending.order(Order::Stop);
        let began = *self.ended.get_or_insert_with(Instant::now);
        loop {
            if self.flight.is_empty() {
                return;
            }
            let patience = if self.ending.ordered() == Order::Kill {
                LAST_WORDS.saturating_sub(self.killed.get_or_insert_with(Instant::now).elapsed())
            } else {
                LAST_ANSWERS.saturating_sub(began.elapsed())
            };
            if patience.is_zero() {
                return;
            }
            sleep(LOOK).await;
        }
    }
}

fn refused(id: RequestId, refusal: Refusal) -> Incoming {
    match refusal {
        Refusal::Full => refuse(
            id,
            BUSY,
            format!("too many requests in flight: at most {MOST} are answered at once"),
        ),
        Refusal::Taken => refuse(
            id,
            ErrorCode::INVALID_REQUEST,
            "a request with this id is not answered yet, or was cancelled: ids are used once"
                .to_owned(),
        ),
    }
}

fn line(message: &ServerJsonRpcMessage) -> Vec<u8> {
    // Maps with text keys and numbers: every part of a message has a JSON form.
    let mut line = serde_json::to_vec(message).unwrap_or_default();
    line.push(b'\n');
    line
}

impl Transport<RoleServer> for Wire {
    type Error = io::Error;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let id = match &message {
            ServerJsonRpcMessage::Response(response) => Some(response.id.clone()),
            ServerJsonRpcMessage::Error(error) => error.id.clone(),
            ServerJsonRpcMessage::Request(_) | ServerJsonRpcMessage::Notification(_) => None,
        };
        if let Some(id) = &id {
            self.flight.answered(id);
        }
        // In call order, as long as the writer keeps up: progress must not follow the answer.
        let line = match self.outgoing.try_send(line(&message)) {
            Err(TrySendError::Full(line)) if id.is_some() => line,
            // Of progress only the latest counts: a client that reads slowly gets less of it.
            tried => {
                if let Some(id) = &id {
                    self.flight.sent(id);
                }
                let gone = matches!(tried, Err(TrySendError::Closed(_)));
                return Either::Left(ready(if gone { Err(broken()) } else { Ok(()) }));
            }
        };
        let (outgoing, flight, ending) =
            (self.outgoing.clone(), Arc::clone(&self.flight), Arc::clone(&self.ending));
        Either::Right(async move {
            let sent = tokio::select! {
                sent = outgoing.send(line) => sent.map_err(|_| broken()),
                () = too_late(&ending) => Err(broken()),
            };
            if let Some(id) = &id {
                flight.sent(id);
            }
            sent
        })
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        while self.ended.is_none() {
            if self.answer.is_some() {
                tokio::select! {
                    biased;
                    () = self.ending.at_least(Order::Stop) => break,
                    permit = self.outgoing.reserve() => {
                        if let (Some(line), Ok(permit)) = (self.answer.take(), permit) {
                            permit.send(line);
                        }
                    }
                }
                continue;
            }
            let incoming = tokio::select! {
                biased;
                () = self.ending.at_least(Order::Stop) => break,
                incoming = self.incoming.recv() => incoming,
            };
            let Some(incoming) = incoming else { break };
            if let Some(message) = self.admit(incoming) {
                return Some(message);
            }
        }
        self.end().await;
        None
    }

    async fn close(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Waits until an unread answer is no longer worth waiting for.
async fn too_late(ending: &Shutdown) {
    ending.at_least(Order::Stop).await;
    tokio::select! {
        () = sleep(LAST_ANSWERS) => {}
        () = async {
            ending.at_least(Order::Kill).await;
            sleep(LAST_WORDS).await;
        } => {}
    }
}

fn broken() -> io::Error {
    io::ErrorKind::BrokenPipe.into()
}
