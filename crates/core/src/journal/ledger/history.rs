//! What a ledger tells readers of a session that are not about to go on with it.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use chrono::{DateTime, TimeDelta, Utc};

use super::{Call, Ledger, Run, Runs, number};
use crate::journal::attempt::Kind;
use crate::journal::record::CallResult;
use crate::kernel::{Cost, FailureClass, Usd};

/// When something began, and when it ended.
pub type Span = (DateTime<Utc>, Option<DateTime<Utc>>);

impl Ledger {
    /// Returns when it was opened and last written, by the clocks of that time.
    pub fn times(&self) -> Option<(DateTime<Utc>, DateTime<Utc>)> {
        self.first_at.zip(self.last_at)
    }

    /// Returns when each turn was first asked for, and when it was last closed, by the clocks of that time.
    pub fn spans(&self) -> &BTreeMap<String, Span> {
        &self.spans
    }

    /// Returns a turn's times, which begin now where it has none.
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

    /// Returns the calls whose process died with their run and that are neither adopted nor charged yet.
    pub fn left(&self) -> Vec<Call> {
        let mut left: Vec<Call> = self
            .calls
            .iter()
            .filter(|(_, known)| matches!(known.all.last(), Some(Run::Left(_) | Run::Open(_))))
            .map(|(key, known)| Call { key: key.clone(), run: number(known.all.len()) })
            .collect();
        left.sort_by(|a, b| a.key.cmp(&b.key));
        left
    }

    /// Returns how long the calls of each turn took together, in milliseconds.
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

    /// Returns the time from the first record to the last; 0 where the clock went back.
    pub fn elapsed(&self) -> TimeDelta {
        self.times()
            .map_or(TimeDelta::zero(), |(first, last)| (last - first).max(TimeDelta::zero()))
    }

    /// Returns the failed turns that stopped the last run; a resume asks them again.
    pub fn ask_again(&self) -> &[String] {
        &self.ask_again
    }

    /// Returns the sha of every answer that a record points at.
    pub fn answers(&self) -> impl Iterator<Item = &str> {
        self.results().filter_map(|result| result.answer.as_deref())
    }

    /// Returns whether this attempt was made in its present epoch, for whatever prompt and agent.
    ///
    /// True for an attempt that [`Ledger::look`] does not find, it means that the prompt or
    /// the agent is not what it was.
    pub fn was_made(&self, turn: &str, attempt: u32) -> bool {
        let epoch = self.epoch(turn, attempt);
        self.calls.values().any(|known| {
            known.turn == turn
                && known.attempt == attempt
                && known.epoch == epoch
                && known.all.iter().any(|run| *run != Run::Ambiguous)
        })
    }

    /// Returns the calls of this attempt, in its present epoch, that a dead run left in flight under
    /// another prompt or agent, with what was reserved for them.
    pub fn left_of(&self, turn: &str, attempt: u32) -> Vec<(Call, Usd)> {
        let epoch = self.epoch(turn, attempt);
        self.calls
            .iter()
            .filter(|(_, known)| {
                known.turn == turn && known.attempt == attempt && known.epoch == epoch
            })
            .filter_map(|(key, known)| match known.all.last() {
                Some(Run::Left(reservation)) => {
                    let call = Call { key: key.clone(), run: number(known.all.len()) };
                    Some((call, *reservation))
                }
                Some(Run::Open(_) | Run::Ambiguous | Run::Done(_)) | None => None,
            })
            .collect()
    }

    /// Returns the result of an attempt that was made last, for whatever prompt and agent: for reading a session, not for going on.
    pub fn recorded(&self, turn: &str, kind: Kind, attempt: u32) -> Option<&CallResult> {
        self.calls
            .values()
            .filter(|known| known.turn == turn && known.kind == kind && known.attempt == attempt)
            // Drift that was accepted leaves two of one epoch: the later one counts.
            .max_by_key(|known| known.begun)
            .and_then(|known| match known.all.last() {
                Some(Run::Done(result)) => Some(&**result),
                Some(Run::Open(_) | Run::Left(_) | Run::Ambiguous) | None => None,
            })
    }

    /// Returns the calls that may have been paid for twice: turn and charge, in order.
    pub fn ambiguous(&self) -> impl Iterator<Item = (&str, Cost)> {
        self.ambiguous.iter().map(|(turn, charged)| (turn.as_str(), *charged))
    }

    /// Returns what had changed between runs and was accepted.
    pub fn accepted_drift(&self) -> &[String] {
        &self.accepted_drift
    }

    /// Returns what the answers that were kept from the parent cost there, and how many calls they are.
    pub fn kept(&self) -> (u32, Option<Cost>) {
        (self.kept, Cost::sum(self.results().filter_map(|result| result.kept)))
    }

    /// Returns an attempt's result that was kept from the parent, whatever prompt or agent would ask today;
    /// `None` also where a resume voided it, so that it is asked anew.
    pub fn kept_result(&self, turn: &str, kind: Kind, attempt: u32) -> Option<&CallResult> {
        self.recorded(turn, kind, attempt)
            .filter(|result| result.kept.is_some() && self.epoch(turn, attempt) == 0)
    }

    /// Returns the turns that something is recorded of: a call or how it ended.
    pub fn turns_known(&self) -> BTreeSet<&str> {
        let called = self.calls.values().map(|known| known.turn.as_str());
        called.chain(self.turns.keys().map(String::as_str)).collect()
    }

    /// Returns the finished calls that a resume would answer from the journal, of all turns: of each attempt,
    /// counted from the first, the one that was made last in the attempt's present epoch. A cancelled attempt
    /// ends the row, as does one that was made before the attempt in front of it: then it followed another.
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
        // The turn, attempt and place in time of the call before, within its row.
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
                standing.insert(Call { key: key.clone(), run: number(known.all.len()) });
            }
        }
        standing
    }
}
