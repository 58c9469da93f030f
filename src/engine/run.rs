//! The loop itself.

use std::error::Error;
use std::io;

use futures_util::future::join_all;

use super::bus::Bus;
use super::events::EventKind;
use super::switch::Switch;
use crate::agent::attempts::AttemptError;
use crate::kernel::{Answer, AnyReply, DynDriver, End, Step, Stop, Turn};

/// Asks one turn, including all its attempts. The engine's only outlet.
#[expect(async_fn_in_trait, reason = "one task runs everything; futures need not be Send")]
pub trait TurnAsker {
    /// Asks a turn and returns its answer, or failure; `Err` ends the run. `driver`: reads the replies.
    async fn ask(
        &self,
        turn: &Turn,
        driver: &dyn DynDriver,
    ) -> Result<Answer<AnyReply>, AttemptError>;
}

/// Why a run ended without an outcome: nothing more was spent after it.
#[derive(Debug, thiserror::Error)]
pub enum Fatal {
    #[error("the session's state could not be saved")]
    State(#[source] Box<dyn Error + Send + Sync>),
    #[error("failed to write the events")]
    Reporter(#[source] io::Error),
}

/// Runs a protocol to its end, or until a limit stops it; [`Driver::outcome`](crate::kernel::Driver::outcome) has the
/// result.
///
/// `of` is the maximum number of rounds, for the events.
///
/// # Errors
/// [`Fatal`] if state or reporters fail; a failed turn is not an error but data for the protocol.
pub async fn run(
    driver: &mut dyn DynDriver,
    asking: &impl TurnAsker,
    bus: &Bus,
    switch: &Switch,
    of: u32,
) -> Result<End, Fatal> {
    loop {
        if let Some(error) = bus.take_error() {
            return Err(Fatal::Reporter(error));
        }
        if let Some(why) = switch.ends_here() {
            return Ok(driver.end(why));
        }
        let (opens_round, turns) = match driver.step() {
            Step::Done(outcome) => {
                return Ok(if outcome.closes() { End::Closed } else { End::Failed });
            }
            Step::Ask { opens_round, turns } => (opens_round, turns),
        };
        if let Some(round) = opens_round {
            bus.emit(EventKind::RoundOpened { round, of });
        }
        let asked = turns.into_iter().map(|turn| asking.ask(turn, &*driver));
        match collect(join_all(asked).await) {
            Ok(answers) => {
                for event in driver.apply(answers) {
                    bus.emit(event.into());
                }
            }
            Err((answers, AttemptError::Stop(why))) => {
                driver.part(answers);
                return Ok(driver.end(why));
            }
            Err((_, AttemptError::State(error))) => return Err(Fatal::State(error)),
        }
    }
}

/// The answers of a step that was cut short, and the reason.
type StepCut = (Vec<Option<Answer<AnyReply>>>, AttemptError);

/// Returns the answers in the order of their turns; or those received, and the reason that halts the run: broken
/// state before a signal before a budget.
fn collect(
    asked: Vec<Result<Answer<AnyReply>, AttemptError>>,
) -> Result<Vec<Answer<AnyReply>>, StepCut> {
    let mut answers = Vec::with_capacity(asked.len());
    let mut halt: Option<AttemptError> = None;
    for result in asked {
        match result {
            Ok(answer) => answers.push(Some(answer)),
            Err(next) => {
                answers.push(None);
                halt = Some(match halt {
                    None => next,
                    Some(first) if weight(&next) > weight(&first) => next,
                    Some(first) => first,
                });
            }
        }
    }
    match halt {
        None => Ok(answers.into_iter().flatten().collect()),
        Some(halt) => Err((answers, halt)),
    }
}

fn weight(halt: &AttemptError) -> u8 {
    match halt {
        AttemptError::State(_) => 3,
        AttemptError::Stop(Stop::Cancelled(_)) => 2,
        AttemptError::Stop(Stop::Deadline) => 1,
        AttemptError::Stop(Stop::Budget | Stop::Quota | Stop::Running | Stop::Terminated) => 0,
    }
}
