//! The ledger's view for readers of a session who will not continue it.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use chrono::{DateTime, TimeDelta, Utc};

use super::{Call, Ledger, Run, Runs};
use crate::journal::attempt::Kind;
use crate::journal::record::CallResult;
use crate::kernel::{Cost, FailureClass, Usd, count};

/// A start, and the end if there is one.
pub type Span = (DateTime<Utc>, Option<DateTime<Utc>>);

impl Ledger {
    /// Returns when the session was opened and last written, by the clocks of that time.
    pub fn times(&self) -> Option<(DateTime<Utc>, DateTime<Utc>)> {
        self.first_at.zip(self.last_at)
    }

    /// Returns when each turn was first asked for, and when it was last closed, by the clocks of that time.
    pub fn spans(&self) -> &BTreeMap<String, Span> {
        &self.spans
    }

    /// Returns a turn's span, starting one now if it has none.
    pub(super) fn span(&mut self, turn: &str, at: DateTime<Utc>) -> &mut Span {
        self.spans.entry(turn.to_owned()).or_insert((at, None))
    }

    /// Returns every result, in no particular order.
    pub fn results(&self) -> impl Iterator<Item = &CallResult> {
        self.calls.values().flat_map(|known| &known.all).filter_map(|run| match run {
            Run::Done(result) => Some(&**result),
            Run::Open(_) | Run::Left(_) | Run::Ambiguous => None,
        })
    }

    /// Returns the calls left in flight by a dead run, neither adopted nor charged yet.
    pub fn left(&self) -> Vec<Call> {
        let mut left: Vec<Call> = self
            .calls
            .iter()
            .filter(|(_, known)| matches!(known.all.last(), Some(Run::Left(_) | Run::Open(_))))
            .map(|(key, known)| Call { key: key.clone(), run: count(known.all.len()) })
            .collect();
        left.sort_by(|a, b| a.key.cmp(&b.key));
        left
    }

    /// Returns the total duration of each turn's calls, in milliseconds.
    pub fn durations(&self) -> BTreeMap<String, u64> {
        let mut durations: BTreeMap<String, u64> = BTreeMap::new();
        for known in self.calls.values() {
            for run in &known.all {
                if let Run::Done(result) = run {
                    let took = durations.entry(known.turn.clone()).or_default();
                    *took = took.saturating_add(result.took_ms);
                }
            }
        }
        durations
    }

    /// Returns the time from the first record to the last; 0 if the clock went back.
    pub fn elapsed(&self) -> TimeDelta {
        self.times()
            .map_or(TimeDelta::zero(), |(first, last)| (last - first).max(TimeDelta::zero()))
    }

    /// Returns the failed turns that stopped the last run; a resume asks them again.
    pub fn ask_again(&self) -> &[String] {
        &self.ask_again
    }

    /// Returns the SHA-256 of every answer that a record refers to.
    pub fn answers(&self) -> impl Iterator<Item = &str> {
        self.results().filter_map(|result| result.answer.as_deref())
    }

    /// Whether this attempt was made in its present epoch, with any prompt and agent.
    ///
    /// If so but [`Ledger::look`] does not find it, the prompt or the agent has changed.
    pub fn was_made(&self, turn: &str, attempt: u32) -> bool {
        let epoch = self.epoch(turn, attempt);
        self.calls.values().any(|known| {
            known.turn == turn
                && known.attempt == attempt
                && known.epoch == epoch
                && known.all.iter().any(|run| *run != Run::Ambiguous)
        })
    }

    /// Returns the calls of this attempt, in its present epoch, that a dead run left in flight with another prompt or
    /// agent, and their reservations.
    pub fn left_of(&self, turn: &str, attempt: u32) -> Vec<(Call, Usd)> {
        let epoch = self.epoch(turn, attempt);
        self.calls
            .iter()
            .filter(|(_, known)| {
                known.turn == turn && known.attempt == attempt && known.epoch == epoch
            })
            .filter_map(|(key, known)| match known.all.last() {
                Some(Run::Left(reservation)) => {
                    let call = Call { key: key.clone(), run: count(known.all.len()) };
                    Some((call, *reservation))
                }
                Some(Run::Open(_) | Run::Ambiguous | Run::Done(_)) | None => None,
            })
            .collect()
    }

    /// Returns the latest result of an attempt, with any prompt and agent: for reading a session, not for continuing
    /// it.
    pub fn recorded(&self, turn: &str, kind: Kind, attempt: u32) -> Option<&CallResult> {
        self.calls
            .values()
            .filter(|known| known.turn == turn && known.kind == kind && known.attempt == attempt)
            // Accepted drift leaves two in one epoch: the later one counts.
            .max_by_key(|known| known.begun)
            .and_then(|known| match known.all.last() {
                Some(Run::Done(result)) => Some(&**result),
                Some(Run::Open(_) | Run::Left(_) | Run::Ambiguous) | None => None,
            })
    }

    /// Returns the calls that may be paid for twice, in order: turn and charge.
    pub fn ambiguous(&self) -> impl Iterator<Item = (&str, Cost)> {
        self.ambiguous.iter().map(|(turn, charged)| (turn.as_str(), *charged))
    }

    /// Returns the changes accepted as drift, over all resumes.
    pub fn accepted_drift(&self) -> &[String] {
        &self.accepted_drift
    }

    /// Returns the number of answers kept from the parent, and their cost there.
    pub fn kept(&self) -> (u32, Option<Cost>) {
        (self.kept, Cost::sum(self.results().filter_map(|result| result.kept)))
    }

    /// Returns an attempt's result kept from the parent, whatever the present prompt or agent; `None` also if a
    /// resume voided it, so that it is asked again.
    pub fn kept_result(&self, turn: &str, kind: Kind, attempt: u32) -> Option<&CallResult> {
        self.recorded(turn, kind, attempt)
            .filter(|result| result.kept.is_some() && self.epoch(turn, attempt) == 0)
    }

    /// Returns the turns with any record: a call or a closing.
    pub fn turns_known(&self) -> BTreeSet<&str> {
        let called = self.calls.values().map(|known| known.turn.as_str());
        called.chain(self.turns.keys().map(String::as_str)).collect()
    }

    /// Returns the completed calls, of all turns, that a resume would answer from the journal: for each attempt,
    /// counted from the first, the latest one in its present epoch. A cancelled attempt ends the sequence, as does
    /// one made earlier than the attempt before it, since it then followed another.
    pub fn standing(&self) -> HashSet<Call> {
        let mut standing = HashSet::new();
        let mut attempts: BTreeMap<(&str, u32), (&String, &Runs)> = BTreeMap::new();
        for (key, known) in &self.calls {
            if known.epoch != self.epoch(&known.turn, known.attempt) {
                continue;
            }
            let place = (known.turn.as_str(), known.attempt);
            let last = attempts.entry(place).or_insert((key, known));
            if last.1.begun < known.begun {
                *last = (key, known);
            }
        }
        // The turn, attempt and time order of the previous call in its sequence.
        let mut row: Option<(&str, u32, u32)> = None;
        for ((turn, attempt), (key, known)) in attempts {
            let follows = match row {
                Some((before, number, begun)) if before == turn => {
                    attempt == number + 1 && known.begun > begun
                }
                Some(_) | None => attempt == 1,
            };
            let finished = match known.all.last() {
                Some(Run::Done(result)) => (result.failure.as_ref())
                    .is_none_or(|failure| failure.class != FailureClass::Cancelled),
                Some(Run::Open(_) | Run::Left(_) | Run::Ambiguous) | None => false,
            };
            if follows && finished {
                row = Some((turn, attempt, known.begun));
                standing.insert(Call { key: key.clone(), run: count(known.all.len()) });
            }
        }
        standing
    }
}
