//! A person takes a seat: the replies come from a terminal or a file, and are handled like any agent's.
//!
//! # Theory of operation
//!
//! A person's turn is permitted, journaled, read and settled like any other; only instead of starting a process, the
//! person is asked. `WithPerson` is the launcher that does so: it answers attempts of the agent `human` and passes
//! all others on. So a replay gives the same replies and asks nobody, Ctrl-C ends a run in the middle of a question
//! as it ends a call, and anything typed just before a crash is in the spool.
//!
//! The replies come from one of two sources:
//!
//! * the terminal: `form` turns plain answers to plain questions into the reply that the turn requires;
//! * a file of JSON Lines (`--arguments`): checked as far as possible before any agent is paid (`lines`, `seat`).
//!
//! A person who gives no answer has not agreed: the end of the input, or of the file, fails the turn as
//! `empty_reply`, nobody steps in, and the session can be resumed. Only remarks and facts are optional: without them
//! the debate goes on. A closed terminal is no answer either, and stops the run. Typed lines are kept one by one (`draft`) until
//! the turn has its reply, however the question ends; when the turn is asked again, they are offered.

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

pub(crate) use lines::MOST_BYTES;
pub(crate) use seat::Seat;
pub(crate) use terminal::Terminal;

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

/// What to do where a person cannot be asked for facts.
const NO_QUESTIONS: &str = "`--clarify=list` keeps open questions as assumptions, and `--facts FILE` answers them beforehand";

/// A person, with the source of the replies.
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
    /// Creates a person who replies from a file (its name and its bytes), else at the terminal.
    ///
    /// # Errors
    /// There is neither; or the file cannot match what the debate will ask for, which is found before any agent is
    /// paid.
    pub fn from(
        seat: Seat,
        arguments: Option<(&str, &[u8])>,
        terminal: Option<Terminal>,
    ) -> Result<Self, Error> {
        let source = match (arguments, terminal) {
            (Some(_), _) if seat.facts => {
                let what = "with `--arguments`, nobody answers questions at the terminal";
                return Err(Error::new(Kind::Usage, what).named("no_person").hint(NO_QUESTIONS));
            }
            (None, None) if seat.facts => {
                let what = "`--clarify` asks a person, but there is no terminal to ask at";
                return Err(Error::new(Kind::Usage, what).named("no_person").hint(NO_QUESTIONS));
            }
            (Some((name, _)), _) if !seat.is_taken() => {
                let what = format!("{name} contains what a person says, but no person takes part");
                return Err(Error::new(Kind::Usage, what)
                    .hint("add `--as primary`, `--as adversary` or `--pause-between-rounds`"));
            }
            (Some((name, bytes)), _) => Source::File(Lines::read(name, bytes, seat)?),
            (None, Some(terminal)) => Source::Terminal(terminal),
            (None, None) => {
                let what = "a person takes part, but there is no terminal to ask at";
                return Err(Error::new(Kind::Usage, what).named("no_person").hint(
                    "start it where standard input and standard error are a terminal, or give what the person says with `--arguments FILE.jsonl`",
                ));
            }
        };
        Ok(Self { source: Mutex::new(source) })
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

    /// Returns a warning if lines of the file were not used; for after the debate.
    pub fn left(&self) -> Option<Note> {
        let source = self.source.try_lock().ok()?;
        let Source::File(lines) = &*source else {
            return None;
        };
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
        self.launch = Rc::new(WithPerson {
            redactor: self.redactor(),
            inner: self.launch,
            person,
            drafts: RefCell::default(),
        });
        self
    }
}

/// A launcher that asks a person for the replies of `human` and passes all else on.
#[derive(Debug)]
struct WithPerson {
    inner: Rc<dyn Launch>,
    person: Rc<Person>,
    redactor: Redactor,
    /// The current session's store for unfinished answers.
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
    // An error means that the run's owner is gone, which ends the run as well.
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
