//! Asks one turn: attempts, retries, one repair, fallbacks, until there is an answer or a failure.
//!
//! # Theory of operation
//!
//! Each attempt asks [`Attempts`] for permission before anything is started, and settles after its output was read. The
//! result is judged in this order:
//!
//! 1. A transient failure (crashed, overloaded, rate limited, empty) earns the same call again after a wait, a bounded
//!    number of times. Time-outs and all other failures earn none.
//! 2. Quotations of the prompt's data are removed from the reply ([`quotation`]): an answer planted in the data never
//!    counts as the agent's. A person's input is always their own.
//! 3. An answer that the protocol cannot read earns one repair re-ask per turn. If that reply is no better, the rules
//!    may complete it, or else the first one.
//! 4. Anything else is a failure, and the next fallback agent is asked, unless the turn excludes its vendor.
//!
//! If the turn's round has a time limit, all of this happens within it: a call is ended when the limit is reached,
//! and no attempt, wait or fallback begins after it.
//!
//! A [`AttemptError`] ends everything at once, even during a repair: continuing by rule would make the turn end differently
//! than after a resume.
//!
//! Chunks reach this module redacted: an implementation of [`Attempts::launch`] redacts before it spools them and
//! passes them on.
//!
//! [`quotation`]: crate::text::block::quotation

mod call;
mod own;
mod partial;
#[cfg(test)]
mod tests;

use std::cell::{Cell, OnceCell};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::Value;
use tokio::time::Instant;

use super::attempts::{AttemptError, AttemptEvent, AttemptResult, Attempts, Intent, Kind};
use super::cost::Prices;
use super::pace::Pace;
use super::repair;
use super::roster::{Agent, Roster};
use crate::config::agents::RoleConfig;
use crate::config::limits::LimitsConfig;
use crate::env::Env;
use crate::kernel::{
    Answer, Chance, Cost, Defect, Failure, FailureClass, RawReply, Respondent, Turn,
};
use crate::process::{Control, Limits};
use crate::text::block::quotation::Data;
use crate::text::block::without_thinking;
use crate::text::{Note, sanitize};

/// How turns are asked; the same throughout a run.
#[derive(Debug, Clone)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub struct AskSettings {
    /// How often a call is repeated after a transient failure.
    pub retries: u32,
    /// Whether an unreadable reply is asked for again (default yes).
    pub repair: bool,
    /// Whether a complete, valid answer counts although its call crashed or timed out (default no).
    pub salvage: bool,
    /// Whether another agent is asked if one gives no readable answer (default yes).
    pub unreadable_falls_back: bool,
    /// The session's fence around untrusted text.
    pub boundary: String,
    /// The first wait; each further one is twice as long (default 1 s).
    pub backoff_base: Duration,
    /// The longest backoff (default 60 s).
    pub backoff_most: Duration,
    /// The longest wait that a vendor may request (default 300 s); beyond it the call fails, unless `wait` is set.
    pub longest_wait: Duration,
    /// Whether limits that name their end are waited for, however long (default no).
    pub wait: bool,
    /// Whether a part of quotas is kept, which cannot hold where a CLI reports none (default no).
    pub keeps_quota: bool,
    /// Seed that spreads the waits of parallel turns.
    pub jitter_seed: u64,
    /// The user's clock, for limits that end at a time of day.
    pub env: Env,
    /// This binary, which guards each call.
    pub guard: PathBuf,
    /// The folder for private working directories.
    pub base_dir: PathBuf,
    /// Prefix of every call's tag in the process table.
    pub tag: String,
    /// The variables of our own process, from which each CLI's are selected.
    pub environment: BTreeMap<String, String>,
    /// Limits of one process run; time limits are the agent's.
    pub limits: Limits,
    /// Maximum size of a prompt in bytes, whatever the CLI accepts (default 2 MiB).
    pub prompt_bytes: u64,
    pub prices: Prices,
    /// The user's settings for roles.
    pub roles: BTreeMap<String, RoleConfig>,
}

impl AskSettings {
    /// Creates settings with the defaults.
    pub fn new(guard: PathBuf, base_dir: PathBuf, boundary: String) -> Self {
        Self {
            retries: LimitsConfig::default().retries,
            repair: true,
            salvage: false,
            unreadable_falls_back: true,
            boundary,
            backoff_base: Duration::from_secs(1),
            backoff_most: Duration::from_mins(1),
            longest_wait: Duration::from_mins(5),
            wait: false,
            keeps_quota: false,
            jitter_seed: 0,
            env: Env::system(),
            guard,
            base_dir,
            tag: "debate-agent".to_owned(),
            environment: BTreeMap::new(),
            limits: Limits::default(),
            prompt_bytes: LimitsConfig::default().prompt_bytes,
            prices: Prices::default(),
            roles: BTreeMap::new(),
        }
    }
}

/// Judges a reply for the protocol.
pub type Parse<'a, R> = &'a dyn Fn(&RawReply, Chance) -> Result<R, Defect>;

/// Asks one turn until there is an answer, or a failure with no agent left to ask. `data`: the turn's subject; only a
/// rehearsal's stand-in receives it.
pub async fn ask<R>(
    roster: &Roster,
    turn: &Turn,
    system: &str,
    parse: Parse<'_, R>,
    data: &dyn Fn() -> Value,
    attempts: &impl Attempts,
    settings: &AskSettings,
) -> Result<Answer<R>, AttemptError> {
    // Asking does not depend on the reply's type, so it is compiled once: it only sees whether a reply can be read.
    let read = Cell::new(None);
    let judge =
        |reply: &RawReply, chance| parse(reply, chance).map(|parsed| read.set(Some(parsed)));
    let asking = TurnAsk {
        turn,
        system,
        parse: &judge,
        of_turn: data,
        attempts,
        settings,
        made: 0,
        began: None,
        repaired: false,
        out_of_time: false,
        cost: None,
        notes: Vec::new(),
        data: OnceCell::new(),
    };
    let answer = asking.ask_roster(roster).await?;
    // The reply that counts is the one read last.
    let result = match (&answer.result, read.into_inner()) {
        (Ok(()), Some(parsed)) => Ok(parsed),
        (Ok(()), None) => Err(unusable(&answer.respondent.agent, None)),
        (Err(failure), _) => Err(failure.clone()),
    };
    Ok(answer.map(|_| result))
}

#[expect(clippy::large_enum_variant, reason = "one lives at a time, for a moment")]
enum AttemptOutcome {
    /// The prompt exceeds the CLI's limit, or the round's time is used up: no call was made.
    Refused(Failure),
    /// A call was made, or replayed from the journal.
    Made { result: AttemptResult, replayed: bool },
}

struct TurnAsk<'a, A> {
    turn: &'a Turn,
    system: &'a str,
    parse: Parse<'a, ()>,
    /// The turn's subject, as data.
    of_turn: &'a dyn Fn() -> Value,
    attempts: &'a A,
    settings: &'a AskSettings,
    /// Attempts so far, over all agents.
    made: u32,
    /// Start of the first attempt that was not replayed.
    began: Option<Instant>,
    repaired: bool,
    /// Whether its round's time limit is used up, so that nobody is asked any more.
    out_of_time: bool,
    cost: Option<Cost>,
    notes: Vec<Note>,
    /// All data shown in the turn's prompt.
    data: OnceCell<Data>,
}

impl<A: Attempts> TurnAsk<'_, A> {
    /// Asks the agent of the turn's role, then its fallbacks.
    async fn ask_roster(mut self, roster: &Roster) -> Result<Answer<()>, AttemptError> {
        let (turn, attempts, settings) = (self.turn, self.attempts, self.settings);
        let Some(cast) = roster.cast(&turn.role) else {
            let failure = Failure {
                class: FailureClass::NotFound,
                message: format!("no agent plays the role `{}`", turn.role),
            };
            return Ok(self.answer(Respondent::default(), Err(failure)));
        };
        let excluded: Vec<&str> = turn
            .not_vendor_of
            .iter()
            .filter_map(|role| Some(roster.cast(role)?.agent.vendor.as_str()))
            .chain(turn.not_vendors.iter().map(String::as_str))
            .collect();
        let pace = Pace::of(&turn.plays, settings.roles.get(&*turn.plays));
        let mut agent = pace.applied(&cast.agent);
        let mut fallbacks =
            cast.fallbacks.iter().filter(|fallback| !excluded.contains(&fallback.vendor.as_str()));
        let mut kind = Kind::First;
        loop {
            let seated = Respondent {
                agent: agent.name.clone(),
                vendor: agent.vendor.clone(),
                fell_back_from: (kind == Kind::Fallback).then(|| cast.agent.name.clone()),
            };
            let failure = match self.ask_agent(&agent, kind).await? {
                Ok(()) => return Ok(self.answer(seated, Ok(()))),
                Err(failure) => failure,
            };
            if failure.class == FailureClass::Cancelled || self.out_of_time {
                return Ok(self.answer(seated, Err(failure)));
            }
            if failure.class == FailureClass::Unreadable && !settings.unreadable_falls_back {
                return Ok(self.answer(seated, Err(failure)));
            }
            let Some(next) = fallbacks.next() else {
                return Ok(self.answer(seated, Err(failure)));
            };
            let next = pace.applied(next);
            let intent = self.intent(&next, Kind::Fallback, &turn.prompt.text());
            if attempts.too_late(&intent, Duration::ZERO).is_some() {
                return Ok(self.answer(seated, Err(failure)));
            }
            self.notes.push(Note::new(
                "fell_back",
                format!("{} stepped in: {}", next.name, failure.message),
            ));
            kind = Kind::Fallback;
            attempts.happened(
                &intent,
                AttemptEvent::FellBack { from: agent.name.clone(), to: next.name.clone(), failure },
            );
            agent = next;
        }
    }

    /// Asks one agent: first call or fallback, its retries, and at most one repair.
    async fn ask_agent(
        &mut self,
        agent: &Agent,
        kind: Kind,
    ) -> Result<Result<(), Failure>, AttemptError> {
        let mut kind = kind;
        let mut prompt = self.turn.prompt.text();
        let mut used = 0;
        let mut first: Option<(RawReply, Defect)> = None;
        loop {
            let (result, replayed) = match self.attempt(agent, kind, &prompt).await? {
                AttemptOutcome::Refused(failure) => return Ok(self.give_up(agent, first, failure)),
                AttemptOutcome::Made { result, replayed } => (result, replayed),
            };
            let reply = result.answer.map(|bytes| RawReply { bytes, cut: result.cut });
            let failure = match (result.failure, reply) {
                (None, reply) => {
                    let reply = reply.unwrap_or_default();
                    if let Some((faulty, _)) = &first {
                        return Ok(self.last_chances(agent, &[&reply, faulty]));
                    }
                    match self.judge(agent, &reply, Chance::First) {
                        Ok(()) => return Ok(Ok(())),
                        Err(defect) if self.settings.repair && !self.repaired => {
                            let event = AttemptEvent::Repairing { defect: defect.to_string() };
                            let intent = self.intent(agent, Kind::Repair, &prompt);
                            self.attempts.happened(&intent, event);
                            self.repaired = true;
                            let boundary = &self.settings.boundary;
                            prompt = repair::prompt(self.turn, &reply, &defect, boundary);
                            kind = Kind::Repair;
                            first = Some((reply, defect));
                            continue;
                        }
                        Err(_) => return Ok(self.last_chances(agent, &[&reply])),
                    }
                }
                (Some(failure), reply) => {
                    if reply.is_some_and(|reply| self.salvages(agent, &failure, &reply)) {
                        return Ok(Ok(()));
                    }
                    failure
                }
            };
            if failure.class == FailureClass::Cancelled {
                return Ok(Err(failure));
            }
            // A person who gave no reply is not asked again.
            let next = (!agent.is_person()).then(|| self.next_wait(&failure.class, &mut used));
            let Some(delay) = next.flatten() else {
                return Ok(self.give_up(agent, first, failure));
            };
            // A wait that ended in an earlier run is not repeated.
            if !replayed {
                let intent = self.intent(agent, Kind::Retry, &prompt);
                if let Some(late) = self.attempts.too_late(&intent, delay) {
                    self.out_of_time = true;
                    return Ok(self.give_up(agent, first, late));
                }
                self.attempts.happened(&intent, AttemptEvent::Retrying { failure, delay });
                if !self.wait(&intent, delay).await {
                    return Ok(Err(Failure {
                        class: FailureClass::Cancelled,
                        message: format!("{} was stopped while waiting to try again", agent.name),
                    }));
                }
            }
            kind = Kind::Retry;
        }
    }

    /// The end of an agent's attempts: the rules' completion of its first reply, or the failure.
    fn give_up(
        &mut self,
        agent: &Agent,
        first: Option<(RawReply, Defect)>,
        failure: Failure,
    ) -> Result<(), Failure> {
        let Some((first, _)) = first else {
            return Err(failure);
        };
        self.last_chances(agent, &[&first]).map_err(|unreadable| Failure {
            message: format!("{}; the repair failed too: {}", unreadable.message, failure.message),
            ..unreadable
        })
    }

    /// Lets the rules complete the first possible one of `replies`.
    fn last_chances(&mut self, agent: &Agent, replies: &[&RawReply]) -> Result<(), Failure> {
        let mut why = None;
        for reply in replies {
            match self.judge(agent, reply, Chance::Last) {
                Ok(()) => return Ok(()),
                Err(defect) => why = why.or(Some((*reply, defect))),
            }
        }
        Err(unusable(&agent.name, why.as_ref().map(|(reply, defect)| (*reply, defect))))
    }

    /// Whether the answer of a failed call is complete and valid, and counts: where the program ended by itself, in
    /// whatever way, else if the settings accept that.
    fn salvages(&mut self, agent: &Agent, failure: &Failure, reply: &RawReply) -> bool {
        let may = match failure.class {
            FailureClass::Crashed { code: Some(1..), .. } | FailureClass::Overloaded => {
                self.settings.salvage || !self.turn.blocks.is_empty()
            }
            FailureClass::Crashed { .. } | FailureClass::TimedOut | FailureClass::Idle => {
                self.settings.salvage
            }
            _ => false,
        };
        if !may || self.judge(agent, reply, Chance::First).is_err() {
            return false;
        }
        self.notes.push(Note::new(
            "salvaged",
            format!("the answer is complete although its call failed: {}", failure.message),
        ));
        true
    }

    /// Returns the wait before the same call is repeated; `None`: do not repeat it.
    fn next_wait(&self, class: &FailureClass, used: &mut u32) -> Option<Duration> {
        let most = self.settings.retries;
        let (most, asked) = match class {
            FailureClass::Crashed { .. } | FailureClass::Overloaded => (most, None),
            FailureClass::RateLimited { retry_after } => {
                (most, retry_after.map(Duration::from_secs))
            }
            FailureClass::QuotaExhausted { retry_after: Some(wait), .. } if self.settings.wait => {
                (most, Some(Duration::from_secs(*wait)))
            }
            FailureClass::EmptyReply => (most.min(1), None),
            _ => return None,
        };
        let too_long = |asked| asked > self.settings.longest_wait && !self.settings.wait;
        if *used >= most || asked.is_some_and(too_long) {
            return None;
        }
        let own = self.backoff(*used);
        *used += 1;
        Some(asked.map_or(own, |asked| asked.max(own)))
    }

    /// Doubles with each retry, then takes between half and all of it, by seed, turn and attempt.
    fn backoff(&self, retry: u32) -> Duration {
        let full = self
            .settings
            .backoff_base
            .saturating_mul(1 << retry.min(16))
            .min(self.settings.backoff_most);
        let mut state = self.settings.jitter_seed ^ u64::from(self.made);
        for byte in self.turn.id.bytes() {
            // FNV-1a: it only has to differ between turns.
            state = (state ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
        let share = u32::try_from((state >> 32) % 501).unwrap_or(0);
        full / 2 + full * share / 1000
    }

    /// Waits, not counting pauses, and tells how long it still takes; `false` if the run is stopped in the meantime.
    async fn wait(&self, intent: &Intent, delay: Duration) -> bool {
        /// How often a wait tells what is left of it: in its last minute, and before.
        const TOLD_EVERY: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(30));
        let mut control = self.attempts.control();
        let mut left = delay;
        while !left.is_zero() {
            let now = *control.borrow_and_update();
            match now {
                Control::Stop | Control::Kill => return false,
                Control::Pause => {
                    if control.changed().await.is_err() {
                        return false;
                    }
                }
                Control::Run => {
                    let (last, before) = TOLD_EVERY;
                    let slice = if left > Duration::from_mins(1) { before } else { last };
                    let since = Instant::now();
                    tokio::select! {
                        () = tokio::time::sleep(slice.min(left)) => {}
                        changed = control.changed() => {
                            // Without a sender, nobody owns this run any more.
                            if changed.is_err() {
                                return false;
                            }
                        }
                    }
                    left = left.saturating_sub(since.elapsed());
                    self.attempts.happened(intent, AttemptEvent::Waiting { left });
                }
            }
        }
        true
    }

    fn intent(&self, agent: &Agent, kind: Kind, prompt: &str) -> Intent {
        call::intent(self.turn, self.system, agent, kind, self.made + 1, prompt)
    }

    fn answer(self, seated: Respondent, result: Result<(), Failure>) -> Answer<()> {
        Answer {
            turn: self.turn.id.clone(),
            role: self.turn.role.clone(),
            respondent: seated,
            result,
            cost: self.cost,
            attempts: self.made,
            took: self.began.map_or(Duration::ZERO, |began| began.elapsed()),
            notes: self.notes,
        }
    }
}

/// Maximum characters of a reply that are quoted.
const QUOTED_CHARS: usize = 120;

/// The failure of an agent whose answer cannot be read: why, and how it begins where it holds no block.
fn unusable(agent: &str, why: Option<(&RawReply, &Defect)>) -> Failure {
    let because = why.map(|(_, defect)| format!(": {defect}")).unwrap_or_default();
    let said = why.and_then(|(reply, defect)| {
        let is_other = defect.problems.iter().any(|problem| problem.code == "missing_block");
        let text = String::from_utf8_lossy(&reply.bytes);
        let line = without_thinking(&text).lines().find(|line| !line.trim().is_empty())?;
        is_other.then(|| format!(" (it said: {})", sanitize::line(line.trim(), QUOTED_CHARS)))
    });
    let message = format!("{agent} gave no usable answer{because}{}", said.unwrap_or_default());
    Failure { class: FailureClass::Unreadable, message }
}
