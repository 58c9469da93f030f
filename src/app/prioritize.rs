//! `prioritize`: opens a partner debate over a backlog and runs it.

use crate::agent::pace::Pace;
use crate::app::backlog;
use crate::app::input::Input;
use crate::app::run::available::Available;
use crate::app::run::ending::RunReport;
use crate::app::run::flags::Flags;
use crate::app::run::kind::{SessionKind as _, input_redacted};
use crate::app::run::options::RunOptions;
use crate::app::run::panel::{of_roles, planned};
use crate::app::run::quota::Quotas;
use crate::app::run::roles::DEBATE;
use crate::app::run::session_run::SessionRun;
use crate::app::run::stored;
use crate::app::run::use_case::{DryRun, Reporters, UseCase};
use crate::app::run::workspace::Workspace;
use crate::engine::events::Reporter;
use crate::error::{Error, Kind};
use crate::exit::ExitStatus;
use crate::kernel::warning::warning;
use crate::kernel::{Driver, Step, Stop, Usd};
use crate::protocol::backlog::Machine;
use crate::protocol::backlog::intake::{self, Backlog, Limits};
use crate::protocol::backlog::model::Opportunity;
use crate::protocol::opening::Opening;
use crate::report::plan::{Plan, PlannedCall};
use crate::session::record::SessionOpened;
use crate::text::Note;

mod kind;

pub(crate) use kind::Prioritize;

/// The source of the items to rank.
#[derive(Debug, Clone)]
pub enum Items {
    /// The items as given, or in a file.
    Of(Input),
    /// The open items of the project's stored backlog.
    Stored,
}

/// The request to rank a backlog.
#[derive(Debug, Clone)]
pub struct Request {
    /// The source of its items.
    pub items: Items,
    /// Maximum rounds.
    pub max_rounds: Option<u32>,
    /// Whether champion and critic see each other in round 1.
    pub opening: Option<Opening>,
    /// Options common to all runs.
    pub options: RunOptions,
    /// The name for messages and for the session's title, once it is read.
    name: String,
    /// The items, once they are read.
    backlog: Backlog,
}

impl Request {
    /// Creates a request with default options.
    pub fn of(items: Items) -> Self {
        Self {
            items,
            max_rounds: None,
            opening: None,
            options: RunOptions::default(),
            name: String::new(),
            backlog: Backlog::default(),
        }
    }

    /// Returns the notes from reading it.
    pub fn noticed(&self) -> &[Note] {
        &self.backlog.warnings
    }
}

/// Maximum bytes of input that are read: one more than a backlog may have, so that its own check reports the excess.
const MOST_INPUT: u64 = (64 << 20) + 1;

/// Parses a backlog; `name` is its file's name for messages.
fn read(workspace: &Workspace, name: &str, bytes: &[u8]) -> Result<Backlog, Error> {
    let limits = Limits {
        opportunities: usize::try_from(workspace.effective.config.limits.max_ids)
            .unwrap_or(usize::MAX)
            .min(Limits::default().opportunities),
        ..Limits::default()
    };
    intake::read(name, bytes, workspace.env().now(), limits)
        .map_err(|error| Error::new(Kind::Input, error.to_string()))
}

/// Prepares a new debate over these opportunities.
pub(crate) fn debate<'a>(
    workspace: &'a Workspace,
    options: &RunOptions,
    opportunities: Vec<Opportunity>,
) -> Result<SessionRun<'a, Prioritize>, Error> {
    let today = workspace.env().now().date_naive();
    let settings = kind::settings(&workspace.effective.config, today);
    let (mut seating, mut notes) = of_roles(workspace, options, DEBATE)?;
    notes.extend(Available { workspace, rehearse: options.rehearse }.two_models(&mut seating));
    let mut run = SessionRun::new(workspace, options, &seating, opportunities, settings)?;
    run.notes = notes.iter().map(warning).collect();
    Ok(run)
}

impl UseCase for Request {
    type Output = RunReport;

    fn options(&mut self) -> &mut RunOptions {
        &mut self.options
    }

    fn settings(&self, flags: &mut Flags) {
        flags.set("max_rounds", ["backlog", "max_rounds"], self.max_rounds);
        flags.set("opening", ["backlog", "opening"], self.opening);
    }

    fn read(&mut self, workspace: &Workspace) -> Result<(), Error> {
        let stored;
        let (name, bytes) = match &mut self.items {
            Items::Of(input) => {
                let typed = input.typed_name();
                input.read(workspace, MOST_INPUT, "a JSON or JSON Lines file")?;
                let (name, bytes) = input.named();
                (typed.unwrap_or_else(|| name.to_owned()), bytes)
            }
            Items::Stored => {
                let open = backlog::list(workspace, backlog::Filter::default())?.opportunities;
                stored = serde_json::to_vec(&open).map_err(|error| {
                    Error::new(Kind::Bug, "the items cannot be written as JSON").because(error)
                })?;
                ("the stored backlog".to_owned(), &stored[..])
            }
        };
        self.backlog = read(workspace, &name, bytes)?;
        self.name = name;
        Ok(())
    }

    async fn run(&self, workspace: &Workspace, reporters: Reporters) -> Result<RunReport, Error> {
        let backlog = &self.backlog;
        let debate = debate(workspace, &self.options, backlog.opportunities.clone())?;
        let title = format!("{}: {} opportunities", self.name, debate.task.len());
        let mut finished = run_debate(&debate, title, &self.options, reporters).await?;
        // Items that are in the backlog as well get their ranks there.
        backlog::keep_ranks(workspace, &mut finished.document)?;
        let notes = workspace.effective.warnings.iter().chain(&backlog.warnings);
        finished.document.header.warnings.extend(notes.map(warning));
        Ok(finished)
    }
}

pub(crate) async fn run_debate(
    debate: &SessionRun<'_, Prioritize>,
    title: String,
    options: &RunOptions,
    reporters: Vec<Box<dyn Reporter>>,
) -> Result<RunReport, Error> {
    let (opened, mut machine) = debate.opened(|_| title, options.rehearse)?;
    if debate.task.len() < 2 {
        return nothing_to_rank(debate, &machine, opened);
    }
    Ok(debate.begin(opened, &mut machine, reporters).await?.finished)
}

/// Returns the result for fewer than two opportunities: no agent is asked and nothing is stored.
fn nothing_to_rank(
    debate: &SessionRun<'_, Prioritize>,
    machine: &Driver<Machine>,
    opened: SessionOpened,
) -> Result<RunReport, Error> {
    let Step::Done(mut outcome) = machine.next() else {
        return Err(Error::new(Kind::Bug, "a debate over fewer than two items tried to ask"));
    };
    let mut ledger = crate::session::Ledger::new(&opened.session);
    ledger
        .fold(&crate::session::Record {
            seq: 1,
            at: debate.setup.workspace.env().now(),
            body: crate::session::Body::Opened(Box::new(opened)),
        })
        .map_err(|reason| Error::new(Kind::Bug, reason))?;
    let document =
        stored::document::<Prioritize>(&ledger, &debate.rules, &debate.task, &mut outcome);
    Ok(RunReport { document, status: ExitStatus::Success })
}

impl DryRun for Request {
    async fn dry_run(&self, workspace: &Workspace) -> Result<Plan, Error> {
        let backlog = &self.backlog;
        let debate = debate(workspace, &self.options, backlog.opportunities.clone())?;
        let (_, machine) = debate.opened(|_| String::new(), self.options.rehearse)?;
        let asked = match machine.next() {
            Step::Ask { turns, .. } => turns,
            Step::Done(_) => {
                return Ok(Plan {
                    opportunities: count(debate.task.len()),
                    set_aside: count(backlog.set_aside.len()),
                    note: Some("fewer than two opportunities: there is nothing to rank, and nobody would be asked".to_owned()),
                    ..Plan::default()
                });
            }
        };
        let stable = asked.first().map_or(0, |turn| turn.prompt.stable.len());
        let mut per_round = Usd::ZERO;
        let calls: Vec<PlannedCall> = DEBATE
            .iter()
            .filter_map(|(seat, role)| Some((seat, role, &debate.setup.roster.cast(seat)?.agent)))
            .map(|(seat, role, agent)| {
                let skill = debate.setup.skills.get(*role);
                let skill = skill.map_or(0, |skill| skill.prompt.len());
                // What the others will have said is not known yet.
                let first = asked.iter().find(|turn| turn.role == *seat);
                let prompt = first.map_or(stable, |turn| turn.prompt.text().len());
                let turn = format!("r1/{seat}");
                let sizes = (skill, prompt);
                let config = &workspace.effective.config;
                let pace = Pace::of(role, config.roles.get(*role));
                let paced = pace.applied(agent);
                let reserve = Prioritize::first_reserve(seat);
                let call = planned(pace, &paced, turn, seat, sizes, first.is_none(), reserve);
                per_round += call.reserve_usd;
                call
            })
            .collect();
        let rounds = debate.rules.protocol.max_rounds;
        Ok(Plan {
            opportunities: count(debate.task.len()),
            set_aside: count(backlog.set_aside.len()),
            quotas: Quotas::read(workspace).of(calls.iter().map(|call| &*call.agent)),
            calls,
            max_rounds: rounds,
            estimated_usd_per_round: per_round,
            estimated_usd_at_most: (0..rounds).map(|_| per_round).sum(),
            budget_usd: Some(workspace.effective.config.limits.budget_usd),
            rehearsal: self.options.rehearse,
            // Also those that the run itself would give before any answer.
            warnings: (backlog.warnings.iter().map(warning))
                .chain(machine.stop(Stop::Running).warnings)
                .chain(input_redacted(debate.task.removed()).as_ref().map(warning))
                .collect(),
            note: None,
        })
    }
}

fn count(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}
