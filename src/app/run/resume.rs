//! Resumes a stored session of any kind.

use super::drive::digests;
use super::ending::RunReport;
use super::kind::SessionKind;
use super::options::RunOptions;
use super::session_run::{RunResult, SessionRun, write_report};
use super::session_state::spent;
use super::setup::Setup;
use super::stored::{self, opened, replayed};
use super::workspace::Workspace;
use super::{afford, foreign, fork, reports};
use crate::app::input::Input;
use crate::engine::events::Reporter;
use crate::error::{Error, Kind, store_error};
use crate::kernel::warning::warning;
use crate::kernel::{DynDriver, Usd};
use crate::report::session_result::{SessionDocument as _, SessionResult};
use crate::session::record::{Digests, Drift, SessionResumed};
use crate::session::{Session, State, StoredSession};
use crate::text::Note;

/// The request to resume a session.
#[derive(Debug, Clone, Default)]
pub struct ResumeRequest {
    /// The id or a prefix of it.
    pub id: String,
    /// The new budget, if given.
    pub budget: Option<Usd>,
    /// The person's replies, one JSON object per line.
    pub arguments: Option<Input>,
    /// The round from which on everything is asked again, in a new session that keeps the answers of the rounds
    /// before it.
    pub from_round: Option<u32>,
    /// Whether to continue although skills or agents changed.
    pub accept_drift: bool,
    /// Options common to all runs. `rehearse` and `salvage` are taken from the session.
    pub options: RunOptions,
}

/// Resumes a session, or asks it again from a round on. For a closed one, returns its result again and calls no agent.
pub(crate) async fn resume<K: SessionKind>(
    workspace: &Workspace,
    request: &ResumeRequest,
    stored: StoredSession,
    reporters: Vec<Box<dyn Reporter>>,
) -> Result<RunReport<SessionResult>, Error> {
    match request.from_round {
        Some(round) => {
            fork::check(K::FORKS, &stored, round)?;
            workspace.store().free(&stored.id).map_err(store_error)?;
        }
        None if matches!(stored.ledger.state(), State::Closed { .. }) => {
            return closed::<K>(workspace, &stored).await;
        }
        None => {}
    }
    let opened = opened(&stored)?;
    let options = RunOptions { rehearse: opened.rehearsal, ..request.options.clone() };
    let (mut run, mut machine) =
        SessionRun::<K>::again(workspace, opened, &options, request.accept_drift)?;
    run.watch().await?;
    let mut first = run.machine(opened)?;
    let Some((session, notes)) = go_on(stored, &mut run.setup, request, &mut first).await? else {
        // Another resume was faster: its decision is the result.
        let stored = workspace.store().read(&request.id).map_err(store_error)?;
        return closed::<K>(workspace, &stored).await;
    };
    let RunResult { mut finished, outcome } =
        run.run(session, &mut machine, true, reporters).await?;
    finished.document.notes().warnings.extend(notes.iter().map(warning));
    K::write_back(workspace, &outcome, &mut finished.document).await?;
    Ok(finished.map(Into::into))
}

/// Returns the result of a closed session again, and completes the steps that its run may have been killed before.
async fn closed<K: SessionKind>(
    workspace: &Workspace,
    stored: &StoredSession,
) -> Result<RunReport<SessionResult>, Error> {
    let replay = replayed::<K>(stored).await?;
    let status = K::status(&replay.outcome, None, spent(&stored.ledger));
    let mut document = stored::completed::<K>(workspace, stored, replay.document);
    let status = K::follow(workspace, &replay.task, None, &mut document, status);
    if K::reports_again(&replay.task) {
        place_report::<K>(workspace, &mut document);
    }
    K::write_back(workspace, &replay.outcome, &mut document).await?;
    Ok(RunReport { document: document.into(), status })
}

/// Adds the path of a closed session's report to the document, and writes the report if it is missing: a run killed
/// between its last record and its report left none.
fn place_report<K: SessionKind>(workspace: &Workspace, document: &mut K::Document) {
    let paths = &workspace.effective.config.paths;
    let location = K::report(document, None, &workspace.root().join(&paths.debate));
    // A report from when it was interrupted is not the report of how it ended.
    let header = document.header();
    let written = location.and_then(|location| {
        reports::find(workspace.root(), &location, &|data| {
            data["session_id"] == header.session_id
                && data["outcome"].as_str() == header.outcome.as_deref()
        })
    });
    match written {
        Some(path) => document.place(path.display().to_string()),
        None => write_report::<K>(workspace, None, document),
    }
}

/// Compares a session with the current files. Returns the changes, and the digests to continue with.
fn present(
    stored: &StoredSession,
    setup: &mut Setup<'_>,
    request: &ResumeRequest,
) -> Result<(Drift, Digests), Error> {
    let begun = stored.ledger.digests();
    // An orderly end checked the repository; a run that was cut off did not, so its initial digests stay.
    let cut_off = matches!(stored.ledger.state(), State::Running);
    // If nothing is kept, nothing can have drifted from it.
    let afresh = request.from_round == Some(1);
    if let (Some(watch), true) = (&mut setup.watch, cut_off && !afresh) {
        watch.go_on_from(&begun.tree);
    }
    let input = (stored.ledger.opened()).map(|opened| opened.input.clone()).unwrap_or_default();
    let now = digests(setup, &input);
    let drift = begun.drift(&now);
    if !drift.is_empty() && !request.accept_drift && !afresh {
        let id = crate::report::short_id(&stored.id);
        return Err(Error::new(
            Kind::Trust,
            format!("session {id} was made with different files: {drift} changed since"),
        )
        .named("drift")
        .hint(format!("restore them (give `--agents` and `--seat` again if the debate was opened with it), or `debate-agent sessions resume {id} --accept-drift`: calls whose prompts changed are paid for again")));
    }
    let now = Digests { tree: if cut_off { begun.tree.clone() } else { now.tree }, ..now };
    Ok((drift, now))
}

/// Opens a session to resume it, or a new one from a round on, after checking that its files are unchanged and that
/// its next step is affordable. `machine`: as the session was opened. `None`: it was closed meanwhile.
async fn go_on(
    stored: StoredSession,
    setup: &mut Setup<'_>,
    request: &ResumeRequest,
    machine: &mut dyn DynDriver,
) -> Result<Option<(Session, Vec<Note>)>, Error> {
    let (drift, now) = present(&stored, setup, request)?;
    let (budget, lowered) = foreign::budget(setup.workspace, request.budget, &stored.ledger);
    if let Some(round) = request.from_round {
        let budget = budget.or(stored.ledger.budget());
        let session = fork::open(&stored, setup, round, machine, (drift, now), budget).await?;
        return Ok(Some((session, stored.notes.into_iter().chain(lowered).collect())));
    }
    afford::before_next(setup, &stored, machine, budget).await?;
    let renewed = now != *stored.ledger.digests();
    drop(stored);
    let (mut session, _, mut notes) =
        setup.workspace.store().open(&request.id).map_err(store_error)?;
    notes.extend(lowered);
    if session.is_closed() {
        return Ok(None);
    }
    session
        .resume(SessionResumed {
            budget,
            accepted_drift: drift.changed,
            digests: renewed.then_some(now),
            program_version: env!("CARGO_PKG_VERSION").to_owned(),
        })
        .map_err(store_error)?;
    Ok(Some((session, notes)))
}
