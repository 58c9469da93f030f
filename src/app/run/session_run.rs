//! A session of any kind that is ready to run: opening it, running it, reporting it, and planning it without a call.
//!
//! The seats are in the session's first record, so a resume seats the same agents, whatever the command line or the
//! configuration says by then.

use std::io;
use std::path::{Path, PathBuf};

use super::afford::{self, Allowance};
use super::calls::CallRules;
use super::ending::RunReport;
use super::kind::{OutcomeOf, Rules, SessionKind, input_redacted, redact};
use super::options::RunOptions;
use super::panel::{self, SeatHolder, planned};
use super::quota::Quotas;
use super::reports::{self, Location};
use super::session_state::spent;
use super::setup::Setup;
use super::tree_check::Watch;
use super::workspace::Workspace;
use super::{drive, stored};
use crate::agent::pace::Pace;
use crate::agent::roster::Roster;
use crate::engine::events::Reporter;
use crate::error::{Error, store_error};
use crate::kernel::warning::warning;
use crate::kernel::{Driver, DynDriver, SessionOutcome as _, Step, Stop, Usd, Warning};
use crate::report::document::to_json;
use crate::report::page::ToPage as _;
use crate::report::plan::Plan;
use crate::report::session_result::{SessionDocument, ToValue as _};
use crate::session::Session;
use crate::session::record::SessionOpened;
use crate::skill::{self, SkillSet};
use crate::text::redact::Redacted;

pub(crate) struct SessionRun<'a, K: SessionKind> {
    pub(crate) setup: Setup<'a>,
    pub(crate) task: Redacted<K::Task>,
    pub(crate) rules: Rules<K::Settings>,
    /// The folder for reports; `None` for the project's own.
    pub(crate) out: Option<PathBuf>,
    /// Notes from before any agent was asked: they are in the result and in its report.
    pub(crate) notes: Vec<Warning>,
    /// The amount that may be spent, if that is not all of the configured budget.
    pub(crate) left: Option<Allowance>,
}

pub(crate) struct RunResult<K: SessionKind> {
    pub(crate) finished: RunReport<K::Document>,
    pub(crate) outcome: OutcomeOf<K>,
}

impl<'a, K: SessionKind> SessionRun<'a, K> {
    fn with(
        workspace: &'a Workspace,
        (skills, mut roster): (SkillSet, Roster),
        rules: Rules<K::Settings>,
        task: Redacted<K::Task>,
        accept_drift: bool,
    ) -> Self {
        if let Some(tool) = K::tool(workspace, &rules.protocol) {
            roster = roster.with_tool(tool);
        }
        let config = &workspace.effective.config;
        let (max_rounds, turns) = K::bounds(&task, &rules.protocol);
        Self {
            setup: Setup {
                workspace,
                protocol: K::NAME,
                stages: K::stages(&rules.protocol),
                most_turns: rules.most_turns::<K>(&task),
                roster,
                skills,
                most_calls: turns.saturating_mul(rules.calls.most_calls()),
                calls: rules.calls.clone(),
                max_rounds,
                first_reserve: K::first_reserve,
                round_timeout: K::round_timeout(config, &rules.protocol),
                switch: None,
                watch: None,
                accept_drift,
            },
            task,
            rules,
            out: None,
            notes: Vec::new(),
            left: None,
        }
    }

    fn panel(
        workspace: &Workspace,
        options: &RunOptions,
        seating: &[SeatHolder],
        task: &K::Task,
        settings: &K::Settings,
    ) -> Result<(SkillSet, Roster), Error> {
        let skills = K::skills(&workspace.effective.config, task, settings);
        let reading = K::reads_repository(settings);
        panel::seat(workspace, options, seating, &skills, K::used(settings), reading)
    }

    /// Prepares a new session with these participants.
    pub(crate) fn new(
        workspace: &'a Workspace,
        options: &RunOptions,
        seating: &[SeatHolder],
        mut task: K::Task,
        settings: K::Settings,
    ) -> Result<Self, Error> {
        let reading = K::reads_repository(&settings);
        let seating = panel::with_stand_ins(workspace, options, seating, reading);
        let panel = Self::panel(workspace, options, &seating, &task, &settings)?;
        K::equip(&mut task, &panel.0);
        let (task, settings) = (redact(workspace, task)?, redact(workspace, settings)?);
        let config = &workspace.effective.config;
        let calls = CallRules {
            unreadable_falls_back: K::UNREADABLE_FALLS_BACK,
            templates: skill::templates(&panel.0),
            ..CallRules::new(config, &panel.1)
        };
        let rules = Rules { calls, protocol: settings.into_inner() };
        Ok(Self::with(workspace, panel, rules, task, false))
    }

    /// Prepares a stored session for a resume, with the machine that it was opened with.
    pub(crate) fn again(
        workspace: &'a Workspace,
        opened: &SessionOpened,
        options: &RunOptions,
        accept_drift: bool,
    ) -> Result<(Self, Driver<K::Protocol>), Error> {
        let (rules, task) = stored::read::<K>(opened)?;
        let machine = stored::machine::<K>(&rules, &task, opened)?;
        let seating = K::seating(&task, &rules.calls);
        let panel = Self::panel(workspace, options, &seating, &task, &rules.protocol)?;
        Ok((Self::with(workspace, panel, rules, task, accept_drift), machine))
    }

    /// Records the state of the repository before agents may read it, so that changes are detected afterwards.
    pub(crate) async fn watch(&mut self) -> Result<(), Error> {
        if K::watches(&self.rules.protocol) {
            self.setup.watch = Some(Watch::begin(self.setup.workspace).await?);
        }
        Ok(())
    }

    pub(crate) async fn start(
        &mut self,
        title: impl FnOnce(&K::Task) -> String,
        options: &RunOptions,
        reporters: Vec<Box<dyn Reporter>>,
    ) -> Result<RunResult<K>, Error> {
        self.watch().await?;
        let (opened, mut machine) = self.opened(title, options.rehearse)?;
        self.begin(opened, &mut machine, reporters).await
    }

    /// Runs a session from its first record on, after checking that the budget covers its first step.
    pub(crate) async fn begin(
        &self,
        opened: SessionOpened,
        machine: &mut Driver<K::Protocol>,
        reporters: Vec<Box<dyn Reporter>>,
    ) -> Result<RunResult<K>, Error> {
        afford::before_first(&self.setup, machine, self.left()).await?;
        let store = self.setup.workspace.store();
        let session = store.create(opened).map_err(store_error)?;
        self.run(session, machine, false, reporters).await
    }

    fn left(&self) -> Allowance {
        let configured = self.setup.workspace.effective.config.limits.budget_usd;
        self.left.unwrap_or(Allowance::all(configured))
    }

    /// Describes the calls of the first step, and the maximum cost of all. No agent is asked, nothing is kept.
    pub(crate) fn dry_run(&self, rehearsal: bool) -> Result<Plan, Error> {
        let (_, machine) = self.opened(|_| String::new(), rehearsal)?;
        let Some(plan) = planned_step(&self.setup, &machine) else {
            return Ok(Plan {
                note: Some("there is nothing to ask".to_owned()),
                ..Plan::default()
            });
        };
        Ok(Plan {
            rehearsal,
            // The warnings about its input that the run itself would give before any answer.
            warnings: (self.notes.iter().chain(machine.stop(Stop::Running).warnings()).cloned())
                .chain(input_redacted(self.task.removed()).as_ref().map(warning))
                .collect(),
            ..plan
        })
    }

    /// Creates the first record and the machine. `title` returns the subject in a few words.
    pub(crate) fn opened(
        &self,
        title: impl FnOnce(&K::Task) -> String,
        rehearsal: bool,
    ) -> Result<(SessionOpened, Driver<K::Protocol>), Error> {
        let opened = drive::opened(
            &self.setup,
            &title(&self.task),
            (serde_json::to_value(&*self.task), self.task.removed()),
            serde_json::to_value(&self.rules),
            self.left().budget(),
            rehearsal,
        )?;
        let machine = self.machine(&opened)?;
        Ok((opened, machine))
    }

    /// Creates the machine of a session with this first record.
    pub(crate) fn machine(&self, opened: &SessionOpened) -> Result<Driver<K::Protocol>, Error> {
        stored::machine::<K>(&self.rules, &self.task, opened)
    }

    /// Runs the session until it ends or something stops it.
    pub(crate) async fn run(
        &self,
        session: Session,
        machine: &mut Driver<K::Protocol>,
        resumed: bool,
        reporters: Vec<Box<dyn Reporter>>,
    ) -> Result<RunResult<K>, Error> {
        let driving = drive::drive(&self.setup, session, machine, resumed, reporters);
        let driven = Box::pin(driving).await?;
        let mut outcome = machine.outcome(driven.end);
        let (mut document, status) = {
            let session = driven.session.borrow();
            let mut document =
                stored::document::<K>(session.ledger(), &self.rules, &self.task, &mut outcome);
            document.notes().warnings.extend(self.notes.clone());
            *document.notes().journal_head = Some(session.head().to_owned());
            let (workspace, out) = (self.setup.workspace, self.out.as_deref());
            let status = K::status(&outcome, driven.signal, spent(session.ledger()));
            let status = K::follow(workspace, &self.task, out, &mut document, status);
            write_report::<K>(workspace, out, &mut document);
            if let Ok(value) = document.value() {
                // The journal contains everything; a result that could not be stored loses nothing here.
                session.write_result(&value, &document.markdown()).ok();
            }
            (document, status)
        };
        *document.notes().sinks = driven.deliver(&self.setup, stored::shown::<K>).await;
        Ok(RunResult { finished: RunReport { document, status }, outcome })
    }
}

/// Describes the calls of the first step, and the maximum cost of all; `None` if there is nothing to ask.
fn planned_step(setup: &Setup<'_>, machine: &dyn DynDriver) -> Option<Plan> {
    let config = &setup.workspace.effective.config;
    let Step::Ask { turns, .. } = machine.step() else {
        return None;
    };
    let mut per_round = Usd::ZERO;
    let mut calls = Vec::with_capacity(turns.len());
    for turn in turns {
        let Some(cast) = setup.roster.cast(&turn.role) else {
            continue;
        };
        let skill = setup.skills.get(&*turn.plays);
        let sizes = (skill.map_or(0, |skill| skill.prompt.len()), turn.prompt.text().len());
        let pace = Pace::of(&turn.plays, config.roles.get(&*turn.plays));
        let paced = pace.applied(&cast.agent);
        let (id, reserve) = (turn.id.to_string(), (setup.first_reserve)(&turn.role));
        let call = planned(pace, &paced, id, &turn.role, sizes, false, reserve);
        per_round += call.reserve_usd;
        calls.push(call);
    }
    // A seat's later prompts are about as long as its first.
    let first = |seat: &str| calls.iter().find(|call| call.role == seat);
    let reserves: Vec<Usd> = (setup.roster.casts())
        .map(|(seat, cast)| match (first(seat), cast.agent.declared_cost) {
            (Some(call), _) => call.reserve_usd,
            (None, Some(declared)) => declared,
            (None, None) => (setup.first_reserve)(seat),
        })
        .collect();
    let asked = setup.roster.casts().map(|(_, cast)| &*cast.agent.name);
    Some(Plan {
        quotas: Quotas::read(setup.workspace).of(asked),
        estimated_usd_at_most: (0..setup.most_turns)
            .zip(reserves.iter().cycle())
            .map(|(_, usd)| *usd)
            .sum(),
        calls,
        max_rounds: setup.max_rounds,
        estimated_usd_per_round: per_round,
        budget_usd: Some(config.limits.budget_usd),
        ..Plan::default()
    })
}

/// Writes the report of a session, as Markdown and JSON, if its kind has one.
pub(crate) fn write_report<K: SessionKind>(
    workspace: &Workspace,
    out: Option<&Path>,
    document: &mut K::Document,
) {
    let own = workspace.root().join(&workspace.effective.config.paths.debate);
    if let Some(location) = K::report(document, out, &own) {
        write(workspace, &location, &mut document.clone(), document);
    }
}

/// Writes a report. A failure does not lose the result: the journal contains it, and the document gets a warning.
/// `placed`: a copy, for the JSON; the document itself names an existing report, so one that could not be written has
/// no path.
fn write(
    workspace: &Workspace,
    location: &Location,
    placed: &mut dyn SessionDocument,
    document: &mut dyn SessionDocument,
) {
    let markdown = document.markdown();
    // The folder's name was typed.
    let redactor = workspace.redactor();
    let shown = |path: &Path| redactor.text(&path.display().to_string());
    let mut json = |path: &Path| {
        placed.place(shown(path));
        to_json(placed).map_err(io::Error::other)
    };
    let env = workspace.env();
    let written = reports::write(workspace.place(), location, env, &markdown, &mut json);
    if let Err(error) = written.map(|path| document.place(shown(&path))) {
        document.notes().warnings.push(Warning {
            code: "report_not_written".to_owned(),
            turn: None,
            message: format!(
                "the report could not be written: {error}; `debate-agent sessions show ID --format markdown` prints it"
            ),
        });
    }
}
