//! `eval`: runs cases with known answers through the ordinary use cases, each in a repository and a session folder of
//! its own, and scores the arms of the stored sessions. `docs/eval.md` has what the figures mean.
//!
//! # Theory of operation
//!
//! ```text
//! OUT/eval.json        what was asked for, of which shard, by which agents
//! OUT/NAME/case.json   a copy of the case; written last, so the folder is whole where it is
//! OUT/NAME/project/    the repository of the case; its session is in .debate
//! ```
//!
//! All state is in the sessions, and the table is made of the folder alone.

mod arms;
mod folder;

use std::path::{Path, PathBuf};

use clap::Args;

use crate::app::run::flags::{Caller, Flags};
use crate::app::run::git::git_host;
use crate::app::run::options::RunOptions;
use crate::app::run::resume::ResumeRequest;
use crate::app::run::signals;
use crate::app::run::use_case::{Reporters, UseCase};
use crate::app::run::workspace::{StartContext, Workspace};
use crate::app::{Input, review, topic};
use crate::engine::switch::Switch;
use crate::error::{Error, Kind, git_error, store_error};
use crate::eval::case::Case;
use crate::eval::{Part, shard};
use crate::exit::ExitStatus;
use crate::git;
use crate::kernel::Usd;
use crate::protocol::debate::Style;
use crate::report::eval::EvalDocument;
use crate::session::store::is_id;
use crate::session::{State, StoredSession};
use folder::{CASE, DEBATE, EvalFolder, PROJECT, unreadable};

/// The request to evaluate cases.
#[derive(Debug, Clone, Args)]
pub(crate) struct Request {
    /// Keep repositories and sessions here [default: .debate/eval/CASES].
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Also run and score the held-out part, which is recorded.
    #[arg(long)]
    held_out: bool,
    /// Only one of N parts, by the hash of the cases' names: 1/4 to 4/4.
    #[arg(long, value_name = "I/N", value_parser = number_of)]
    shard: Option<[u32; 2]>,
    /// The agents, in the order of their seats.
    #[arg(long, value_name = "AGENT,...", value_delimiter = ',')]
    agents: Vec<String>,
    /// Options common to all runs; the budget is for all cases together.
    #[command(flatten)]
    options: RunOptions,
}

/// Parses `1/4`.
fn number_of(text: &str) -> Result<[u32; 2], String> {
    let numbers = text.split_once('/');
    let numbers = numbers.and_then(|(one, of)| Some([one.parse().ok()?, of.parse().ok()?]));
    numbers
        .filter(|[one, of]| (1..=*of).contains(one))
        .ok_or_else(|| format!("`{text}` is not I/N, as in 1/4, 2/4, 3/4 and 4/4"))
}

/// Runs what is not run yet of the cases in `from`, and scores all. `reporters` returns those of the next case. A budget
/// that ran out is not an error but a result.
pub(crate) async fn run(
    around: &StartContext,
    from: &Path,
    request: &Request,
    reporters: &dyn Fn(&str) -> Reporters,
) -> Result<(EvalDocument, ExitStatus), Error> {
    let mut options = request.options.clone();
    let workspace = Workspace::open(around.clone(), Flags::of(Caller::CommandLine, &options).all)?;
    let (env, config) = (workspace.env(), &workspace.effective.config);
    let mut left_out = Vec::new();
    let cases = chosen(from, request, &mut left_out)?;
    let mut out = EvalFolder::new(&workspace, from, request)?;
    let _held = out.shared().lock("lock", env.now()).map_err(store_error)?;
    out.note(&cases, config)?;
    let mut spent = Usd::ZERO;
    for (name, _) in &cases {
        spent += spent_by(out.session(env, name)?.as_ref());
    }
    let (mut stopped, mut status) = (None, ExitStatus::Success);
    for (name, case) in &cases {
        make(&workspace, &from.join(name), &out, name, case).await?;
        let session = out.session(env, name)?;
        if session.as_ref().is_some_and(|it| matches!(it.ledger.state(), State::Closed { .. })) {
            continue;
        }
        // A session's budget counts what it has spent before.
        let others = spent.saturating_sub(spent_by(session.as_ref()));
        options.budget = Some(config.limits.budget_usd.saturating_sub(others));
        let mut around = StartContext { dir: out.dir.join(name).join(PROJECT), ..around.clone() };
        around.set.push(format!("paths.debate={DEBATE}"));
        let resumed = session.map(|stored| stored.id);
        match ask(around, &request.agents, options.clone(), case, resumed, reporters(name)).await {
            Ok(ended) => status = ended,
            Err(error) if error.code == "budget" => {
                stopped = Some(format!("the budget for all cases, {}", config.limits.budget_usd));
                break;
            }
            Err(error) => return Err(error.hint(format!("it was in the case `{name}`"))),
        }
        spent = others + spent_by(out.session(env, name)?.as_ref());
        if status.is_stopped() {
            stopped = Some("a signal".to_owned());
            break;
        }
    }
    let mut document = out.read(env, request.held_out).await?;
    (document.stopped_by, document.left_out) = (stopped, left_out);
    let ended = ended(&document);
    Ok((document, if status.is_stopped() { status } else { ended }))
}

/// Reads the folders of shards, and scores all their cases together. Nobody is asked.
pub(crate) async fn merge(
    around: &StartContext,
    folders: &[PathBuf],
) -> Result<(EvalDocument, ExitStatus), Error> {
    let open = |folder: &PathBuf| EvalFolder::existing(&around.dir.join(folder));
    let all = folders.iter().map(open).collect::<Result<Vec<_>, _>>()?;
    let document = folder::merged(&around.env, &all).await?;
    let ended = ended(&document);
    Ok((document, ended))
}

fn ended(document: &EvalDocument) -> ExitStatus {
    if document.is_complete() { ExitStatus::Success } else { ExitStatus::Undecided }
}

/// Returns what a session has spent; calls that a killed run left count with their reservation.
fn spent_by(session: Option<&StoredSession>) -> Usd {
    session.map_or(Usd::ZERO, |stored| {
        stored.ledger.spent().map_or(Usd::ZERO, |cost| cost.usd) + stored.ledger.reserved()
    })
}

/// Returns the cases of this shard and of the parts that are asked for, by name. `left_out` gets the names of those of
/// kinds that are not evaluated.
fn chosen(
    from: &Path,
    request: &Request,
    left_out: &mut Vec<String>,
) -> Result<Vec<(String, Case)>, Error> {
    let listed = std::fs::read_dir(from).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let mut cases = Vec::new();
    for entry in listed.map_err(|error| unreadable(from, error))? {
        let (name, path) = (entry.file_name(), entry.path().join(CASE));
        let name = name.to_string_lossy().into_owned();
        let in_shard = request.shard.is_none_or(|[own, of]| shard(&name, of) == own);
        let in_part = request.held_out || Part::of(&name) == Part::Tuning;
        if !path.exists() || !in_shard || !in_part {
            continue;
        }
        if !is_id(&name) {
            let what = format!("{} does not have the name of a case", entry.path().display());
            return Err(Error::new(Kind::Input, what).hint("rename the folder: a-z, 0-9 and -"));
        }
        let text = std::fs::read_to_string(&path).map_err(|error| unreadable(&path, error))?;
        match Case::read(&text).map_err(|error| unreadable(&path, error))? {
            Case::Ranking { .. } | Case::Document { .. } => left_out.push(name),
            case => cases.push((name, case)),
        }
    }
    cases.sort_by(|(one, _), (other, _)| one.cmp(other));
    if cases.is_empty() {
        let what = format!("{} has no review and no question to run", from.display());
        return Err(Error::new(Kind::Input, what).hint("without `--held-out` only cases of the tuning part are run; `docs/eval.md` has their form"));
    }
    Ok(cases)
}

/// Makes the repository of a case, unless it is there.
async fn make(
    workspace: &Workspace,
    from: &Path,
    out: &EvalFolder,
    name: &str,
    case: &Case,
) -> Result<(), Error> {
    let written = serde_json::to_vec(case).unwrap_or_default();
    let of_case = out.shared().within(name);
    if let Some(there) = of_case.read(CASE).map_err(store_error)? {
        let what = format!("the case `{name}` has changed since it was run");
        let hint = format!("give another `--out`, or remove {}", out.dir.join(name).display());
        let changed = Error::new(Kind::Input, what).hint(hint);
        return if there == written { Ok(()) } else { Err(changed) };
    }
    let project = of_case.path(PROJECT);
    // What a run left that was killed here.
    if project.exists() {
        std::fs::remove_dir_all(&project).map_err(|error| unreadable(&project, error))?;
    }
    of_case.within(PROJECT).make().map_err(store_error)?;
    // A question has neither; a review without a change is refused as such.
    let base = Some(from.join("base")).filter(|base| base.is_dir());
    let base = base.unwrap_or_else(|| project.clone());
    let patch = std::fs::read(from.join("change.diff")).unwrap_or_default();
    let switch = Switch::default();
    let failed = |error| git_error(error, &switch).hint(format!("it was in the case `{name}`"));
    let host = git_host(workspace, &switch).map_err(failed)?;
    let seeded = git::seeded(host, &project, &base, patch);
    signals::during(&workspace.stops, &switch, None, seeded).await?.map_err(failed)?;
    of_case.replace(CASE, &written).map_err(store_error)
}

/// Asks the agents, or continues to; returns how that ended.
async fn ask(
    around: StartContext,
    agents: &[String],
    options: RunOptions,
    case: &Case,
    resumed: Option<String>,
    reporters: Reporters,
) -> Result<ExitStatus, Error> {
    // Cases are no results that anybody waits for.
    let open = |around, flags| {
        let mut workspace = Workspace::open(around, flags)?;
        workspace.effective.config.sinks.clear();
        Ok::<_, Error>(workspace)
    };
    if let Some(id) = resumed {
        let budget = options.budget;
        let mut resume = ResumeRequest { id, budget, options, ..ResumeRequest::default() };
        let workspace = open(around, resume.flags(Caller::CommandLine))?;
        return Ok(Box::pin(resume.run(&workspace, reporters)).await?.status);
    }
    if let Case::Question { question, options: choices, .. } = case {
        let mut debate = topic::Request {
            style: Some(Style::Panel),
            options: choices.clone(),
            participants: agents.to_vec(),
            run: options,
            ..topic::Request::about(Input::words(question))
        };
        let workspace = open(around, debate.flags(Caller::CommandLine))?;
        debate.read(&workspace)?;
        return Ok(Box::pin(debate.run(&workspace, reporters)).await?.status);
    }
    let mut review =
        review::Request { agents: agents.to_vec(), options, ..review::Request::default() };
    let workspace = open(around, review.flags(Caller::CommandLine))?;
    match Box::pin(review.run(&workspace, reporters)).await? {
        review::ReviewResult::Held(held) => Ok(held.status),
        review::ReviewResult::Nothing(nothing) => Err(Error::new(Kind::Input, nothing.sentence())),
    }
}
