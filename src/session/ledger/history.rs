//! What a ledger tells readers of a session that are not about to go on with it.

use std::collections::BTreeMap;

use chrono::TimeDelta;

use super::{Call, Ledger, Run, number};
use crate::agent::attempts::Kind;
use crate::protocol::{Cost, Usd};
use crate::session::record::CallResult;

impl Ledger {
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
        self.times().map_or(TimeDelta::zero(), |(first, last)| {
            (last - first).max(TimeDelta::zero())
        })
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
                    let call = Call {
                        key: key.clone(),
                        run: number(known.all.len()),
                    };
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
        self.ambiguous
            .iter()
            .map(|(turn, charged)| (turn.as_str(), *charged))
    }

    /// Returns what had changed between runs and was accepted.
    pub fn accepted_drift(&self) -> &[String] {
        &self.accepted_drift
    }
}
