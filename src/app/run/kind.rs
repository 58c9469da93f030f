//! A kind of session: what one protocol's sessions have of their own. Everything else is the same code for all of them.
//!
//! Reviews, plans, topic debates, critiques, partner debates and inquiries are kinds. A kind says here what its session is
//! about, who sits in it, which machine it runs and what document comes of it; `session_run` opens and runs it, `stored`
//! reads it again, `resume`, `fork` and `decide` go on from what is stored.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Display;
use std::path::Path;
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::calls::CallRules;
use super::panel::Participants;
use super::reports::Location;
use super::workspace::Workspace;
use crate::config::Config;
use crate::config::trust::AgentUse;
use crate::error::{Error, Kind};
use crate::exit::ExitStatus;
use crate::kernel::{Driver, Protocol, Respondent, Stamp, Usd};
use crate::report::document::SessionFacts;
use crate::report::session_result::SessionDocument;
use crate::session::Ledger;

/// How a kind's protocol ends.
pub(crate) type OutcomeOf<K> = <<K as SessionKind>::Protocol as Protocol>::Outcome;

/// A kind of session.
pub(crate) trait SessionKind: Sized + Sync + 'static {
    /// The protocol's name in journals and documents.
    const NAME: &'static str;
    /// What the project may bring only when trusted.
    const USE: AgentUse = AgentUse::Agents;
    /// Whether another agent is asked where one gives no answer that can be read.
    const UNREADABLE_FALLS_BACK: bool = true;
    /// Whether it can be asked again from a round on.
    const FORKS: bool = true;
    /// In which form a journal holds its rules.
    const RULES: RulesForm = RulesForm::Below;
    /// What it is about: everything of its input but seats, rules of the run, boundary and seed.
    type Task: Clone + Serialize + DeserializeOwned;
    /// How it is run.
    type Settings: Clone + Serialize + DeserializeOwned;
    /// Its state machine.
    type Protocol: Protocol;
    /// Its result.
    type Document: SessionDocument + Clone + Serialize;

    /// The skills that its turns send, and what else of the project they are told.
    fn skills(
        config: &Config,
        task: &Self::Task,
        settings: &Self::Settings,
    ) -> Vec<Cow<'static, str>>;
    /// Says who is asked when a stored session goes on.
    fn seating(task: &Self::Task, recorded: &CallRules) -> Participants;
    /// Makes the machine.
    fn machine(of: Parts<'_, Self>) -> Result<Driver<Self::Protocol>, Error>;
    /// Makes the result document.
    fn document(
        of: Parts<'_, Self>,
        outcome: OutcomeOf<Self>,
        ledger: &Ledger,
        stamp: &Stamp,
        about: SessionFacts,
    ) -> Self::Document;
    /// Says how the program ends. `signal`: what stopped it.
    fn status(outcome: &OutcomeOf<Self>, signal: Option<i32>, spent: Usd) -> ExitStatus;
    /// What is reserved for a seat's call before one of its costs is known.
    fn first_reserve(config: &Config, seat: &str) -> Usd;
    /// The most rounds, for the events; and the most turns that one seat can have.
    fn bounds(task: &Self::Task, settings: &Self::Settings) -> (u32, u32);

    /// Returns the most turns of so many seats together: each as many as one can have, unless the kind knows better.
    fn most_turns(task: &Self::Task, settings: &Self::Settings, seats: u32) -> u32 {
        Self::bounds(task, settings).1.saturating_mul(seats)
    }
    /// Whether the agents read the repository.
    fn reads_repository(_: &Self::Settings) -> bool {
        false
    }
    /// How long the agents' turns of one round may take together; `None`: as long as each may take.
    fn round_timeout(_: &Config, _: &Self::Settings) -> Option<Duration> {
        None
    }
    /// Takes the verdict back: these files changed while agents could read them.
    fn spoil(_: &mut OutcomeOf<Self>, _files: &[String]) {}
    /// Returns the turns that a resume would ask. `next`: what the machine asks next.
    fn open_turns(_: &OutcomeOf<Self>, next: Vec<String>) -> Vec<String> {
        next
    }
    /// Sets one rule by name, for `sessions decide`.
    ///
    /// # Errors
    /// The kind has no such rule, or the value is none of its values.
    fn set(_: &mut Rules<Self::Settings>, _name: &str, _value: &str) -> Result<(), Error> {
        let what =
            format!("sessions of the kind `{}` have no rules to decide by again", Self::NAME);
        Err(Error::new(Kind::Usage, what).named("no_rules"))
    }
    /// Returns what the session's snapshot holds.
    ///
    /// # Errors
    /// It cannot be written as JSON: a bug.
    fn snapshot(document: &Self::Document) -> serde_json::Result<Value> {
        serde_json::to_value(document)
    }
    /// Says where the report is kept; `None`: none is. `out`: the folder that was asked for; `own`: the project's folder for reports.
    fn report(_: &Self::Document, out: Option<&Path>, own: &Path) -> Option<Location> {
        Some(Location::dated(out.unwrap_or(own), Self::NAME))
    }
    /// Whether a resume of a closed session writes the report that a killed run left out.
    fn reports_again(_: &Self::Task) -> bool {
        false
    }
    /// Does what is to follow from a result, before its report is written. `out`: the folder for reports that was asked for;
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
    /// Writes to the project what a resumed session decided, or one that a kill kept from it.
    ///
    /// # Errors
    /// It cannot be read or written.
    async fn write_back(
        _: &Workspace,
        _: &OutcomeOf<Self>,
        _: &mut Self::Document,
    ) -> Result<(), Error> {
        Ok(())
    }
    /// Adds to a stored session's document what the project's own files say of it.
    fn complete(_: &Workspace, _: &mut Self::Document) {}
}

/// What a machine is made of.
pub(crate) struct Parts<'a, K: SessionKind> {
    pub(crate) task: &'a K::Task,
    pub(crate) rules: &'a Rules<K::Settings>,
    /// By seat; `s1`, `s2`, ... in this order: there are nine at most.
    pub(crate) seats: BTreeMap<String, Respondent>,
    pub(crate) boundary: &'a str,
    pub(crate) seed: u64,
}

impl<'a, K: SessionKind> Parts<'a, K> {
    pub(crate) fn new(
        task: &'a K::Task,
        rules: &'a Rules<K::Settings>,
        boundary: &'a str,
        seed: u64,
    ) -> Self {
        let seats = rules.calls.seats.iter();
        let seats = seats.map(|(seat, cast)| (seat.clone(), cast.agent.clone()));
        Self { task, rules, seats: seats.collect(), boundary, seed }
    }
}

/// The rules of a session, as they stood when it was opened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Rules<S> {
    #[serde(flatten)]
    pub(crate) calls: CallRules,
    pub(crate) protocol: S,
}

/// In which form a journal holds a session's rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RulesForm {
    /// The kind's settings stand below `protocol`.
    Below,
    /// They stand beside the rules of calls, so many of them before these.
    Beside(usize),
}

impl<S: Serialize + DeserializeOwned> Rules<S> {
    /// Writes them as a journal holds them.
    ///
    /// # Errors
    /// They cannot be written as JSON: a bug.
    pub(crate) fn record(&self, form: RulesForm) -> serde_json::Result<Value> {
        let RulesForm::Beside(before) = form else {
            return serde_json::to_value(self);
        };
        let entries = |value: Value| match value {
            Value::Object(entries) => entries,
            Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::String(_)
            | Value::Array(_) => serde_json::Map::new(),
        };
        let mut settings = entries(serde_json::to_value(&self.protocol)?).into_iter();
        let mut record: serde_json::Map<String, Value> = settings.by_ref().take(before).collect();
        record.extend(entries(serde_json::to_value(&self.calls)?));
        record.extend(settings);
        Ok(Value::Object(record))
    }

    /// Reads them from a journal.
    ///
    /// # Errors
    /// They are damaged.
    pub(crate) fn read(record: &Value, form: RulesForm) -> serde_json::Result<Self> {
        match form {
            RulesForm::Below => Self::deserialize(record),
            RulesForm::Beside(_) => {
                let calls = CallRules::deserialize(record)?;
                Ok(Self { calls, protocol: S::deserialize(record)? })
            }
        }
    }
}

/// Refuses what a machine cannot be made of.
pub(crate) fn wrong_input(error: impl Display) -> Error {
    Error::new(Kind::Usage, error.to_string()).named("input")
}
