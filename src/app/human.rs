//! A person takes a seat: the words come from a terminal or from a file, and go the way of every agent's.
//!
//! # Theory of operation
//!
//! A person's turn is permitted, journaled, read and settled like any other; only what would start a process
//! asks the person instead. `WithPerson` is that launcher: it answers what is meant for the agent `human` and
//! hands everything else on. So a replay gives the same words and asks nobody, Ctrl-C ends a run in the middle
//! of a question as it ends a call, and what was typed just before a crash is found in the spool.
//!
//! The words come from one of two places:
//!
//! * the terminal: `form` turns plain answers to plain questions into the reply that the turn asks for;
//! * a file of JSON Lines (`--arguments`): checked as far as it can be before anybody is paid (`lines`, `seat`).
//!
//! A person who says nothing has not agreed: the end of the input, or of the file, fails the turn as
//! `empty_reply`, nobody steps in, and the session can be resumed. A remark alone is owed by nobody: without one
//! the debate goes on. A terminal that is closed says nothing either, and stops the run. What is typed is kept line by line (`draft`) until the turn has its reply, whatever ends
//! the question; whoever is asked again is offered it.

mod draft;
mod form;
mod lines;
mod seat;
mod terminal;
#[cfg(test)]
mod tests;

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use futures_util::future::LocalBoxFuture;
use tokio::sync::{Mutex, watch};
use tokio::time::Instant;

pub use lines::MOST_BYTES;
pub use seat::Seat;
pub use terminal::Terminal;

use crate::agent::attempts::{self, Intent};
use crate::agent::person::PersonReply;
use crate::app::run::launch::Launch;
use crate::app::run::workspace::Workspace;
use crate::error::{Error, Kind};
use crate::kernel::HUMAN;
use crate::process::{Control, Ending, ProcessResult, Sink, Spec};
use crate::session::record::{Body, TurnStatus};
use crate::session::{DraftStore, Session, StoredSession};
use crate::text::Note;
use crate::text::redact::Redactor;
use draft::Draft;
use lines::Lines;

/// A person, by where the words come from.
#[derive(Debug)]
pub struct Person {
    source: Mutex<Source>,
}

#[derive(Debug)]
enum Source {
    File(Lines),
    Terminal(Terminal),
}

impl Person {
    /// Lets a person take a seat: with the words of a file (its name and its bytes), else at the terminal.
    ///
    /// # Errors
    /// There is neither; or the file cannot be what the debate will ask for, and nobody has been paid yet.
    pub fn from(
        seat: Seat,
        arguments: Option<(&str, &[u8])>,
        terminal: Option<Terminal>,
    ) -> Result<Self, Error> {
        let source = match (arguments, terminal) {
            (Some((name, _)), _) if !seat.is_taken() => {
                let what = format!("{name} holds what a person says, and no person takes part");
                return Err(Error::new(Kind::Usage, what)
                    .hint("add `--as primary`, `--as adversary` or `--pause-between-rounds`"));
            }
            (Some((name, bytes)), _) => Source::File(Lines::read(name, bytes, seat)?),
            (None, Some(terminal)) => Source::Terminal(terminal),
            (None, None) => {
                let what = "a person takes part, and there is no terminal to ask at";
                return Err(Error::new(Kind::Usage, what).named("no_person").hint(
                    "start it where standard input and standard error are a terminal, or give what the person says with `--arguments FILE.jsonl`",
                ));
            }
        };
        Ok(Self { source: Mutex::new(source) })
    }

    /// Begins behind what a stored session has of this person already; see [`answered`].
    ///
    /// # Errors
    /// The file does not begin with what was said.
    pub fn resume(
        &mut self,
        answered: &[(String, Vec<u8>)],
        redactor: &Redactor,
    ) -> Result<(), Error> {
        match self.source.get_mut() {
            Source::File(lines) => lines.skip(answered, redactor),
            Source::Terminal(_) => Ok(()),
        }
    }

    async fn answer(&self, intent: &Intent, prompt: &[u8], draft: Draft) -> PersonReply {
        let mut source = self.source.lock().await;
        let again = intent.kind == attempts::Kind::Repair;
        match &mut *source {
            Source::File(lines) if again => lines.refuse(),
            Source::File(lines) => lines.answer(&intent.turn, &seat::owed(&intent.turn)),
            Source::Terminal(terminal) => {
                let prompt = String::from_utf8_lossy(prompt);
                terminal.ask(&intent.turn, &prompt, draft).await
            }
        }
    }

    /// Warns of lines of the file that nobody asked for; after the debate.
    pub fn left(&self) -> Option<Note> {
        let source = self.source.try_lock().ok()?;
        let Source::File(lines) = &*source else {
            return None;
        };
        let (count, name) = (lines.left(), lines.name());
        let message = match count {
            1 => format!("1 line of {name} was not asked for"),
            _ => format!("{count} lines of {name} were not asked for"),
        };
        (count > 0).then(|| Note::new("arguments_left", message))
    }
}

/// Returns what a stored session has of its person, in the order in which it was said: each turn with its reply.
///
/// # Errors
/// An answer cannot be read.
pub fn answered(stored: &StoredSession) -> Result<Vec<(String, Vec<u8>)>, Error> {
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
    /// Lets a person answer what the agent `human` is asked.
    #[must_use]
    pub fn with_person(mut self, person: Rc<Person>) -> Self {
        self.launch = Rc::new(WithPerson {
            redactor: self.redactor(),
            inner: self.launch,
            person,
            drafts: RefCell::default(),
        });
        self
    }
}

/// Asks a person what is meant for one, and hands everything else on.
#[derive(Debug)]
struct WithPerson {
    inner: Rc<dyn Launch>,
    person: Rc<Person>,
    redactor: Redactor,
    /// Where the session at hand keeps what the person has begun.
    drafts: RefCell<Option<DraftStore>>,
}

impl Launch for WithPerson {
    fn begin(&self, session: &Session) {
        self.drafts.replace(Some(session.drafts()));
    }

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
            let drafts = self.drafts.borrow().clone();
            let draft = Draft::of(&intent.turn, drafts.clone(), self.redactor.clone());
            let said = tokio::select! {
                biased;
                () = stopped(control) => None,
                said = self.person.answer(intent, &spec.stdin, draft) => Some(said),
            };
            let Some(said) = said else {
                return ran(Ending::Cancelled, 0, began.elapsed());
            };
            let printed = said.printed();
            sink.stdout(&printed);
            if let (PersonReply::Reply(_), Some(drafts)) = (&said, drafts) {
                drafts.remove(&intent.turn);
            }
            ran(Ending::Exited { code: 0 }, printed.len(), began.elapsed())
        })
    }
}

/// Waits until the run is stopped.
async fn stopped(mut control: watch::Receiver<Control>) {
    let stops = |control: &Control| matches!(control, Control::Stop | Control::Kill);
    // An error says that nobody owns this run any more, which ends it as well.
    control.wait_for(stops).await.map(drop).ok();
}

fn ran(ending: Ending, bytes: usize, took: Duration) -> ProcessResult {
    ProcessResult {
        ending,
        survivors_killed: 0,
        unkillable: 0,
        leaked_output: false,
        took,
        stdout_seen: u64::try_from(bytes).unwrap_or(u64::MAX),
    }
}
