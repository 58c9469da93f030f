//! A kind of session: what is specific to one protocol's sessions. Everything else is shared code.
//!
//! Reviews, plans, topic debates, critiques, partner debates and inquiries are kinds. A kind defines what its session
//! is about, the agents in it, the machine it runs and the resulting document; `session_run` opens and runs it,
//! `stored` reads it again, `resume`, `fork` and `decide` continue from what is stored.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Display;
use std::path::Path;
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::calls::CallRules;
use super::panel::SeatHolder;
use super::reports::Location;
use super::workspace::Workspace;
use crate::agent::roster::Agent;
use crate::config::Config;
use crate::config::trust::AgentUse;
use crate::error::{Error, Kind};
use crate::exit::ExitStatus;
use crate::kernel::{Driver, Protocol, Respondent, Stage, Stamp, Usd};
use crate::protocol::prompt::Prompts;
use crate::report::document::SessionFacts;
use crate::report::session_result::SessionDocument;
use crate::session::Ledger;
use crate::skill::SkillSet;
use crate::text::Note;
use crate::text::redact::Redacted;

pub(crate) type OutcomeOf<K> = <<K as SessionKind>::Protocol as Protocol>::Outcome;

pub(crate) trait SessionKind: Sized + Sync + 'static {
    /// The protocol's name in journals and documents.
    const NAME: &'static str;
    /// Whether another agent is asked if one gives no readable answer.
    const UNREADABLE_FALLS_BACK: bool = true;
    /// Whether it can be asked again from a round on.
    const FORKS: bool = true;
    /// The subject: all of its input except seats, rules of the run, boundary and seed.
    type Task: Clone + Serialize + DeserializeOwned;
    type Settings: Clone + Serialize + DeserializeOwned;
    type Protocol: Protocol;
    type Document: SessionDocument + Clone + Serialize;

    /// Completes a new subject by the skills in use, before it is redacted.
    fn equip(_: &mut Self::Task, _: &SkillSet) {}
    /// Returns the use of agents, which decides what the project may bring only when trusted.
    fn used(_: &Self::Settings) -> AgentUse {
        AgentUse::Agents
    }
    /// Returns the skills that its turns send, and other texts of the project that they use.
    fn skills(
        config: &Config,
        task: &Self::Task,
        settings: &Self::Settings,
    ) -> Vec<Cow<'static, str>>;
    /// Returns the participants of a stored session when it is resumed.
    fn seating(task: &Self::Task, recorded: &CallRules) -> Vec<SeatHolder>;
    fn machine(of: Parts<'_, Self>) -> Result<Driver<Self::Protocol>, Error>;
    fn document(
        of: Parts<'_, Self>,
        outcome: OutcomeOf<Self>,
        ledger: &Ledger,
        stamp: &Stamp,
        about: SessionFacts,
    ) -> Self::Document;
    /// Returns how the program ends. `signal`: the one that stopped the run.
    fn status(outcome: &OutcomeOf<Self>, signal: Option<i32>, spent: Usd) -> ExitStatus;
    /// Returns the reservation for a seat's call before the cost of one is known; what an agent's configuration
    /// declares goes before it (`agents.NAME.declared_cost_usd`).
    fn first_reserve(_seat: &str) -> Usd {
        Usd::from_micros(150_000)
    }
    /// Returns the maximum number of rounds, for the events, and the maximum number of turns of one seat.
    fn bounds(task: &Self::Task, settings: &Self::Settings) -> (u32, u32);

    /// Returns the maximum number of turns of `seats` seats together: the maximum of one for each, unless the kind
    /// knows better.
    fn most_turns(task: &Self::Task, settings: &Self::Settings, seats: u32) -> u32 {
        Self::bounds(task, settings).1.saturating_mul(seats)
    }
    fn reads_repository(_: &Self::Settings) -> bool {
        false
    }
    /// Whether the repository may not change while the session runs.
    fn watches(settings: &Self::Settings) -> bool {
        Self::reads_repository(settings)
    }
    /// Returns the protocol's stages, for the events.
    fn stages(_: &Self::Settings) -> &'static [Stage] {
        Self::Protocol::STAGES
    }
    /// Returns the part of this program that its turns ask beside the agents.
    fn tool(_: &Workspace, _: &Self::Settings) -> Option<Agent> {
        None
    }
    /// Returns the time limit for all turns of a round together; `None` if only each turn is limited.
    fn round_timeout(_: &Config, _: &Self::Settings) -> Option<Duration> {
        None
    }
    /// Withdraws the verdict: these files changed while agents could read them.
    fn spoil(_: &mut OutcomeOf<Self>, _files: &[String]) {}
    /// Returns the turns that a resume would ask. `next`: the turns that the machine asks next.
    fn open_turns(_: &OutcomeOf<Self>, next: Vec<String>) -> Vec<String> {
        next
    }
    /// Sets one rule by name, for `sessions decide`.
    ///
    /// # Errors
    /// There is no such rule, or the value is invalid.
    fn set(_: &mut Rules<Self::Settings>, _key: &str, _: &Config) -> Result<(), Error> {
        let kind = Self::NAME;
        let what = format!("sessions of the kind `{kind}` have no thresholds to set afterwards");
        let hint = "rankings and topic debates can be decided again by other thresholds";
        Err(Error::new(Kind::Usage, what).named("no_rules").hint(hint))
    }
    /// Returns where to keep the report; `None` for a kind without reports. `out`: the folder requested; `own`: the
    /// project's folder for reports.
    fn report(_: &Self::Document, out: Option<&Path>, own: &Path) -> Option<Location> {
        Some(Location::dated(out.unwrap_or(own), Self::NAME))
    }
    /// Whether resuming a closed session writes the report if a killed run did not.
    fn reports_again(_: &Self::Task) -> bool {
        false
    }
    /// Carries out the follow-up of a result, before its report is written. `out`: the folder requested for reports;
    /// a resume has none. Returns how the program ends.
    fn follow(
        _: &Workspace,
        _: &Self::Task,
        _out: Option<&Path>,
        _: &mut Self::Document,
        status: ExitStatus,
    ) -> ExitStatus {
        status
    }
    /// Writes a resumed session's result to the project, or that of a session killed before doing so.
    ///
    /// # Errors
    /// The project's files cannot be read or written.
    async fn write_back(
        _: &Workspace,
        _: &OutcomeOf<Self>,
        _: &mut Self::Document,
    ) -> Result<(), Error> {
        Ok(())
    }
    /// Adds information from the project's own files to a stored session's document.
    fn complete(_: &Workspace, _: &mut Self::Document) {}
}

pub(crate) struct Parts<'a, K: SessionKind> {
    pub(crate) task: &'a Redacted<K::Task>,
    pub(crate) rules: &'a Rules<K::Settings>,
    /// The respondents by seat; `s1`, `s2`, ... are in this order, since there are nine at most.
    pub(crate) seats: BTreeMap<String, Respondent>,
    pub(crate) prompts: Prompts,
    pub(crate) seed: u64,
}

impl<'a, K: SessionKind> Parts<'a, K> {
    pub(crate) fn new(
        task: &'a Redacted<K::Task>,
        rules: &'a Rules<K::Settings>,
        boundary: &'a str,
        seed: u64,
    ) -> Self {
        let (seats, replaced) = (rules.calls.respondents(), rules.calls.templates.clone());
        let prompts = Prompts { boundary: boundary.to_owned(), replaced };
        Self { task, rules, seats, prompts, seed }
    }
}

/// Removes what looks like a secret from an input that agents will be shown.
///
/// # Errors
/// One stands where no text may.
pub(crate) fn redact<T: Serialize + DeserializeOwned>(
    workspace: &Workspace,
    input: T,
) -> Result<Redacted<T>, Error> {
    workspace.redactor().value(input).map_err(|error| {
        Error::new(Kind::Input, "what looks like a secret stands in a field that needs its value")
            .named("secret")
            .because(error)
            .hint("take it out of the input")
    })
}

pub(crate) fn input_redacted(places: &[String]) -> Option<Note> {
    const NAMED: usize = 20;
    let named = places.get(..NAMED).unwrap_or(places).join(", ");
    let more = places.len().saturating_sub(NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    (!places.is_empty()).then(|| {
        let what = format!("what looks like a secret was removed from the input: {named}{more}");
        Note::new("input_redacted", what)
    })
}

/// The rules of a session, as they were when it was opened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Rules<S> {
    #[serde(flatten)]
    pub(crate) calls: CallRules,
    pub(crate) protocol: S,
}

impl<S> Rules<S> {
    /// Returns the maximum number of turns.
    pub(crate) fn most_turns<K: SessionKind<Settings = S>>(&self, task: &K::Task) -> u32 {
        let seats = u32::try_from(self.calls.seats.len()).unwrap_or(u32::MAX);
        K::most_turns(task, &self.protocol, seats)
    }
}

pub(crate) fn wrong_input(error: impl Display) -> Error {
    Error::new(Kind::Usage, error.to_string()).named("input")
}
