//! Replays a stored session without calling an agent.

use std::cell::RefCell;
use std::path::PathBuf;
use std::time::Duration;

use tokio::sync::watch;

use super::attempts::not_made;
use super::calls::CallRules;
use crate::agent::ask::{self, AskSettings};
use crate::agent::attempts::{
    AttemptError, AttemptEvent, AttemptResult, Attempts, Intent, Permit, ran,
};
use crate::agent::roster::Roster;
use crate::engine::bus::Bus;
use crate::engine::switch::Switch;
use crate::engine::{self, Fatal, TurnAsker};
use crate::error::{Error, Kind};
use crate::kernel::{
    Answer, AnyReply, Cost, DynDriver, Failure, FailureClass, RawReply, Respondent, Step, Stop,
    Turn,
};
use crate::process::{Control, Ending, ProcessResult, Sink, Spec};
use crate::session::{State, StoredSession};

#[derive(Debug, thiserror::Error)]
#[error("{0} was never asked")]
struct NotAsked(String);

/// Replays a stored session as far as its journal goes, and uses the answers of a step that a limit or a signal cut
/// short, as the run itself did. `machine` is the session's, as opened; after this it can only be stopped. Returns
/// the turns that a resume would ask now.
///
/// # Errors
/// An answer cannot be read.
pub(crate) async fn stored(
    stored: &StoredSession,
    rules: &CallRules,
    machine: &mut dyn DynDriver,
) -> Result<Vec<String>, Error> {
    let unasked = RefCell::default();
    drive(stored, rules, machine, &|_| true, Some(&unasked)).await?;
    let cut = unasked.into_inner();
    let open = if cut.is_empty() { asked(machine) } else { cut };
    Ok(match stored.ledger.state() {
        State::Closed { .. } => Vec::new(),
        // The failed turns that left it undecided are what a resume asks first.
        State::Running | State::Suspended { .. } if open.is_empty() => {
            stored.ledger.ask_again().to_vec()
        }
        State::Running | State::Suspended { .. } => open,
    })
}

/// Returns the turns that a machine asks next; none if it is over.
pub(crate) fn asked(machine: &dyn DynDriver) -> Vec<String> {
    match machine.step() {
        Step::Ask { turns, .. } => turns.iter().map(|turn| turn.id.to_string()).collect(),
        Step::Done(_) => Vec::new(),
    }
}

/// Drives `machine` from the journal up to the first step with a turn that was never asked.
///
/// # Errors
/// An answer cannot be read.
pub(crate) async fn replay(
    stored: &StoredSession,
    rules: &CallRules,
    machine: &mut dyn DynDriver,
) -> Result<(), Error> {
    replay_of(stored, rules, machine, &|_| true).await
}

/// Drives `machine` from the journal as if only the turns selected by `keep` had been asked.
///
/// # Errors
/// An answer cannot be read.
pub(crate) async fn replay_of(
    stored: &StoredSession,
    rules: &CallRules,
    machine: &mut dyn DynDriver,
    keep: &dyn Fn(&str) -> bool,
) -> Result<(), Error> {
    drive(stored, rules, machine, keep, None).await
}

/// The same. With `unasked`, a step whose turns are not all selected is cut short with the answers to the others: only
/// a stop may follow.
///
/// # Errors
/// An answer cannot be read.
pub(crate) async fn drive(
    stored: &StoredSession,
    rules: &CallRules,
    machine: &mut dyn DynDriver,
    keep: &dyn Fn(&str) -> bool,
    unasked: Option<&RefCell<Vec<String>>>,
) -> Result<(), Error> {
    let (switch, bus) = (Switch::default(), Bus::silent());
    let reader = Reader { stored, switch: &switch };
    let opened = stored.ledger.opened();
    let boundary = opened.map(|opened| opened.boundary.clone());
    let boundary = boundary.unwrap_or_default();
    let mut settings = AskSettings::new(PathBuf::new(), PathBuf::new(), boundary);
    rules.govern(&mut settings);
    // A prompt that was sent was allowed; one refused for its size is in the journal.
    settings.prompt_bytes = u64::MAX;
    let asking = JournalAsker { roster: rules.recorded_roster(), reader, settings, keep, unasked };
    let ended = engine::run(machine, &asking, &bus, &switch, u32::MAX).await;
    match ended {
        Ok(_) => Ok(()),
        Err(Fatal::State(error)) if error.is::<NotAsked>() => Ok(()),
        Err(Fatal::State(error)) => {
            Err(Error::new(Kind::State, "failed to read the session").because(error))
        }
        Err(Fatal::Reporter(error)) => {
            Err(Error::new(Kind::State, "failed to read the session").because(error))
        }
    }
}

struct JournalAsker<'a> {
    roster: Roster,
    reader: Reader<'a>,
    settings: AskSettings,
    keep: &'a dyn Fn(&str) -> bool,
    /// Collects the turns at which the session was cut short; without it such a turn ends the replay at once.
    unasked: Option<&'a RefCell<Vec<String>>>,
}

impl TurnAsker for JournalAsker<'_> {
    async fn ask(
        &self,
        turn: &Turn,
        driver: &dyn DynDriver,
    ) -> Result<Answer<AnyReply>, AttemptError> {
        if !(self.keep)(&turn.id) {
            return Err(self.not_asked(turn));
        }
        let parse = |reply: &RawReply, chance| driver.read(turn, reply, chance);
        let data = || driver.data(turn);
        let asked =
            ask::ask(&self.roster, turn, "", &parse, &data, &self.reader, &self.settings).await;
        match asked {
            Err(AttemptError::State(error)) if error.is::<NotAsked>() => {
                self.refused(turn).ok_or_else(|| self.not_asked(turn))
            }
            // It was ended because its run was stopped, which is no evidence against its agent: a resume asks the
            // turn again, so it counts as unanswered.
            Ok(answer)
                if answer
                    .result
                    .as_ref()
                    .is_err_and(|failure| failure.class == FailureClass::Cancelled) =>
            {
                Err(self.not_asked(turn))
            }
            asked => asked,
        }
    }
}

impl JournalAsker<'_> {
    fn not_asked(&self, turn: &Turn) -> AttemptError {
        match self.unasked {
            Some(unasked) => {
                unasked.borrow_mut().push(turn.id.to_string());
                AttemptError::Stop(Stop::Deadline)
            }
            None => AttemptError::State(Box::new(NotAsked(turn.id.to_string()))),
        }
    }

    /// Returns the answer to a turn that failed without a call: its prompt exceeded the CLI's limit.
    fn refused(&self, turn: &Turn) -> Option<Answer<AnyReply>> {
        let closed = self.reader.stored.ledger.turns().get(turn.id.as_str())?;
        let failure = closed.failure.clone()?;
        let agent = &self.roster.cast(&turn.role)?.agent;
        Some(Answer {
            turn: turn.id.clone(),
            role: turn.role.clone(),
            respondent: Respondent::new(&agent.name, &agent.vendor),
            result: Err(failure),
            cost: closed.cost,
            attempts: 0,
            took: Duration::ZERO,
            notes: Vec::new(),
        })
    }
}

struct Reader<'a> {
    stored: &'a StoredSession,
    switch: &'a Switch,
}

impl Attempts for Reader<'_> {
    async fn permit(
        &self,
        intent: &Intent,
        _: [&str; 2],
        _: &dyn Fn(&[u8]) -> Option<AttemptResult>,
    ) -> Result<Permit, AttemptError> {
        let state = |error: Box<dyn std::error::Error + Send + Sync>| AttemptError::State(error);
        let found = self.stored.ledger.recorded(&intent.turn, intent.kind, intent.attempt);
        let Some(result) = found else {
            if let Some(failure) = self.too_late(intent, Duration::ZERO) {
                return Ok(Permit::OutOfTime(failure));
            }
            return Err(state(Box::new(NotAsked(intent.turn.clone()))));
        };
        let answer = match &result.answer {
            Some(sha) => Some(self.stored.answer(sha).map_err(|error| state(Box::new(error)))?),
            None => None,
        };
        Ok(Permit::Replay(Box::new(result.attempt(answer))))
    }

    async fn launch(&self, _: &Intent, _: &Spec, _: &mut dyn Sink) -> ProcessResult {
        ran(Ending::Cancelled, 0, Duration::ZERO)
    }

    async fn settle(&self, _: &Intent, _: &AttemptResult) -> Result<Cost, AttemptError> {
        Err(AttemptError::Stop(Stop::Deadline))
    }

    fn happened(&self, _: &Intent, _: AttemptEvent) {}

    fn too_late(&self, intent: &Intent, _: Duration) -> Option<Failure> {
        let ledger = &self.stored.ledger;
        let closed = ledger.turns().get(&intent.turn)?;
        // Attempts that were made before are replayed.
        let recorded = ledger.recorded(&intent.turn, intent.kind, intent.attempt);
        recorded.is_none().then(|| not_made(closed, &intent.agent))?
    }

    fn control(&self) -> watch::Receiver<Control> {
        self.switch.listen()
    }
}
