//! `discuss`: reads an artifact, seats the perspectives, collects their critiques, and reports the result.
//!
//! Everything that can be refused is refused before the first call: the artifact is read, all names and programs are
//! known.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use crate::app::agents;
use crate::app::run::calls::CallRules;
use crate::app::run::ending::{RunReport, undecided};
use crate::app::run::flags::Caller;
use crate::app::run::kind::{Parts, Rules, SessionKind, wrong_input};
use crate::app::run::options::RunOptions;
use crate::app::run::panel::{SeatHolder, recorded};
use crate::app::run::reports::Location;
use crate::app::run::session_run::SessionRun;
use crate::app::run::use_case::{DryRun, Reporters, UseCase};
use crate::app::run::workspace::Workspace;
use crate::config::Config;
use crate::config::trust::AgentUse;
use crate::error::{Error, Kind};
use crate::exit::ExitStatus;
use crate::kernel::warning::warning;
use crate::kernel::{Driver, Stamp, Usd, Warning};
use crate::protocol::discuss::{Input, Machine, Outcome, Severity, Task, Verdict};
use crate::report::discuss::DiscussDocument;
use crate::report::document::SessionFacts;
use crate::report::plan::Plan;
use crate::session::Ledger;

mod artifact;
mod policy;
mod prepare;
mod request;
mod seating;

pub use request::Request;

use prepare::{PreparedArtifact, prepare};

/// The critique of one artifact as a kind of session.
pub(crate) struct Discuss;

impl SessionKind for Discuss {
    const NAME: &'static str = "discuss";
    /// A perspective that gives no rating after the second request counts as unrated (`docs/discuss.md`, errors): a
    /// stand-in is for a CLI that fails.
    const UNREADABLE_FALLS_BACK: bool = false;
    type Task = Task;
    type Settings = ();
    type Protocol = Machine;
    type Document = DiscussDocument;

    fn skills(_: &Config, task: &Task, (): &()) -> Vec<Cow<'static, str>> {
        let perspectives = task.perspectives.iter();
        perspectives.map(|perspective| Cow::Owned(perspective.plays.clone())).collect()
    }

    fn seating(task: &Task, calls: &CallRules) -> Vec<SeatHolder> {
        recorded(calls, |seat| plays(task, seat))
    }

    fn used((): &()) -> AgentUse {
        AgentUse::Discuss
    }

    fn machine(of: Parts<'_, Self>) -> Result<Driver<Machine>, Error> {
        Machine::open(Input {
            task: Task::clone(of.task),
            seats: of.seats,
            prompts: of.prompts.clone(),
        })
        .map_err(wrong_input)
    }

    fn document(
        of: Parts<'_, Self>,
        outcome: Outcome,
        _: &Ledger,
        stamp: &Stamp,
        about: SessionFacts,
    ) -> DiscussDocument {
        DiscussDocument::new(outcome, of.task, stamp, about)
    }

    fn status(outcome: &Outcome, signal: Option<i32>, spent: Usd) -> ExitStatus {
        match outcome.verdict {
            Verdict::ConsensusReached | Verdict::OneVendor => ExitStatus::Success,
            Verdict::ConsensusBlocked => ExitStatus::Negative,
            // The basic record of a critique in which nobody answered is a result, too (`docs/exit-codes.md`).
            Verdict::Undecided if outcome.outcome == Verdict::Undecided => ExitStatus::Undecided,
            Verdict::Undecided => undecided(outcome, signal, spent),
        }
    }

    fn bounds(_: &Task, (): &()) -> (u32, u32) {
        (1, 1)
    }

    fn set(_: &mut Rules<()>, _: &str, _: &Config) -> Result<(), Error> {
        Err(Error::new(
            Kind::Usage,
            "a critique is decided by a fixed ladder, which has no thresholds",
        )
        .named("no_rules")
        .hint("`discuss --fail-on` changes the exit code; `sessions resume ID --from-round 1` asks again"))
    }

    /// Among the project's reports, even if a stored session names another folder: a path read from a session is
    /// never written to.
    fn report(document: &DiscussDocument, out: Option<&Path>, own: &Path) -> Option<Location> {
        let rehearsal = document.header.rehearsal;
        Some(record_place(out, own, record_name(&document.round_id, "discussion", rehearsal)))
    }

    /// A record in the user's own folder belongs to the user: a path named by a session is never opened.
    fn reports_again(task: &Task) -> bool {
        task.folder.is_none()
    }

    /// When a session with records in the user's own folder is resumed, a note is added instead: that folder is not
    /// written to because a journal names it.
    fn follow(
        workspace: &Workspace,
        task: &Task,
        out: Option<&Path>,
        document: &mut DiscussDocument,
        status: ExitStatus,
    ) -> ExitStatus {
        match (&task.folder, out) {
            _ if !task.apply_policy => status,
            (Some(folder), None) => {
                let why = format!(
                    "the session was opened with `--apply-policy --folder {folder}`: a resume never writes to a folder named by a session, so nothing follows from its result automatically"
                );
                not_applied(document, why);
                status
            }
            (_, named) => follow(workspace, named, task, document, status),
        }
    }
}

impl UseCase for Request {
    const USE: AgentUse = AgentUse::Discuss;
    type Output = RunReport<DiscussDocument>;

    fn options(&mut self) -> &mut RunOptions {
        &mut self.run
    }

    /// Refuses a role or a task that is blank, too long, or contains control characters.
    fn check(&self, caller: Caller) -> Result<(), Error> {
        one_line(caller, "role", self.role.as_deref())?;
        one_line(caller, "task_id", self.task_id.as_deref())
    }

    async fn run(
        &self,
        workspace: &Workspace,
        reporters: Reporters,
    ) -> Result<RunReport<DiscussDocument>, Error> {
        let mut run = ready(workspace, self, prepare(workspace, self)?)?;
        let title = |task: &Task| title(self, task);
        let mut finished = run.start(title, &self.run, reporters).await?.finished;
        finished.status = with_fail_on(finished.status, &finished.document, self.fail_on);
        Ok(finished)
    }
}

impl DryRun for Request {
    async fn dry_run(&self, workspace: &Workspace) -> Result<Plan, Error> {
        let item = prepare(workspace, self)?;
        let notes: Vec<Warning> = item.task.notes.iter().map(warning).collect();
        let mut plan = ready(workspace, self, item)?.dry_run(self.run.rehearse)?;
        plan.warnings.extend(notes);
        Ok(plan)
    }
}

fn plays(task: &Task, seat: &str) -> Cow<'static, str> {
    let mut perspectives = task.perspectives.iter();
    let found = perspectives.find(|perspective| perspective.name == seat);
    found.map_or_else(
        || agents::perspective_role(seat).into(),
        |perspective| perspective.plays.clone().into(),
    )
}

/// Refuses a role or task that is not a short line: it becomes part of the message to a coordinator.
fn one_line(caller: Caller, code: &'static str, value: Option<&str>) -> Result<(), Error> {
    let name = caller.field(code);
    match value {
        Some(text) if text.trim().is_empty() || text.chars().any(char::is_control) => {
            Err(Error::new(Kind::Usage, format!("`{name}` must be one line of text"))
                .named(code)
                .hint(format!("for example `{name} writer`")))
        }
        Some(text) if text.len() > 64 => Err(Error::new(
            Kind::Usage,
            format!("`{name}` has {} bytes, over the limit of 64", text.len()),
        )
        .named(code)),
        Some(_) | None => Ok(()),
    }
}

/// Returns the name of a record. A rehearsal's name differs from that of the critique it rehearses.
fn record_name(round_id: &str, what: &str, rehearsal: bool) -> String {
    let rehearsed = if rehearsal { "rehearsal-" } else { "" };
    format!("{round_id}-{rehearsed}{what}")
}

/// Returns the location for records of critiques. `out`: the folder named on the command line; `own`: the project's
/// folder for reports.
fn record_place(out: Option<&Path>, own: &Path, name: String) -> Location {
    if let Some(folder) = out {
        return Location::given(&[&folder.join(RECORDS)], name);
    }
    let folder = own.join(FOLDER);
    Location::given(&[own, &folder, &folder.join(RECORDS)], name)
}

/// The folder for critiques among the project's reports (`docs/discuss.md`: `.debate/discuss`).
const FOLDER: &str = "discuss";

/// The folder for records within [`FOLDER`].
const RECORDS: &str = "discussions";

/// Returns the folder for records and follow-ups.
fn folder_of(workspace: &Workspace, named: Option<&Path>) -> PathBuf {
    let paths = &workspace.effective.config.paths;
    match named {
        Some(folder) => workspace.around.dir.join(folder),
        None => workspace.root().join(&paths.debate).join(FOLDER),
    }
}

/// Prepares the session for one artifact.
fn ready<'a>(
    workspace: &'a Workspace,
    request: &Request,
    item: PreparedArtifact,
) -> Result<SessionRun<'a, Discuss>, Error> {
    let mut run =
        SessionRun::<Discuss>::new(workspace, &request.run, &item.seating, item.task, ())?;
    run.out = (request.folder.as_deref()).map(|folder| workspace.around.dir.join(folder));
    run.notes = workspace.effective.warnings.iter().map(warning).collect();
    Ok(run)
}

/// Returns a session's title: the artifact, and its round if the user named one; a generated id is of no use in a
/// list.
fn title(request: &Request, task: &Task) -> String {
    let mut title = task.artifact.name.clone();
    if request.round_id.is_some() || task.preset.is_some() {
        title = format!("{title} ({})", task.round_id);
    }
    crate::text::sanitize::line(&title, 120)
}

/// Applies the policy to a result. Returns how the program ends: a failure to record changes the status, not the
/// result.
fn follow(
    workspace: &Workspace,
    named: Option<&Path>,
    task: &Task,
    document: &mut DiscussDocument,
    status: ExitStatus,
) -> ExitStatus {
    let folder = folder_of(workspace, named);
    let header = &document.header;
    let entry = policy::Entry {
        session_id: &header.session_id,
        round_id: &task.round_id,
        task_id: task.task_id.as_deref(),
        artifact: &task.artifact,
        sign_off: task.sign_off,
        severity: document.result.severity,
        average_rating: document.result.average_rating,
        divergences: &document.result.divergences,
        action_items: &document.result.action_items,
        rehearsal: header.rehearsal,
        at: workspace.env().now(),
    };
    match policy::record(workspace.fs.as_ref(), &folder, &entry) {
        Ok(follow_up) => {
            document.follow(follow_up);
            status
        }
        Err(error) => {
            let why = error.sentence();
            not_applied(document, format!("nothing followed from the result: {why}"));
            status.worse(ExitStatus::State)
        }
    }
}

fn not_applied(document: &mut DiscussDocument, message: String) {
    document.header.warnings.push(Warning {
        code: "policy_not_applied".to_owned(),
        turn: None,
        message,
    });
}

/// Applies `--fail-on` to the status. An undecided result stays undecided, and other errors keep their status.
fn with_fail_on(
    status: ExitStatus,
    document: &DiscussDocument,
    fail_on: Option<Severity>,
) -> ExitStatus {
    let fail_on = fail_on.unwrap_or(Severity::Medium);
    match (document.result.severity, status) {
        (Some(severity), ExitStatus::Success | ExitStatus::Negative) if severity >= fail_on => {
            ExitStatus::Negative
        }
        (Some(_), ExitStatus::Success | ExitStatus::Negative) => ExitStatus::Success,
        (_, status) => status,
    }
}
