//! Runs the attempts of a run: each is looked up, reserved, journaled, spooled and settled in this module.
//!
//! This is the application's side of [`Attempts`]: the session's journal below it, the budget and the switch beside
//! it, the events above it. Attempts already in the journal are replayed; a reply that an interrupted run left in its
//! spool is adopted; a call that may have been paid for is charged and, unless the user wants otherwise, made again.

mod happening;
mod late;

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore, watch};

pub(crate) use happening::event;
pub(crate) use late::not_made;

use super::launch::{Launch, Tee};
use super::quota::Quotas;
use crate::agent::attempts::{
    AttemptError, AttemptEvent, AttemptResult, Attempts, Extent, Intent, Permit, TimeLeft,
};
use crate::agent::roster::key_and_model;
use crate::config::limits::OnAmbiguous;
use crate::engine::budget::{Balance, Budget};
use crate::engine::bus::Bus;
use crate::engine::clock::RoundClock;
use crate::engine::events::EventKind;
use crate::engine::switch::Switch;
use crate::kernel::{
    Basis, Cost, Fact, Failure, FailureClass, HUMAN, Quota, Respondent, Shortfall, Stop, Turn, Usd,
};
use crate::ordered::{BTreeMap, Gather};
use crate::process::{Control, ProcessResult, Sink, Spec};
use crate::session::record::{Body, ParseResult, TurnClosed};
use crate::session::{Call, Found, Session, StoreError};
use crate::text::Note;
use crate::text::redact::Redactor;

/// A session shared by several parts of one task.
pub(crate) type SharedSession = Rc<RefCell<Session>>;

/// Why an attempt may not be made although the disk is fine.
#[derive(Debug, thiserror::Error)]
pub(crate) enum AttemptRefusal {
    /// A crash cut off a call, and the user wants to decide.
    #[error(
        "the call {turn} (attempt {attempt}) was cut off by a crash and may have been paid for: up to {charged}"
    )]
    Ambiguous { turn: String, attempt: u32, charged: Usd },
    /// The journal contains this attempt for another prompt or agent.
    #[error(
        "the call {turn} was already made with another prompt or agent, so its answer cannot be reused"
    )]
    Drifted { turn: String },
}

pub(crate) struct AttemptRunner<'a> {
    pub(crate) session: SharedSession,
    pub(crate) parts: RunnerParts<'a>,
    calls_before: u32,
    slots: Arc<Semaphore>,
    agent_slots: BTreeMap<String, Arc<Semaphore>>,
    live: RefCell<HashMap<(String, u32), OpenCall>>,
    /// Notifies attempts waiting for budget that a call was settled.
    settled: Notify,
    /// The agent last asked, by turn; contains only turns that were live.
    seated: RefCell<BTreeMap<String, Respondent>>,
    last_key: RefCell<HashMap<String, String>>,
    /// The clock of the current round, if rounds have a time limit.
    rounds: Option<RoundClock>,
    /// The roles of the calls not covered by the budget, with their agents' declared cost and their extent.
    uncovered: RefCell<Vec<(String, Option<Usd>, Extent)>>,
    /// Turns for which their round left no time, with its limit in seconds.
    late: RefCell<BTreeMap<String, u64>>,
    /// Turns that the run can go on without, each with whether the budget did not cover it.
    spare: RefCell<BTreeMap<String, bool>>,
}

/// A call that is permitted and not yet settled.
struct OpenCall {
    call: Call,
    reservation: Usd,
    _slots: Vec<OwnedSemaphorePermit>,
}

/// The context of attempts, apart from the session.
pub(crate) struct RunnerParts<'a> {
    pub(crate) bus: &'a Bus,
    pub(crate) switch: &'a Switch,
    pub(crate) budget: Budget,
    pub(crate) quotas: Quotas,
    pub(crate) launch: &'a dyn Launch,
    pub(crate) redactor: &'a Redactor,
    pub(crate) on_ambiguous: OnAmbiguous,
    pub(crate) accept_drift: bool,
    pub(crate) max_parallel: usize,
    pub(crate) round_timeout: Option<Duration>,
    pub(crate) agents: Vec<Member>,
}

/// The facts about an agent that attempts need: who it is, what its calls cost, how many may run.
pub(crate) struct Member {
    pub(crate) role: String,
    pub(crate) name: String,
    pub(crate) vendor: String,
    pub(crate) declared: Option<Usd>,
    pub(crate) max_parallel: Option<u32>,
}

impl<'a> AttemptRunner<'a> {
    pub(crate) fn new(session: SharedSession, parts: RunnerParts<'a>) -> Self {
        let calls_before = session.borrow().ledger().calls_made();
        let slots = |count: usize| Arc::new(Semaphore::new(count.max(1)));
        Self {
            session,
            calls_before,
            slots: slots(parts.max_parallel),
            agent_slots: (parts.agents.iter())
                .filter_map(|agent| {
                    let most = usize::try_from(agent.max_parallel?).unwrap_or(usize::MAX);
                    Some((key_and_model(&agent.name).0.to_owned(), slots(most)))
                })
                .gather(),
            live: RefCell::default(),
            settled: Notify::new(),
            seated: RefCell::default(),
            last_key: RefCell::default(),
            rounds: parts.round_timeout.map(RoundClock::new),
            parts,
            uncovered: RefCell::default(),
            late: RefCell::default(),
            spare: RefCell::default(),
        }
    }

    /// Whether a process was started for a turn in this run.
    pub(crate) fn was_live(&self, turn: &str) -> bool {
        self.seated.borrow().contains_key(turn)
    }

    /// Whether a person has a seat.
    pub(crate) fn asks_a_person(&self) -> bool {
        self.parts.agents.iter().any(|agent| agent.name == HUMAN)
    }

    /// Reports a started turn as finished when the run is stopped in the middle of it.
    pub(crate) fn abandon(&self, turn: &Turn, why: &str) {
        if !self.was_live(&turn.id) {
            return;
        }
        self.parts.bus.emit(EventKind::TurnFinished {
            turn: turn.id.to_string(),
            role: turn.role.clone(),
            seated: self.seated.borrow().get(turn.id.as_str()).cloned().unwrap_or_default(),
            failure: Some(Failure { class: FailureClass::Cancelled, message: why.to_owned() }),
            replayed: false,
            took: Duration::ZERO,
            cost: None,
            spent: self.spent(),
            gist: Vec::new(),
        });
    }

    /// Returns what the session has spent so far.
    pub(crate) fn spent(&self) -> Usd {
        self.session.borrow().ledger().spent().map_or(Usd::ZERO, |cost| cost.usd)
    }

    /// Records how the last reply of a turn was judged, and how the turn ended. Does nothing on a replay.
    pub(crate) fn close_turn(
        &self,
        closed: TurnClosed,
        judged: Vec<ParseResult>,
    ) -> Result<(), StoreError> {
        let mut session = self.session.borrow_mut();
        if session.ledger().turns().contains_key(&closed.turn) {
            return Ok(());
        }
        for parsed in judged {
            session.note(Body::Parsed(Box::new(parsed)))?;
        }
        // At once, not with the next record: somebody may be watching.
        session.append(Body::TurnClosed(Box::new(closed))).map(drop)
    }

    pub(crate) fn last_key(&self, turn: &str) -> String {
        self.last_key.borrow().get(turn).cloned().unwrap_or_default()
    }

    /// Returns what the budget lacks for the calls that it did not cover; `None` if it covered all.
    pub(crate) fn shortfall(&self) -> Option<Shortfall> {
        let uncovered = self.uncovered.borrow();
        let (first, ..) = uncovered.first()?;
        let reserves = (uncovered.iter()).map(|(role, declared, extent)| {
            (self.parts.budget).amount(role, self.balance(role).largest, *declared, *extent)
        });
        (self.parts.budget).shortfall(&self.balance(first), reserves.sum())
    }

    fn balance(&self, role: &str) -> Balance {
        let session = self.session.borrow();
        let ledger = session.ledger();
        Balance {
            spent: ledger.spent().map_or(Usd::ZERO, |cost| cost.usd),
            reserved: ledger.reserved(),
            largest: ledger.largest(role),
            calls: ledger.calls_made() - self.calls_before,
        }
    }

    /// Answers an attempt from the journal or the spool; `None` if it has to be made.
    fn look(
        &self,
        intent: &Intent,
        adopt: &dyn Fn(&[u8]) -> Option<AttemptResult>,
    ) -> Result<Option<AttemptResult>, AttemptError> {
        let mut session = self.session.borrow_mut();
        let key = session.ledger().key(intent);
        self.last_key.borrow_mut().insert(intent.turn.clone(), key);
        let (call, reservation) = match session.ledger().look(intent) {
            Found::Result(result) => {
                let result = result.clone();
                return session.replay(&result).map(Some).map_err(state);
            }
            Found::Nothing if self.parts.accept_drift => {
                // Made for another agent or prompt, and cut off: its spool is a reply to another call.
                let left = session.ledger().left_of(&intent.turn, intent.attempt);
                drop(session);
                for (call, reservation) in left {
                    self.charge(intent, &call, reservation)?;
                }
                return Ok(None);
            }
            Found::Nothing if session.ledger().was_made(&intent.turn, intent.attempt) => {
                return Err(state(AttemptRefusal::Drifted { turn: intent.turn.clone() }));
            }
            Found::Nothing => return Ok(None),
            Found::Interrupted { call, reservation } => (call, reservation),
        };
        if let Some(result) = session.adopt_rescued(&call).map_err(state)? {
            return Ok(Some(result));
        }
        let spool = session.spool(&call).map_err(state)?;
        if let Some(mut result) = adopt(&spool) {
            let charged = result.cost.unwrap_or(Cost { usd: reservation, basis: Basis::Declared });
            result.cost = Some(charged);
            session.adopt(&call, &result, charged).map_err(state)?;
            return Ok(Some(result));
        }
        drop(session);
        self.charge(intent, &call, reservation)?;
        Ok(None)
    }

    /// Charges a call that a crash cut off, so that it is made again, unless the user wants to decide.
    fn charge(&self, intent: &Intent, call: &Call, reservation: Usd) -> Result<(), AttemptError> {
        // A person in the middle of an answer is asked again, and nobody was paid.
        let person = intent.agent == HUMAN;
        if self.parts.on_ambiguous == OnAmbiguous::Fail && !person {
            return Err(state(AttemptRefusal::Ambiguous {
                turn: intent.turn.clone(),
                attempt: intent.attempt,
                charged: reservation,
            }));
        }
        self.session.borrow_mut().charge_ambiguous(call, reservation).map_err(state)?;
        if person {
            return Ok(());
        }
        self.warn(
            intent,
            "possibly_paid_twice",
            format!(
                "a crash cut this call off: {reservation} is charged for it, and it is made again"
            ),
        );
        Ok(())
    }

    fn warn(&self, intent: &Intent, code: &str, message: String) {
        let fact = Fact::warning(&Note::new(code, message), Some(&intent.turn));
        self.parts.bus.emit(EventKind::Found(fact));
    }

    async fn slots(&self, agent: &str) -> Result<Vec<OwnedSemaphorePermit>, AttemptError> {
        let mut held = Vec::new();
        // The agent's own slot first: an attempt waiting for it must not occupy a general one.
        for slots in self.agent_slots.get(key_and_model(agent).0).into_iter().chain([&self.slots]) {
            held.push(Arc::clone(slots).acquire_owned().await.map_err(state)?);
        }
        Ok(held)
    }
}

impl Attempts for AttemptRunner<'_> {
    async fn permit(
        &self,
        intent: &Intent,
        prompt: [&str; 2],
        adopt: &dyn Fn(&[u8]) -> Option<AttemptResult>,
    ) -> Result<Permit, AttemptError> {
        if let Some(result) = self.look(intent, adopt)? {
            return Ok(Permit::Replay(Box::new(result)));
        }
        if let Some(failure) = self.was_late(intent) {
            return Ok(Permit::OutOfTime(failure));
        }
        let key = key_and_model(&intent.agent).0;
        let declared = (self.parts.agents.iter())
            .filter(|agent| key_and_model(&agent.name).0 == key)
            .find_map(|agent| agent.declared);
        let (slots, reservation) = loop {
            let slots = self.slots(&intent.agent).await?;
            if let Some(why) = self.parts.switch.stopped() {
                return Err(AttemptError::Stop(why));
            }
            if let Some(failure) = self.no_time_after(intent, Duration::ZERO) {
                return Ok(Permit::OutOfTime(failure));
            }
            if let Some(why) = self.parts.quotas.refusal(&intent.agent) {
                self.warn(intent, "quota_kept", why);
                return Err(AttemptError::Stop(Stop::Quota));
            }
            let balance = self.balance(&intent.role);
            match self.parts.budget.reserve(&balance, &intent.role, declared, intent.extent()) {
                Ok(reservation) => break (slots, reservation),
                // Running calls may cost less than their reservations: the budget is exhausted only if the call does
                // not fit while nothing runs.
                Err(Stop::Budget) if !self.live.borrow().is_empty() => {
                    drop(slots);
                    self.settled.notified().await;
                }
                Err(Stop::Budget) if self.leave_out(&intent.turn) => {
                    return Ok(Permit::OutOfTime(late::unaffordable(&intent.agent)));
                }
                Err(why) => {
                    let uncovered = (intent.role.clone(), declared, intent.extent());
                    self.uncovered.borrow_mut().push(uncovered);
                    return Err(AttemptError::Stop(why));
                }
            }
        };
        let prompt = prompt.map(|part| self.parts.redactor.text(part)).join("\0");
        let begun = self.session.borrow_mut().begin(intent, prompt.as_bytes(), reservation);
        let call = begun.map_err(state)?;
        let live = OpenCall { call, reservation, _slots: slots };
        self.live.borrow_mut().insert((intent.turn.clone(), intent.attempt), live);
        Ok(Permit::Run)
    }

    async fn launch(&self, intent: &Intent, spec: &Spec, sink: &mut dyn Sink) -> ProcessResult {
        let spool = self
            .live
            .borrow()
            .get(&(intent.turn.clone(), intent.attempt))
            // Without a spool a crash loses this call; that is no reason not to make it.
            .and_then(|live| self.session.borrow().spool_writer(&live.call).ok());
        let mut tee = Tee::new(self.parts.redactor, spool, sink);
        let ran =
            self.parts.launch.launch(intent, spec, self.parts.switch.listen(), &mut tee).await;
        tee.finish();
        ran
    }

    async fn settle(&self, intent: &Intent, result: &AttemptResult) -> Result<Cost, AttemptError> {
        let live = self.live.borrow_mut().remove(&(intent.turn.clone(), intent.attempt));
        let Some(live) = live else {
            return Err(state(StoreError::Misuse {
                path: self.session.borrow().dir().to_owned(),
                what: format!("attempt {} of {} was never started", intent.attempt, intent.turn),
            }));
        };
        let charged = result.cost.unwrap_or(Cost { usd: live.reservation, basis: Basis::Declared });
        let quota = result.quota.clone().and_then(|quota| self.parts.quotas.take(quota));
        let is_known = |quota: &Quota| {
            let session = self.session.borrow();
            session.ledger().quotas().iter().any(|last| quota.repeats(last))
        };
        let quota = quota.filter(|quota| !is_known(quota));
        let result = AttemptResult { quota, ..result.clone() };
        let settled = self.session.borrow_mut().settle(&live.call, &result, charged);
        // Even on failure: waiting attempts must look again, and end.
        self.settled.notify_waiters();
        settled.map_err(state)?;
        let quotas = self.session.borrow().ledger().quotas().to_vec();
        tell_quota(self.parts.bus, &quotas, result.quota.as_ref());
        Ok(charged)
    }

    fn happened(&self, intent: &Intent, what: AttemptEvent) {
        // Stand-ins share a name and differ in vendor.
        let seated = |agent: &&Member| agent.role == intent.role && agent.name == intent.agent;
        let agent = self.parts.agents.iter().find(seated);
        let vendor = agent.map(|agent| agent.vendor.clone()).unwrap_or_default();
        if matches!(what, AttemptEvent::Started(_)) {
            let seated = Respondent::new(&intent.agent, &vendor);
            let before = self.seated.borrow_mut().insert(intent.turn.clone(), seated);
            if before.is_some() {
                return;
            }
        }
        self.parts.bus.emit(event(intent, what, &vendor, self.parts.redactor));
    }

    fn time_left(&self, intent: &Intent) -> Option<TimeLeft> {
        self.rounds.as_ref()?.left(&intent.turn, &intent.role)
    }

    fn too_late(&self, intent: &Intent, wait: Duration) -> Option<Failure> {
        self.was_late(intent).or_else(|| self.no_time_after(intent, wait))
    }

    fn control(&self) -> watch::Receiver<Control> {
        self.parts.switch.listen()
    }
}

/// Tells people who watch what an agent's CLI now reports, if it does.
pub(crate) fn tell_quota(bus: &Bus, quotas: &[Quota], of: Option<&Quota>) {
    if let Some(quota) = of.and_then(|of| quotas.iter().find(|one| one.agent == of.agent)) {
        let data = serde_json::to_value(quota).unwrap_or_default();
        bus.emit(EventKind::Found(Fact::new("quota", None, quota.to_string(), data)));
    }
}

fn state(error: impl std::error::Error + Send + Sync + 'static) -> AttemptError {
    AttemptError::State(Box::new(error))
}

#[cfg(test)]
#[path = "attempts_tests.rs"]
mod tests;
