//! The fold of a journal: the calls made, their cost, and the calls that a resume still has to make.
//!
//! The ledger is never stored; it is derived from the records alone. [`Ledger::check`] is called before a record is
//! written and again when it is read, so every journal written by this program is also accepted by it.

mod check;
mod history;

pub use history::Span;

use std::collections::{BTreeMap, HashMap};

use chrono::{DateTime, Utc};

use super::attempt::{Intent, Kind};
use super::key;
use super::record::{
    Body, CallAmbiguous, CallIntent, CallResult, Digests, Record, SessionClosed, SessionOpened,
    SessionResumed, TurnClosed,
};
use crate::kernel::{Cost, FailureClass, Limit, Quota, Shortfall, Usd, count};

/// Identifies one run of a call.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Call {
    /// The call's key: 64 hexadecimal digits.
    pub key: String,
    /// The number of the run, from 1.
    pub run: u32,
}

/// The journal's knowledge of an attempt that is about to be made.
#[derive(Debug, Clone, PartialEq)]
pub enum Found<'a> {
    /// It was completed: replay it.
    Result(&'a CallResult),
    /// An earlier run was interrupted during it: adopt its spool, or charge it as ambiguous.
    Interrupted {
        /// The interrupted run.
        call: Call,
        /// The amount reserved for it.
        reservation: Usd,
    },
    /// It was never made, or all its runs have been charged as ambiguous.
    Nothing,
}

/// A session's state by its journal alone; only its lock shows whether a process is running it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum State {
    /// A run is in progress, or was when its process died.
    #[default]
    Running,
    /// It can be resumed.
    Suspended {
        /// The outcome of the last run, such as `budget` or `interrupted`.
        outcome: String,
        /// The limit that stopped it, if one did.
        limit: Option<Limit>,
    },
    /// The debate ended.
    Closed {
        /// The final outcome, such as `consensus`.
        outcome: String,
        /// The final verdict, such as `decided`.
        verdict: String,
    },
}

/// The state of one run of a call.
#[derive(Debug, Clone, PartialEq)]
enum Run {
    /// The present process has written its intent. Contains the reservation.
    Open(Usd),
    /// The process that wrote its intent is gone. Its reservation counts as spent until it is adopted or charged.
    Left(Usd),
    /// It may have been paid for.
    Ambiguous,
    Done(Box<CallResult>),
}

#[derive(Debug, Clone, PartialEq)]
struct Runs {
    turn: String,
    role: String,
    kind: Kind,
    attempt: u32,
    epoch: u32,
    /// Number of calls begun in the session up to this key's last run.
    begun: u32,
    all: Vec<Run>,
}

/// The fold of a journal.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Ledger {
    session: String,
    opened: Option<SessionOpened>,
    state: State,
    digests: Digests,
    budget: Option<Usd>,
    calls: HashMap<String, Runs>,
    turns: BTreeMap<String, TurnClosed>,
    spans: BTreeMap<String, Span>,
    /// The cost of results and ambiguous calls.
    settled: Option<Cost>,
    reserved: Usd,
    left: Usd,
    largest: BTreeMap<String, Usd>,
    made: u32,
    /// Number of results kept from the parent: no process ran for them in this session.
    kept: u32,
    /// Per turn, the first attempt of each voiding; see [`Ledger::epoch`].
    voids: HashMap<String, Vec<u32>>,
    ask_again: Vec<String>,
    tree_changed: Vec<String>,
    short: Option<Shortfall>,
    cancelled: BTreeMap<String, u32>,
    rounds: u32,
    quotas: Vec<Quota>,
    ambiguous: Vec<(String, Cost)>,
    accepted_drift: Vec<String>,
    first_at: Option<DateTime<Utc>>,
    last_at: Option<DateTime<Utc>>,
}

impl Ledger {
    /// Creates the ledger of a journal without records.
    pub fn new(session: &str) -> Self {
        Self { session: session.to_owned(), ..Self::default() }
    }

    /// Whether a call to this seat or role was ever begun.
    pub fn asked(&self, role: &str) -> bool {
        self.calls.values().any(|runs| runs.role == role)
    }

    /// Returns the journal's knowledge of an attempt. Results kept from the parent are found whatever the present
    /// prompt or agent, and a repair whatever its present wording.
    pub fn look(&self, intent: &Intent) -> Found<'_> {
        let key = self.key(intent);
        let in_any_words = intent.kind == Kind::Repair;
        let made = || {
            let (turn, kind, attempt) = (&intent.turn, intent.kind, intent.attempt);
            in_any_words.then(|| self.made(turn, kind, attempt)).flatten()
        };
        let Some((key, known)) = self.calls.get_key_value(&key).or_else(made) else {
            let kept = self.kept_result(&intent.turn, intent.kind, intent.attempt);
            return kept.map_or(Found::Nothing, Found::Result);
        };
        let key = key.clone();
        let run = count(known.all.len());
        match known.all.last() {
            Some(Run::Done(result)) => Found::Result(result),
            Some(Run::Open(reservation) | Run::Left(reservation)) => {
                Found::Interrupted { call: Call { key, run }, reservation: *reservation }
            }
            Some(Run::Ambiguous) | None => Found::Nothing,
        }
    }

    /// Returns the last call made for this attempt of a turn, if it follows the attempts before it: after accepted
    /// drift they were made again.
    ///
    /// A repair's prompt describes the defect in words that change between versions; the turn is recognised by the
    /// prompt of its first attempt.
    fn made(&self, turn: &str, kind: Kind, attempt: u32) -> Option<(&String, &Runs)> {
        let epoch = self.epoch(turn, attempt);
        let of_turn = || self.calls.iter().filter(|(_, known)| known.turn == turn);
        let such = of_turn().filter(|(_, known)| {
            known.kind == kind && known.attempt == attempt && known.epoch == epoch
        });
        let before = of_turn().filter(|(_, known)| known.attempt < attempt);
        let begun = before.map(|(_, known)| known.begun).max().unwrap_or(0);
        such.max_by_key(|(_, known)| known.begun).filter(|(_, known)| known.begun > begun)
    }

    /// Returns the call for the next run of this attempt.
    pub fn next_call(&self, intent: &Intent) -> Call {
        let key = self.key(intent);
        let before = self.calls.get(&key).map_or(0, |known| known.all.len());
        Call { run: count(before + 1), key }
    }

    /// Returns an attempt's key in its present epoch.
    pub fn key(&self, intent: &Intent) -> String {
        key::of(&self.session, intent, self.epoch(&intent.turn, intent.attempt))
    }

    /// Returns how often a resume voided this attempt; each time it is asked again under a new key.
    ///
    /// A turn in [`SessionSuspended::ask_again`](super::record::SessionSuspended) is voided from its first attempt; a
    /// cancelled attempt is voided with those after it, and the completed ones before it are replayed.
    pub fn epoch(&self, turn: &str, attempt: u32) -> u32 {
        self.voids
            .get(turn)
            .map_or(0, |from| count(from.iter().filter(|first| **first <= attempt).count()))
    }

    /// Returns the total spent: results, ambiguous calls, and calls that a dead run left in flight. `None`: no call
    /// was made.
    pub fn spent(&self) -> Option<Cost> {
        let left = (self.left > Usd::ZERO).then_some(Cost::declared(self.left));
        Cost::sum(self.settled.into_iter().chain(left))
    }

    /// Returns the money reserved for calls in flight. If no process is running the session, it counts as spent.
    pub fn reserved(&self) -> Usd {
        self.reserved
    }

    /// Returns the largest cost of one call of this role so far, for the next reservation.
    pub fn largest(&self, role: &str) -> Option<Usd> {
        self.largest.get(role).copied()
    }

    /// Returns the number of calls begun in this session, including reruns but not kept results.
    pub fn calls_made(&self) -> u32 {
        self.made - self.kept
    }

    /// Returns the session's state as of the last record.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Returns the body of the first record; `None` for a journal without records.
    pub fn opened(&self) -> Option<&SessionOpened> {
        self.opened.as_ref()
    }

    /// Returns the digests that a resume compares with: those of the opening, or the last accepted ones.
    pub fn digests(&self) -> &Digests {
        &self.digests
    }

    /// Returns the files that changed while agents could read the repository, over all runs.
    pub fn tree_changed(&self) -> &[String] {
        &self.tree_changed
    }

    /// Returns the budget's shortfall at the end of the last run, if any.
    pub fn short(&self) -> Option<Shortfall> {
        self.short
    }

    /// Returns the budget set last, by the opening or a later run.
    pub fn budget(&self) -> Option<Usd> {
        self.budget
    }

    /// Returns what the agents' CLIs last reported of their vendors' quotas in this session.
    pub fn quotas(&self) -> &[Quota] {
        &self.quotas
    }

    /// Returns the closed turns by id, each as it was last closed.
    pub fn turns(&self) -> &BTreeMap<String, TurnClosed> {
        &self.turns
    }

    /// Returns the last closed round's number, 0 before the first.
    pub fn rounds(&self) -> u32 {
        self.rounds
    }

    /// Adds the next record.
    pub fn fold(&mut self, record: &Record) -> Result<(), String> {
        self.check(&record.body)?;
        self.first_at.get_or_insert(record.at);
        self.last_at = Some(record.at);
        match &record.body {
            Body::Opened(opened) => {
                self.digests = opened.digests.clone();
                self.budget = opened.budget;
                self.opened = Some((**opened).clone());
            }
            Body::Resumed(resumed) => self.resume(resumed),
            Body::Intent(intent) => {
                self.span(&intent.intent.turn, record.at);
                self.begin(intent);
            }
            Body::Result(result) => self.settle(result),
            Body::Ambiguous(call) => self.charge(call),
            Body::TurnClosed(turn) => {
                self.span(&turn.turn, record.at).1 = Some(record.at);
                self.turns.insert(turn.turn.clone(), (**turn).clone());
            }
            Body::RoundClosed(round) => self.rounds = self.rounds.max(round.round),
            Body::Suspended(suspended) => {
                self.ask_again.clone_from(&suspended.ask_again);
                // Permanently: no later run can undo that agents read something other than the present files.
                for file in &suspended.tree_changed {
                    if !self.tree_changed.contains(file) {
                        self.tree_changed.push(file.clone());
                    }
                }
                self.short = suspended.short;
                let (outcome, limit) = (suspended.outcome.clone(), suspended.limit);
                self.state = State::Suspended { outcome, limit };
            }
            Body::Closed(SessionClosed { outcome, verdict }) => {
                self.short = None;
                self.state = State::Closed { outcome: outcome.clone(), verdict: verdict.clone() };
            }
            Body::Parsed(_) => {}
        }
        Ok(())
    }

    fn resume(&mut self, resumed: &SessionResumed) {
        self.state = State::Running;
        self.short = None;
        self.accepted_drift.extend(resumed.accepted_drift.iter().cloned());
        if resumed.budget.is_some() {
            self.budget = resumed.budget;
        }
        if let Some(digests) = &resumed.digests {
            self.digests = digests.clone();
        }
        // The process that wrote these intents is gone.
        for known in self.calls.values_mut() {
            if let Some(run) = known.all.last_mut()
                && let Run::Open(reservation) = *run
            {
                *run = Run::Left(reservation);
            }
        }
        self.left += std::mem::take(&mut self.reserved);
        for turn in std::mem::take(&mut self.ask_again) {
            self.cancelled.insert(turn, 1);
        }
        for (turn, from) in std::mem::take(&mut self.cancelled) {
            self.turns.remove(&turn);
            self.voids.entry(turn).or_default().push(from);
        }
    }

    fn begin(&mut self, call: &CallIntent) {
        self.made += 1;
        self.reserved += call.reservation;
        let known = self.calls.entry(call.key.clone()).or_insert_with(|| Runs {
            turn: call.intent.turn.clone(),
            role: call.intent.role.clone(),
            kind: call.intent.kind,
            attempt: call.intent.attempt,
            epoch: call.epoch,
            begun: 0,
            all: Vec::new(),
        });
        known.begun = self.made;
        known.all.push(Run::Open(call.reservation));
    }

    fn settle(&mut self, result: &CallResult) {
        let Some((turn, role, attempt)) =
            self.end_run(&result.key, Run::Done(Box::new(result.clone())))
        else {
            return;
        };
        let cost = result.kept.unwrap_or(result.cost);
        if result.kept.is_some() {
            self.kept += 1;
        } else {
            self.settled = Cost::sum(self.settled.into_iter().chain([cost]));
            if let Some(quota) = result.quota.clone() {
                quota.put(&mut self.quotas);
            }
        }
        let largest = self.largest.entry(role).or_default();
        *largest = (*largest).max(cost.usd);
        let cancelled =
            result.failure.as_ref().is_some_and(|failure| failure.class == FailureClass::Cancelled);
        if cancelled {
            let from = self.cancelled.entry(turn).or_insert(attempt);
            *from = (*from).min(attempt);
        }
    }

    fn charge(&mut self, call: &CallAmbiguous) {
        if let Some((turn, _, _)) = self.end_run(&call.key, Run::Ambiguous) {
            self.ambiguous.push((turn, call.charged));
            self.settled = Cost::sum(self.settled.into_iter().chain([call.charged]));
        }
    }

    /// Replaces a key's last run, releases its reservation, and returns turn, role and attempt.
    fn end_run(&mut self, key: &str, end: Run) -> Option<(String, String, u32)> {
        let known = self.calls.get_mut(key)?;
        match std::mem::replace(known.all.last_mut()?, end) {
            Run::Open(reservation) => self.reserved = self.reserved.saturating_sub(reservation),
            Run::Left(reservation) => self.left = self.left.saturating_sub(reservation),
            Run::Ambiguous | Run::Done(_) => {}
        }
        Some((known.turn.clone(), known.role.clone(), known.attempt))
    }

    fn run(&self, key: &str, run: u32) -> Option<&Run> {
        let runs = &self.calls.get(key)?.all;
        runs.last().filter(|_| count(runs.len()) == run)
    }
}
