//! Sessions of protocols whose agents sit in seats: reviews, plans, topic debates, critiques.
//!
//! What such a protocol is, [`Council`] says; what its sessions have in common stands here once:
//! how one is opened, run, replayed, and resumed. The seats stand in the session's first record, so
//! a resume seats the same agents, whatever the command line or the configuration says then.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::afford::{self, Left};
use super::calls::CallRules;
use super::circumstances::circumstances;
use super::panel::{Place, planned, seats};
use super::setup::Setup;
use super::tree_check::Watch;
use super::workspace::Workspace;
use super::{drive, reports, standing};
use crate::agent::pace::Pace;
use crate::agent::roster::Roster;
use crate::app::ending::Finished;
use crate::app::options::RunOptions;
use crate::app::standing::spent;
use crate::config::Config;
use crate::config::trust::Use;
use crate::engine::events::Reporter;
use crate::engine::switch::Switch;
use crate::error::{Error, Kind, store_error};
use crate::exit::ExitStatus;
use crate::kernel::{Driver, Ending as _, Protocol, Seated, Stamp, Step, Stop, Usd, Warning};
use crate::report::document::{Circumstances, Notes};
use crate::report::plan::Plan;
use crate::report::sessions::SessionResult;
use crate::session::Stored;
use crate::session::record::Opened;
use crate::session::{Ledger, Session};
use crate::skill::SkillSet;

mod stored;

use stored::keep;
pub(crate) use stored::{keep_closed, read, replayed, rules, shown, status};

/// A protocol whose agents sit in seats `s1`, `s2`, ...
pub(crate) trait Council {
    /// The protocol's name in journals and documents.
    const PROTOCOL: &'static str;
    /// What the project may bring only when trusted.
    const USE: Use;
    /// Whether another agent is asked where one gives no answer that can be read.
    const UNREADABLE_FALLS_BACK: bool = true;
    /// Whether a resume lets those step in whom the session recorded, not whom the configuration names now.
    const STAND_INS_ARE_RECORDED: bool = false;
    /// What it is about: everything of its input but seats, rules of the run, boundary and seed.
    type Task: Clone + Serialize + DeserializeOwned;
    /// How it is run.
    type Settings: Clone + Serialize + DeserializeOwned;
    /// Its state machine.
    type Protocol: Protocol;
    /// Its result.
    type Document: Clone + Serialize + Into<SessionResult>;

    /// The skills that its turns send, and what else of the project they are told.
    fn skills(
        config: &Config,
        task: &Self::Task,
        settings: &Self::Settings,
    ) -> Vec<Cow<'static, str>>;
    /// The role under whose time limit a seat's calls are.
    fn plays(task: &Self::Task, seat: &str) -> Cow<'static, str>;
    /// Makes the machine.
    fn machine(of: Convened<'_, Self>) -> Result<Driver<Self::Protocol>, Error>
    where
        Self: Sized;
    /// Makes the result document.
    ///
    /// `took`: how long each turn's calls took, in milliseconds.
    fn document(
        of: Convened<'_, Self>,
        outcome: &<Self::Protocol as Protocol>::Outcome,
        stamp: &Stamp,
        took: BTreeMap<String, u64>,
        about: Circumstances,
    ) -> Self::Document
    where
        Self: Sized;
    /// Says in the document when its parts were made, where it has such parts.
    fn date(_: &mut Self::Document, _: &Self::Settings, _: &Ledger) {}
    /// Says how the program ends. `signal`: what stopped it.
    fn status(
        outcome: &<Self::Protocol as Protocol>::Outcome,
        signal: Option<i32>,
        spent: Usd,
    ) -> ExitStatus;
    /// What is reserved for a seat's call before one of its costs is known.
    fn first_reserve(config: &Config) -> Usd;
    /// The most rounds, for the events; and the most turns that one seat can have.
    fn bounds(task: &Self::Task, settings: &Self::Settings) -> (u32, u32);
    /// Returns the most turns of so many seats together: each as many as one can have, unless the kind knows better.
    fn most_turns(task: &Self::Task, settings: &Self::Settings, seats: u32) -> u32 {
        Self::bounds(task, settings).1.saturating_mul(seats)
    }
    /// Whether the agents read the repository.
    fn reads_repository(settings: &Self::Settings) -> bool;
    /// How long the agents' turns of one round may take together; `None`: as long as each may take.
    fn round_timeout(_: &Config, _: &Self::Settings) -> Option<Duration> {
        None
    }
    /// Sets one rule by name, for `sessions decide`.
    fn set(_: &mut Self::Settings, _name: &str, _value: &str) -> Result<(), Error> {
        Err(Error::new(
            Kind::Usage,
            "the rules of a review and of a plan have no thresholds that could be set afterwards",
        )
        .named("no_rules")
        .hint("`review --baseline FILE` and `review dismiss` change what counts; `--fail-on` changes the exit code"))
    }
    /// Takes the verdict back: these files changed while agents could read them.
    fn spoil(outcome: &mut <Self::Protocol as Protocol>::Outcome, files: &[String]);
    /// Returns the report as Markdown.
    fn report(document: &Self::Document) -> String;
    /// Says where the report is kept. `out`: the folder that was asked for; `own`: the project's folder for reports.
    fn kept_as(_: &Self::Document, out: Option<&Path>, own: &Path) -> reports::Place {
        reports::Place::dated(out.unwrap_or(own), Self::PROTOCOL)
    }
    /// Says in the document where its report is.
    fn place(document: &mut Self::Document, report: String);
    /// Does what is to follow from a result, once per session. `out`: the folder for reports that was asked for; a resume has
    /// none. Returns how the program ends.
    fn follow(
        _: &Workspace,
        _: &Self::Task,
        _out: Option<&Path>,
        _: &mut Self::Document,
        status: ExitStatus,
    ) -> ExitStatus {
        status
    }
    /// Adds to a stored session's document what the project's own files say of it.
    fn complete(_: &Workspace, _: &mut Self::Document) {}
    /// Returns what a run adds to its document after it was made.
    fn notes(document: &mut Self::Document) -> Notes<'_>;
}

/// What a machine is made of.
pub(crate) struct Convened<'a, C: Council> {
    pub(crate) task: &'a C::Task,
    pub(crate) settings: &'a C::Settings,
    /// By seat; `s1`, `s2`, ... in this order.
    pub(crate) seats: BTreeMap<String, Seated>,
    pub(crate) boundary: &'a str,
    pub(crate) seed: u64,
}

/// The rules of a session, as they stood when it was opened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Rules<S> {
    #[serde(flatten)]
    pub(crate) calls: CallRules,
    pub(crate) protocol: S,
}

/// A session that is ready to run.
pub(crate) struct Meeting<'a, C: Council> {
    pub(crate) setup: Setup<'a>,
    pub(crate) task: C::Task,
    pub(crate) rules: Rules<C::Settings>,
    /// Where reports go; `None`: among the sessions.
    pub(crate) out: Option<PathBuf>,
    /// What was noticed before anybody was asked: it stands in the result and in its report.
    pub(crate) notes: Vec<Warning>,
    /// What may be spent, where that is not all of the configured budget.
    pub(crate) budget: Option<Usd>,
}

/// A session as its journal shows it.
pub(crate) struct Kept<C: Council> {
    pub(crate) document: C::Document,
    pub(crate) outcome: <C::Protocol as Protocol>::Outcome,
    /// Turns that a resume would ask now.
    pub(crate) open: Vec<String>,
}

/// Returns who sits in the seats. There are nine at most, so `s1`, `s2`, ... are in order.
fn seated(calls: &CallRules) -> BTreeMap<String, Seated> {
    let seats = calls.seats.iter();
    seats.map(|(seat, cast)| (seat.clone(), cast.agent.clone())).collect()
}

impl<'a, C: Council> Meeting<'a, C> {
    fn with(
        workspace: &'a Workspace,
        (skills, roster): (SkillSet, Roster),
        rules: Rules<C::Settings>,
        task: C::Task,
        options: &RunOptions,
        accept_drift: bool,
    ) -> Self {
        let reserve = C::first_reserve(&workspace.effective.config);
        let (max_rounds, turns) = C::bounds(&task, &rules.protocol);
        let first_reserve: BTreeMap<String, Usd> =
            (rules.calls.seats.keys()).map(|seat| (seat.clone(), reserve)).collect();
        Self {
            setup: Setup {
                workspace,
                protocol: C::PROTOCOL,
                roster,
                skills,
                most_calls: turns.saturating_mul(rules.calls.most_calls()),
                calls: rules.calls.clone(),
                max_rounds,
                first_reserve,
                round_timeout: C::round_timeout(&workspace.effective.config, &rules.protocol),
                switch: None,
                watch: None,
                on_ambiguous: options.on_ambiguous,
                sending: options.sending,
                accept_drift,
            },
            task,
            rules,
            out: None,
            notes: Vec::new(),
            budget: None,
        }
    }

    /// Makes a new session ready, with these agents in these seats.
    pub(crate) fn new(
        workspace: &'a Workspace,
        options: &RunOptions,
        places: &[Place],
        task: C::Task,
        settings: C::Settings,
    ) -> Result<Self, Error> {
        let config = &workspace.effective.config;
        let reading = C::reads_repository(&settings);
        let panel = seats(
            workspace,
            options,
            places,
            &C::skills(config, &task, &settings),
            C::USE,
            reading,
        )?;
        let calls = CallRules::new(config, options.strict, options.salvage, &panel.1);
        let rules = Rules {
            calls: CallRules { unreadable_falls_back: C::UNREADABLE_FALLS_BACK, ..calls },
            protocol: settings,
        };
        Ok(Self::with(workspace, panel, rules, task, options, false))
    }

    /// Makes a stored session ready to go on, with the agents that it was opened with.
    pub(crate) fn again(
        workspace: &'a Workspace,
        opened: &Opened,
        options: &RunOptions,
        accept_drift: bool,
    ) -> Result<(Self, Driver<C::Protocol>), Error> {
        let (rules, task) = read::<C>(opened)?;
        let machine = machine::<C>(&rules, &task, opened)?;
        let recorded = |seat: &str| {
            let cast = rules.calls.seats.get(seat);
            let cast = cast.filter(|_| C::STAND_INS_ARE_RECORDED)?;
            let stand_ins = cast.fallbacks.iter();
            Some(stand_ins.map(|seated| seated.agent.clone()).collect())
        };
        let places: Vec<Place> = seated(&rules.calls)
            .into_iter()
            .map(|(seat, seated)| Place {
                plays: C::plays(&task, &seat),
                stand_ins: recorded(&seat),
                agent: seated.agent,
                seat,
            })
            .collect();
        let reading = C::reads_repository(&rules.protocol);
        let skills = C::skills(&workspace.effective.config, &task, &rules.protocol);
        let panel = seats(workspace, options, &places, &skills, C::USE, reading)?;
        let meeting = Self::with(workspace, panel, rules, task, options, accept_drift);
        Ok((meeting, machine))
    }

    /// Looks at the repository before agents may read it, so that a change is noticed afterwards.
    pub(crate) async fn watch(&mut self) -> Result<(), Error> {
        if C::reads_repository(&self.rules.protocol) {
            self.setup.watch = Some(Watch::begin(self.setup.workspace).await?);
        }
        Ok(())
    }

    /// Opens a session and runs it. `switch`: what stops it with the rest of its command.
    pub(crate) async fn hold(
        &mut self,
        title: String,
        options: &RunOptions,
        switch: Option<&'a Switch>,
        reporters: Vec<Box<dyn Reporter>>,
    ) -> Result<Finished<C::Document>, Error> {
        self.setup.switch = switch;
        self.watch().await?;
        let (opened, machine) = self.opened(title, options.rehearse)?;
        let left = Left::all(opened.budget.unwrap_or_default());
        afford::before_first(&self.setup, &machine, left).await?;
        let session =
            (self.setup.workspace.store(options.no_lock)).create(opened).map_err(store_error)?;
        self.run(session, machine, false, reporters).await
    }

    /// Describes the calls of the first step, and what all could cost. Nobody is asked, nothing is kept.
    pub(crate) fn dry_run(&self, rehearsal: bool) -> Result<Plan, Error> {
        let config = &self.setup.workspace.effective.config;
        let (_, machine) = self.opened(String::new(), rehearsal)?;
        let Step::Ask { turns, .. } = machine.next() else {
            return Ok(Plan {
                note: Some("there is nothing to ask".to_owned()),
                ..Plan::default()
            });
        };
        let reserve = C::first_reserve(config);
        let mut per_round = Usd::ZERO;
        let mut calls = Vec::with_capacity(turns.len());
        for turn in turns {
            let Some(cast) = self.setup.roster.cast(&turn.role) else {
                continue;
            };
            let skill = self.setup.skills.get(&*turn.plays);
            let sizes = (skill.map_or(0, |skill| skill.prompt.len()), turn.prompt.text().len());
            let pace = Pace::of(&turn.plays, config.roles.get(&*turn.plays));
            let paced = pace.applied(&cast.agent);
            let call = planned(pace, &paced, turn.id.into(), &turn.role, sizes, false, reserve);
            per_round += call.reserve_usd;
            calls.push(call);
        }
        let (max_rounds, _) = C::bounds(&self.task, &self.rules.protocol);
        // What a seat is asked later is about as long as what it is asked first.
        let first = |seat: &str| calls.iter().find(|call| call.role == seat);
        let reserves: Vec<Usd> = (self.setup.roster.casts())
            .map(|(seat, cast)| {
                let unasked = || cast.agent.declared_cost.unwrap_or(reserve);
                first(seat).map_or_else(unasked, |call| call.reserve_usd)
            })
            .collect();
        let seats = u32::try_from(reserves.len()).unwrap_or(u32::MAX);
        let turns = C::most_turns(&self.task, &self.rules.protocol, seats);
        Ok(Plan {
            estimated_usd_at_most: (0..turns)
                .zip(reserves.iter().cycle())
                .map(|(_, usd)| *usd)
                .sum(),
            calls,
            max_rounds,
            estimated_usd_per_round: per_round,
            budget_usd: Some(config.limits.budget_usd),
            rehearsal,
            // What the run itself would say of its input before anybody answered.
            warnings: [&self.notes, machine.stop(Stop::Running).warnings()].concat(),
            ..Plan::default()
        })
    }

    /// Returns what the first step's calls would reserve together.
    pub(crate) fn first_reserves(&self) -> Usd {
        let reserve = C::first_reserve(&self.setup.workspace.effective.config);
        (self.setup.roster.casts())
            .map(|(_, cast)| cast.agent.declared_cost.unwrap_or(reserve))
            .sum()
    }

    /// Makes the first record and the machine.
    pub(crate) fn opened(
        &self,
        title: String,
        rehearsal: bool,
    ) -> Result<(Opened, Driver<C::Protocol>), Error> {
        let configured = self.setup.workspace.effective.config.limits.budget_usd;
        let budget = self.budget.unwrap_or(configured);
        let opened = drive::opened(
            &self.setup,
            title,
            &self.task,
            &self.rules,
            self.setup.workspace.env().token(),
            budget,
            rehearsal,
        )?;
        let machine = machine::<C>(&self.rules, &self.task, &opened)?;
        Ok((opened, machine))
    }

    /// Runs the session to its end, or to where something stops it.
    pub(crate) async fn run(
        &self,
        session: Session,
        machine: Driver<C::Protocol>,
        resumed: bool,
        reporters: Vec<Box<dyn Reporter>>,
    ) -> Result<Finished<C::Document>, Error> {
        let mut driven = drive::drive(&self.setup, session, machine, resumed, reporters).await?;
        let (mut document, status) = {
            let session = driven.session.borrow();
            let outcome = &mut driven.outcome;
            let mut document = document::<C>(session.ledger(), &self.rules, &self.task, outcome);
            C::notes(&mut document).warnings.extend(self.notes.clone());
            let (workspace, out) = (self.setup.workspace, self.out.as_deref());
            let status = C::status(outcome, driven.signal, spent(session.ledger()));
            let status = C::follow(workspace, &self.task, out, &mut document, status);
            keep::<C>(workspace, out, &mut document);
            if let Ok(value) = serde_json::to_value(&document) {
                // The journal holds everything; a snapshot that could not be written loses nothing.
                session.write_snapshot(&value).ok();
            }
            (document, status)
        };
        let show = async |stored: &Stored, opened: &Opened| {
            shown::<C>(self.setup.workspace, stored, opened).await
        };
        *C::notes(&mut document).sinks = driven.deliver(&self.setup, show).await;
        Ok(Finished { document, status })
    }
}

pub(crate) fn machine<C: Council>(
    rules: &Rules<C::Settings>,
    task: &C::Task,
    opened: &Opened,
) -> Result<Driver<C::Protocol>, Error> {
    C::machine(Convened {
        task,
        settings: &rules.protocol,
        seats: seated(&rules.calls),
        boundary: &opened.boundary,
        seed: opened.seed,
    })
}

pub(crate) fn document<C: Council>(
    ledger: &Ledger,
    rules: &Rules<C::Settings>,
    task: &C::Task,
    outcome: &mut <C::Protocol as Protocol>::Outcome,
) -> C::Document {
    standing::attend(ledger, outcome);
    if !ledger.tree_changed().is_empty() {
        C::spoil(outcome, ledger.tree_changed());
    }
    let (started_at, last_at) = ledger.times().unwrap_or_default();
    let stamp = Stamp {
        session_id: (ledger.opened()).map(|opened| opened.session.clone()).unwrap_or_default(),
        started_at,
        completed_at: standing::is_over(ledger, outcome).then_some(last_at),
        budget: ledger.budget().unwrap_or_default(),
        cost: ledger.spent(),
    };
    let about = circumstances(ledger, &rules.calls.dangerous);
    let opened = ledger.opened();
    let of = Convened {
        task,
        settings: &rules.protocol,
        seats: seated(&rules.calls),
        boundary: opened.map_or("", |opened| &opened.boundary),
        seed: opened.map_or(0, |opened| opened.seed),
    };
    let mut document = C::document(of, outcome, &stamp, ledger.durations(), about);
    C::date(&mut document, &rules.protocol, ledger);
    document
}
