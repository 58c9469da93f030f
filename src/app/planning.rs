//! `plan`: seats the planners, runs the planning, and reports the result.

mod repository;

use crate::protocol::council;
use std::borrow::Cow;
use std::io;
use std::path::PathBuf;

use clap::Args;
use serde::{Deserialize, Serialize};

use crate::app::facts::{self, FactsRequest};
use crate::app::human::{self, OpenTerminal, Person};
use crate::app::input::Input;
use crate::app::number::setting;
use crate::app::run::calls::CallRules;
use crate::app::run::ending::{RunReport, undecided};
use crate::app::run::flags::{Caller, Flags};
use crate::app::run::kind::{Parts, SessionKind, wrong_input};
use crate::app::run::options::RunOptions;
use crate::app::run::panel::{SeatHolder, places, recorded};
use crate::app::run::roles;
use crate::app::run::session_run::SessionRun;
use crate::app::run::stored;
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
use crate::protocol::clarify::{self, CLARIFIER, Clarified};
use crate::protocol::context::ContextFile;
use crate::protocol::debate::PERSON;
use crate::protocol::facts::Facts;
use crate::protocol::plan::{self, Machine, Repository, Settings, Verdict};
use crate::report::document::SessionFacts;
use crate::report::plan::Plan;
use crate::report::plan_result::PlanDocument;
use crate::session::{Ledger, State, StoredSession};
use crate::text::Note;

/// The request for a plan.
#[derive(Debug, Clone, Default, Args)]
#[command(after_long_help = "\
Each agent plans alone, then judges the others' steps without knowing whose they are.
The best plan is the base; steps of others that were agreed on are added, and changes
that nobody opposes are put in; the program checks the dependencies. What that leaves
in question is voted on. In a repository, planners see its files by folder and up to
60 KB of text: what the task names first, then what that imports, then the rest.

Examples:
  debate-agent plan 'Move the session store to SQLite' --rehearse
  debate-agent plan 'Move the session store to SQLite' --clarify=list
  debate-agent plan 'Add paging' --file docs/api.md
  debate-agent plan 'Finish what this branch began' --base main
  debate-agent plan - --json < task.md > plan.json")]
pub struct Request {
    /// What is to be done; `-` reads it from standard input.
    #[arg(value_parser = Input::typed())]
    pub task: Input,
    /// Facts that only the person knows.
    #[command(flatten)]
    pub facts: FactsRequest,
    /// Show the planners what differs from this; `HEAD`: what is not committed.
    #[arg(long = "base", value_name = "REF", value_parser = change::Request::since())]
    pub scope: Option<change::Request>,
    /// A file that all planners are shown; can be repeated.
    #[arg(long = "file", value_name = "CONTEXT")]
    pub files: Vec<PathBuf>,
    /// Maximum number of cross-examinations.
    #[arg(long, hide_short_help = true, value_name = "N", allow_negative_numbers = true, value_parser = setting::<u32>("plan.max_rounds"))]
    pub max_rounds: Option<u32>,
    /// The confidence, in percent, at which no further round is held.
    #[arg(skip)]
    pub confidence: Option<u32>,
    /// Write the reports into this directory instead of .debate/.
    #[arg(long, hide_short_help = true, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// The agents, two or more, in the order of their seats.
    #[arg(long, value_name = "AGENT,...", value_delimiter = ',')]
    pub agents: Vec<String>,
    /// Options common to all runs.
    #[command(flatten)]
    pub options: RunOptions,
}

/// The subject of a plan's session, as in its first record.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Task {
    task: String,
    #[serde(default, skip_serializing_if = "Facts::is_empty")]
    facts: Facts,
    change: Option<Change>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    clarify: Option<clarify::Mode>,
    /// `None` outside of a repository, and in sessions that did not show it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    repository: Option<Repository>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    context: Vec<ContextFile>,
    /// On what was read and not shown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    notes: Vec<Note>,
}

type Outcome = clarify::Outcome<plan::Outcome>;

pub(crate) struct PlanKind;

impl SessionKind for PlanKind {
    const NAME: &'static str = "plan";
    type Task = Task;
    type Settings = Settings;
    type Protocol = Clarified<Machine>;
    type Document = PlanDocument;

    fn skills(_: &Config, task: &Task, _: &Settings) -> Vec<Cow<'static, str>> {
        let mut skills = roles::PLAN.map(Cow::Borrowed).to_vec();
        skills.extend(task.clarify.map(|_| CLARIFIER.into()));
        skills
    }

    fn seating(_: &Task, calls: &CallRules) -> Vec<SeatHolder> {
        recorded(calls, |seat| roles::of_seat(seat, roles::PLAN[0]).into())
    }

    fn machine(of: Parts<'_, Self>) -> Result<Driver<Clarified<Machine>>, Error> {
        let mut seats = of.seats;
        seats.retain(|seat, _| seat != CLARIFIER && seat != PERSON);
        let input = plan::Input {
            task: of.task.task.clone(),
            facts: of.task.facts.clone(),
            change: of.task.change.clone(),
            repository: of.task.repository.clone(),
            context: of.task.context.clone(),
            seats: seats.into_values().collect(),
            settings: of.rules.protocol.clone(),
            prompts: of.prompts.clone(),
            seed: of.seed,
        };
        let facts = input.facts.clone();
        let inner = Machine::open(input.clone()).map_err(wrong_input)?;
        Ok(clarify::open(inner, input, &facts, of.task.clarify, &of.prompts))
    }

    fn document(
        of: Parts<'_, Self>,
        Outcome { inner, facts }: Outcome,
        _: &Ledger,
        stamp: &Stamp,
        mut about: SessionFacts,
    ) -> PlanDocument {
        about.warnings.extend(of.task.notes.iter().map(warning));
        PlanDocument::new(inner, of.task.task.clone(), facts, stamp, about)
    }

    fn status(outcome: &Outcome, signal: Option<i32>, spent: Usd) -> ExitStatus {
        let outcome = &outcome.inner;
        match outcome.verdict {
            Verdict::Accepted => ExitStatus::Success,
            Verdict::OneVendor | Verdict::Rejected => ExitStatus::Negative,
            Verdict::Undecided => undecided(outcome, signal, spent),
        }
    }

    fn reads_repository(settings: &Settings) -> bool {
        settings.read_repo
    }

    fn spoil(outcome: &mut Outcome, files: &[String]) {
        council::spoil(&mut outcome.inner, Verdict::Undecided, files, "planners");
    }

    fn bounds(_: &Task, settings: &Settings) -> (u32, u32) {
        // Each seat's own plan, the cross-examinations, the validation.
        let rounds = settings.max_rounds.saturating_add(1);
        (rounds, rounds.saturating_add(1))
    }
}

/// Returns the person who may have to state facts before a stored plan goes on; `None` if nobody is asked.
///
/// # Errors
/// There is no terminal to ask at.
pub(crate) fn person_again(
    stored: &StoredSession,
    from_round: Option<u32>,
    terminal: OpenTerminal,
) -> Result<Option<Person>, Error> {
    let closed = matches!(stored.ledger.state(), State::Closed { .. });
    let opened = stored::opened(stored)?;
    if opened.protocol != PlanKind::NAME || (closed && from_round.is_none()) {
        return Ok(None);
    }
    let (_, task) = stored::read::<PlanKind>(opened)?;
    let asks = facts::asks_person(stored, task.clarify, from_round);
    asks.then(|| Person::from(human::Seat::of_facts(), None, terminal())).transpose()
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
    }

    fn check(&self, _: Caller) -> Result<(), Error> {
        let inputs: Vec<&Input> = self.facts.stated.iter().chain([&self.task]).collect();
        Input::check_stdin(&inputs, &self.files)
    }

    fn person(&self, _: &Workspace, terminal: OpenTerminal) -> Result<Option<Person>, Error> {
        let asked = self.facts.clarify == Some(clarify::Mode::Ask);
        asked.then(|| Person::from(human::Seat::of_facts(), None, terminal())).transpose()
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
        facts::read(self.facts.stated.as_mut(), workspace)?;
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
        let mut run = Box::pin(prepare(workspace, self)).await?;
        run.out = self.out.as_ref().map(|out| workspace.around.dir.join(out));
        let title = |task: &Task| crate::text::sanitize::line(&task.task, 120);
        let notes = workspace.effective.warnings.iter();
        run.notes = notes.map(warning).collect();
        Ok(Box::pin(run.start(title, &self.options, reporters)).await?.finished)
    }
}

impl DryRun for Request {
    async fn dry_run(&self, workspace: &Workspace) -> Result<Plan, Error> {
        (Box::pin(prepare(workspace, self)).await?).dry_run(self.options.rehearse)
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
    let (repository, mut notes) = repository::read(workspace, request.task.text(), &shown.files)?;
    notes.extend(shown.notes);
    let settings = Settings {
        max_rounds: config.plan.max_rounds,
        confidence: config.plan.confidence,
        read_repo: config.plan.read_repo,
        today: Some(workspace.env().now().date_naive()),
    };
    let (mut seating, seated) =
        places(workspace, &request.options, &request.agents, roles::PLAN[0])?;
    notes.extend(seated);
    let task = Task {
        task: request.task.text().to_owned(),
        facts: facts::parse(request.facts.stated.as_ref())?,
        change,
        repository,
        context: shown.files,
        notes,
        clarify: request.facts.clarify,
    };
    facts::seat(workspace, request.facts.clarify, &mut seating);
    SessionRun::new(workspace, &request.options, &seating, task, settings)
}
