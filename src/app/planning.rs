//! `plan`: seats the planners, runs the planning, and reports the result.

mod repository;

use std::borrow::Cow;
use std::io;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::app::input::Input;
use crate::app::review::no_thresholds;
use crate::app::run::calls::CallRules;
use crate::app::run::ending::{RunReport, failure_status};
use crate::app::run::flags::Flags;
use crate::app::run::kind::{Parts, Rules, SessionKind, wrong_input};
use crate::app::run::options::RunOptions;
use crate::app::run::panel::{Participants, places};
use crate::app::run::roles;
use crate::app::run::session_run::SessionRun;
use crate::app::run::use_case::{DryRun, Reporters, UseCase};
use crate::app::run::workspace::Workspace;
use crate::app::{change, context};
use crate::change::Change;
use crate::config::Config;
use crate::config::trust::AgentUse;
use crate::error::{Error, Kind};
use crate::exit::ExitStatus;
use crate::kernel::warning::warning;
use crate::kernel::{Driver, Stamp, Usd};
use crate::protocol::debate::ContextFile;
use crate::protocol::plan::{self, Machine, Outcome, PlanOutcome, Repository, Settings};
use crate::report::document::SessionFacts;
use crate::report::plan::Plan;
use crate::report::plan_result::PlanDocument;
use crate::session::Ledger;
use crate::text::Note;

/// The request for a plan.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// The task to be planned.
    pub task: Input,
    /// A change to show to the planners.
    pub scope: Option<change::Request>,
    /// Files that all planners are shown.
    pub files: Vec<PathBuf>,
    /// Whether planners may read the repository.
    pub read_repo: bool,
    /// The agents in the order of their seats; empty for `debate.default_agents`.
    pub agents: Vec<String>,
    /// Maximum cross-examinations.
    pub max_rounds: Option<u32>,
    /// The confidence, in percent, at which no further round is held.
    pub confidence: Option<u32>,
    /// The path for the report, as typed.
    pub out: Option<PathBuf>,
    /// Options common to all runs.
    pub options: RunOptions,
}

/// The subject of a plan's session, as in its first record.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Task {
    task: String,
    change: Option<Change>,
    /// `None` outside of a repository, and in sessions that did not show it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    repository: Option<Repository>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    context: Vec<ContextFile>,
    /// On what was read and not shown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    notes: Vec<Note>,
}

/// Planning as a kind of session.
pub(crate) struct PlanKind;

impl SessionKind for PlanKind {
    const NAME: &'static str = "plan";
    type Task = Task;
    type Settings = Settings;
    type Protocol = Machine;
    type Document = PlanDocument;

    fn skills(_: &Config, _: &Task, _: &Settings) -> Vec<Cow<'static, str>> {
        roles::PLAN.map(Cow::Borrowed).to_vec()
    }

    fn seating(_: &Task, recorded: &CallRules) -> Participants {
        Participants::recorded(recorded, |_| roles::PLAN[0].into())
    }

    fn machine(of: Parts<'_, Self>) -> Result<Driver<Machine>, Error> {
        Machine::open(plan::Input {
            task: of.task.task.clone(),
            change: of.task.change.clone(),
            repository: of.task.repository.clone(),
            context: of.task.context.clone(),
            seats: of.seats.into_values().collect(),
            settings: of.rules.protocol.clone(),
            boundary: of.boundary.to_owned(),
            seed: of.seed,
        })
        .map_err(wrong_input)
    }

    fn document(
        of: Parts<'_, Self>,
        outcome: Outcome,
        _: &Ledger,
        stamp: &Stamp,
        mut about: SessionFacts,
    ) -> PlanDocument {
        about.warnings.extend(of.task.notes.iter().map(warning));
        PlanDocument::new(outcome, of.task.task.clone(), stamp, about)
    }

    fn status(outcome: &Outcome, signal: Option<i32>, spent: Usd) -> ExitStatus {
        match (outcome.outcome, signal) {
            (PlanOutcome::Accepted, _) => ExitStatus::Success,
            (PlanOutcome::Rejected, _) => ExitStatus::Negative,
            (PlanOutcome::Interrupted, Some(signal)) => ExitStatus::from_signal(signal),
            (PlanOutcome::Undecided, _) => (outcome.failure.as_ref())
                .map_or(ExitStatus::Undecided, |failure| failure_status(failure, spent)),
            (
                PlanOutcome::Budget
                | PlanOutcome::Interrupted
                | PlanOutcome::Running
                | PlanOutcome::Terminated,
                _,
            ) => ExitStatus::Undecided,
        }
    }

    fn first_reserve(config: &Config, _: &str) -> Usd {
        config.plan.first_reserve_usd
    }

    fn reads_repository(settings: &Settings) -> bool {
        settings.read_repo
    }

    fn spoil(outcome: &mut Outcome, files: &[String]) {
        outcome.spoil(files);
    }

    fn set(_: &mut Rules<Settings>, _: &str, _: &str) -> Result<(), Error> {
        Err(no_thresholds())
    }

    fn bounds(_: &Task, settings: &Settings) -> (u32, u32) {
        // Each seat's own plan, the cross-examinations, the validation.
        let rounds = settings.max_rounds.saturating_add(1);
        (rounds, rounds.saturating_add(1))
    }
}

/// Maximum bytes of a task: it is part of every prompt.
const MOST_TASK: u64 = 100_000;

impl UseCase for Request {
    type Output = RunReport<PlanDocument>;

    fn options(&mut self) -> &mut RunOptions {
        &mut self.options
    }

    fn settings(&self, flags: &mut Flags) {
        flags.set("max_rounds", ["plan", "max_rounds"], self.max_rounds);
        flags.set("confidence", ["plan", "confidence"], self.confidence);
        flags.set("read_repo", ["plan", "read_repo"], self.read_repo.then_some(true));
    }

    fn read(&mut self, workspace: &Workspace) -> Result<(), Error> {
        let task = self.task.read_text(workspace, MOST_TASK + 1, "a task")?;
        if task.is_empty() {
            return Err(Error::new(Kind::Usage, "the task is empty")
                .hint("say what is to be done: `debate-agent plan 'Add paging to the list'`"));
        }
        if task.len() as u64 > MOST_TASK {
            let what = format!("the task is longer than {MOST_TASK} bytes");
            return Err(Error::new(Kind::Usage, what)
                .hint("put what is long into files, and name them in the task"));
        }
        match &mut self.scope {
            Some(scope) => scope.read(workspace),
            None => Ok(()),
        }
    }

    async fn run(
        &self,
        workspace: &Workspace,
        reporters: Reporters,
    ) -> Result<RunReport<PlanDocument>, Error> {
        let mut run = prepare(workspace, self).await?;
        run.out = self.out.as_ref().map(|out| workspace.around.dir.join(out));
        let title = crate::text::sanitize::line(self.task.text(), 120);
        let notes = workspace.effective.warnings.iter();
        run.notes = notes.map(warning).collect();
        Ok(run.start(title, &self.options, reporters).await?.finished)
    }
}

impl DryRun for Request {
    async fn dry_run(&self, workspace: &Workspace) -> Result<Plan, Error> {
        (prepare(workspace, self).await?).dry_run(self.options.rehearse)
    }
}

async fn prepare<'a>(
    workspace: &'a Workspace,
    request: &Request,
) -> Result<SessionRun<'a, PlanKind>, Error> {
    let config = &workspace.effective.config;
    // Changes hidden from reviewers by the project are hidden from planners too.
    if request.scope.is_some() && !request.options.rehearse {
        workspace.require_trusted_keys(AgentUse::Review)?;
    }
    let change = match &request.scope {
        Some(scope) => Some(change::show::read_alone(workspace, scope).await?),
        None => None,
    };
    let shown = context::read(workspace, &request.files, &mut io::stdin().lock())?;
    let (repository, mut notes) = repository::read(workspace)?;
    notes.extend(shown.notes);
    let settings = Settings {
        max_rounds: config.plan.max_rounds,
        confidence: config.plan.confidence,
        strict: request.options.strict,
        block_bytes: usize::try_from(config.limits.block_bytes).unwrap_or(usize::MAX),
        read_repo: config.plan.read_repo,
        today: Some(workspace.env().now().date_naive()),
        ..Settings::default()
    };
    let agents =
        if request.agents.is_empty() { &config.debate.default_agents } else { &request.agents };
    let task = Task {
        task: request.task.text().to_owned(),
        change,
        repository,
        context: shown.files,
        notes,
    };
    let seating = places(workspace, &request.options, agents, roles::PLAN[0])?;
    SessionRun::new(workspace, &request.options, &seating, task, settings)
}
