//! A person's replies: arguments from a file, facts from the terminal; both are handled like any agent's.
//!
//! # Theory of operation
//!
//! A person's turn is permitted, journaled, read and settled like any other; only instead of starting a process, the
//! person is asked. `WithPerson` is the launcher that does so: it answers attempts of the agent `human` and passes
//! all others on. So a replay gives the same replies and asks nobody, Ctrl-C ends a run in the middle of a question
//! as it ends a call, and anything typed just before a crash is in the spool.
//!
//! * Arguments and stances come from a file of JSON Lines (`--arguments`): checked as far as possible before any agent
//!   is paid (`lines`, `seat`).
//! * Questions about facts before the first turn (`--clarify`) are asked at the terminal (`terminal`, `questions`).
//!
//! A person who gives no answer has not agreed: the end of the file fails the turn as `empty_reply`, nobody steps in,
//! and the session can be resumed. Only facts are optional: without them the debate goes on. A closed terminal is no
//! answer either, and stops the run.

mod lines;
mod questions;
mod seat;
mod terminal;
#[cfg(test)]
mod tests;

use std::cell::RefCell;
use std::rc::Rc;

use futures_util::future::LocalBoxFuture;
use tokio::sync::{Mutex, watch};
use tokio::time::Instant;

pub(crate) use lines::MOST_BYTES;
pub(crate) use seat::Seat;
pub(crate) use terminal::Terminal;

/// Opens the terminal, if there is one at which a person can be asked.
pub(crate) type OpenTerminal = fn() -> Option<Terminal>;

use crate::agent::attempts::{self, Intent, ran};
use crate::agent::person::PersonReply;
use crate::app::run::launch::Launch;
use crate::app::run::workspace::Workspace;
use crate::error::{Error, Kind};
use crate::kernel::{HUMAN, task_of};
use crate::process::{Control, Ending, ProcessResult, Sink, Spec};
use crate::protocol::clarify::FACTS_TASK;
use crate::session::StoredSession;
use crate::session::record::{Body, TurnStatus};
use crate::text::Note;
use crate::text::redact::Redactor;
use lines::Lines;

/// What to do where a person cannot be asked for facts.
const NO_QUESTIONS: &str = "`--clarify=list` keeps open questions as assumptions, and `--facts FILE` answers them beforehand";

/// A person, with the sources of the replies.
#[derive(Debug)]
pub struct Person {
    lines: RefCell<Option<Lines>>,
    terminal: Mutex<Option<Terminal>>,
}

impl Person {
    /// Creates a person who argues from a file (its name and its bytes), and states facts at the terminal.
    ///
    /// # Errors
    /// The one that is needed is missing; or the file cannot match what the debate will ask for, which is found before
    /// any agent is paid.
    pub fn from(
        seat: Seat,
        arguments: Option<(&str, &[u8])>,
        terminal: Option<Terminal>,
    ) -> Result<Self, Error> {
        if seat.facts && terminal.is_none() {
            let what = "`--clarify` asks a person, but there is no terminal to ask at";
            return Err(Error::new(Kind::Usage, what).named("no_person").hint(NO_QUESTIONS));
        }
        let lines = match (arguments, seat.side) {
            (Some((name, _)), None) => {
                let what = format!("{name} contains what a person says, but no person takes part");
                return Err(
                    Error::new(Kind::Usage, what).hint("add `--as primary` or `--as adversary`")
                );
            }
            (None, Some(_)) => {
                let what = "a person takes a side, but there is no file of arguments";
                return Err(Error::new(Kind::Usage, what)
                    .named("no_person")
                    .hint("give what the person says with `--arguments FILE.jsonl`"));
            }
            (Some((name, bytes)), Some(side)) => Some(Lines::read(name, bytes, side, seat.rounds)?),
            (None, None) => None,
        };
        Ok(Self { lines: RefCell::new(lines), terminal: Mutex::new(terminal) })
    }

    /// Skips the replies that a stored session already has from this person; see [`answered`].
    ///
    /// # Errors
    /// The file does not begin with those replies.
    pub fn resume(
        &mut self,
        answered: &[(String, Vec<u8>)],
        redactor: &Redactor,
    ) -> Result<(), Error> {
        match self.lines.get_mut() {
            Some(lines) => lines.skip(answered, redactor),
            None => Ok(()),
        }
    }

    async fn answer(&self, intent: &Intent, prompt: &[u8]) -> PersonReply {
        if task_of(&intent.turn) == FACTS_TASK {
            let prompt = String::from_utf8_lossy(prompt);
            return match &mut *self.terminal.lock().await {
                Some(terminal) => terminal.ask(&intent.turn, &prompt).await,
                None => PersonReply::Nothing("there is no terminal to ask at".to_owned()),
            };
        }
        match &mut *self.lines.borrow_mut() {
            Some(lines) if intent.kind == attempts::Kind::Repair => lines.refuse(),
            Some(lines) => lines.answer(&intent.turn, &seat::owed(&intent.turn)),
            None => PersonReply::Nothing("there is no file of arguments".to_owned()),
        }
    }

    /// Returns a warning if lines of the file were not used; for after the debate.
    pub fn left(&self) -> Option<Note> {
        let lines = self.lines.borrow();
        let lines = lines.as_ref()?;
        let (count, name) = (lines.left(), lines.name());
        let message = match count {
            1 => format!("1 line of {name} was not needed"),
            _ => format!("{count} lines of {name} were not needed"),
        };
        (count > 0).then(|| Note::new("arguments_left", message))
    }
}

/// Returns the person's replies in a stored session, in order of their recording: each turn with its reply.
///
/// # Errors
/// A recorded reply cannot be read.
pub(crate) fn answered(stored: &StoredSession) -> Result<Vec<(String, Vec<u8>)>, Error> {
    let mut calls: Vec<(&str, &str)> = Vec::new();
    let mut replies: Vec<(String, Vec<u8>)> = Vec::new();
    let mut last: Vec<(&str, &str)> = Vec::new();
    for record in &stored.records {
        match &record.body {
            Body::Intent(call) if call.intent.agent == HUMAN => {
                calls.push((&call.key, &call.intent.turn));
            }
            Body::Result(result) => {
                let turn = calls.iter().find(|(key, _)| *key == result.key);
                if let (Some((_, turn)), Some(sha)) = (turn, &result.answer) {
                    last.retain(|(known, _)| known != turn);
                    last.push((turn, sha));
                }
            }
            Body::TurnClosed(closed) if closed.status == TurnStatus::Answered => {
                if let Some((turn, sha)) = last.iter().find(|(turn, _)| *turn == closed.turn) {
                    let reply = stored.answer(sha).map_err(crate::error::store_error)?;
                    replies.retain(|(known, _)| known != turn);
                    replies.push(((*turn).to_owned(), reply));
                }
            }
            Body::Intent(_)
            | Body::TurnClosed(_)
            | Body::Opened(_)
            | Body::Resumed(_)
            | Body::Ambiguous(_)
            | Body::Parsed(_)
            | Body::RoundClosed(_)
            | Body::Suspended(_)
            | Body::Closed(_) => {}
        }
    }
    Ok(replies)
}

impl Workspace {
    /// Lets a person answer the attempts of the agent `human`.
    #[must_use]
    pub fn with_person(mut self, person: Rc<Person>) -> Self {
        self.launch = Rc::new(WithPerson { inner: self.launch, person });
        self
    }
}

/// A launcher that asks a person for the replies of `human` and passes all else on.
#[derive(Debug)]
struct WithPerson {
    inner: Rc<dyn Launch>,
    person: Rc<Person>,
}

impl Launch for WithPerson {
    fn launch<'a>(
        &'a self,
        intent: &'a Intent,
        spec: &'a Spec,
        control: watch::Receiver<Control>,
        sink: &'a mut dyn Sink,
    ) -> LocalBoxFuture<'a, ProcessResult> {
        if intent.agent != HUMAN {
            return self.inner.launch(intent, spec, control, sink);
        }
        Box::pin(async move {
            let began = Instant::now();
            let said = tokio::select! {
                biased;
                () = stopped(control) => None,
                said = self.person.answer(intent, &spec.stdin) => Some(said),
            };
            let Some(said) = said else {
                return ran(Ending::Cancelled, 0, began.elapsed());
            };
            let printed = said.printed();
            sink.stdout(&printed);
            ran(Ending::Exited { code: 0 }, printed.len(), began.elapsed())
        })
    }
}

/// Waits until the run is stopped.
async fn stopped(mut control: watch::Receiver<Control>) {
    let stops = |control: &Control| matches!(control, Control::Stop | Control::Kill);
    // An error means that the run's owner is gone, which ends the run as well.
    control.wait_for(stops).await.map(drop).ok();
}
