//! Goes on with a stored session of any kind.

use super::afford;
use super::drive::{BUILT_IN, digests, is_of_other_version};
use super::ending::RunReport;
use super::foreign;
use super::kind::SessionKind;
use super::options::RunOptions;
use super::reports;
use super::session_run::{SessionRun, write_report};
use super::setup::Setup;
use super::standing::spent;
use super::stored::{self, opened, replayed};
use super::workspace::Workspace;
use crate::app::input::Input;
use crate::engine::events::Reporter;
use crate::error::{Error, Kind, store_error};
use crate::kernel::warning::warning;
use crate::kernel::{Driver, Protocol, Usd};
use crate::report::session_result::SessionDocument as _;
use crate::session::record::{Digests, Drift, SessionResumed};
use crate::session::{Ledger, Session, State, Store, StoredSession};
use crate::text::Note;

/// How a session is resumed.
#[derive(Debug, Clone, Default)]
pub struct ResumeRequest {
    /// The id, or the start of it.
    pub id: String,
    /// A new budget, if there is one.
    pub budget: Option<Usd>,
    /// What a person says, one JSON object a line.
    pub arguments: Option<Input>,
    /// Keep the answers of the rounds before this one, and ask again from it on, in a new session.
    pub from_round: Option<u32>,
    /// Go on although skills or agents changed.
    pub accept_drift: bool,
    /// The rest. `rehearse`, `strict`, `salvage` and `allow_same_vendor` stand in the session.
    pub options: RunOptions,
}

/// Goes on with a session. A closed one gives its result again and calls nobody.
pub(crate) async fn resume<K: SessionKind>(
    workspace: &Workspace,
    request: &ResumeRequest,
    stored: StoredSession,
    reporters: Vec<Box<dyn Reporter>>,
) -> Result<RunReport<K::Document>, Error> {
    if matches!(stored.ledger.state(), State::Closed { .. }) {
        return closed::<K>(workspace, &stored).await;
    }
    let store = workspace.store(request.options.no_lock);
    let opened = opened(&stored)?;
    let options = RunOptions { rehearse: opened.rehearsal, ..request.options.clone() };
    let (mut run, machine) =
        SessionRun::<K>::again(workspace, opened, &options, request.accept_drift)?;
    run.watch().await?;
    if let (Some(watch), State::Running) = (&mut run.setup.watch, stored.ledger.state()) {
        watch.go_on_from(&stored.ledger.digests().tree);
    }
    let first = run.machine(opened)?;
    let Some((session, notes)) = go_on(&store, stored, &run.setup, request, first).await? else {
        // Another resume was faster: what it decided is the result.
        let stored = store.read(&request.id).map_err(store_error)?;
        return closed::<K>(workspace, &stored).await;
    };
    let result = run.run(session, machine, true, reporters).await?;
    let mut finished = result.finished;
    finished.document.notes().warnings.extend(notes.iter().map(warning));
    K::write_back(workspace, &result.outcome, &mut finished.document).await?;
    Ok(finished)
}

/// Gives the result of a closed session again, and does what its run may have been killed before.
async fn closed<K: SessionKind>(
    workspace: &Workspace,
    stored: &StoredSession,
) -> Result<RunReport<K::Document>, Error> {
    let replay = replayed::<K>(stored).await?;
    let status = K::status(&replay.outcome, None, spent(&stored.ledger));
    let mut document = stored::completed::<K>(workspace, stored, replay.document);
    let status = K::follow(workspace, &replay.task, None, &mut document, status);
    if K::reports_again(&replay.task) {
        place_report::<K>(workspace, &mut document);
    }
    K::write_back(workspace, &replay.outcome, &mut document).await?;
    Ok(RunReport { document, status })
}

/// Names the report of a closed session, and writes it where it is not there: a run that was killed between its last record and
/// its report left none.
fn place_report<K: SessionKind>(workspace: &Workspace, document: &mut K::Document) {
    let paths = &workspace.effective.config.paths;
    let location = K::report(document, None, &workspace.root().join(&paths.debate));
    // One of when it was interrupted is not the report of how it ended.
    let header = document.header();
    let written = location.and_then(|location| {
        reports::find(workspace.root(), &location, |data| {
            data["session_id"] == header.session_id
                && data["outcome"].as_str() == header.outcome.as_deref()
        })
    });
    match written {
        Some(path) => document.place(path.display().to_string()),
        None => write_report::<K>(workspace, None, document),
    }
}

/// Compares a session with the present files: what changed, and the digests to go on with.
pub(crate) fn present(
    stored: &StoredSession,
    setup: &Setup<'_>,
    accept_drift: bool,
) -> Result<(Drift, Digests), Error> {
    let input = (stored.ledger.opened()).map(|opened| opened.input.clone()).unwrap_or_default();
    let mut now = digests(setup, &input);
    if is_of_other_version(setup, &stored.ledger) {
        keep_built_in(&mut now, setup, &stored.ledger);
    }
    let drift = stored.ledger.digests().drift(&now);
    if !drift.is_empty() && !accept_drift {
        let id = crate::report::short_id(&stored.id);
        return Err(Error::new(
            Kind::Trust,
            format!("session {id} was made with other files: {drift} changed since"),
        )
        .named("drift")
        .hint(format!("restore them (give `--agents` and `--seat` again if the debate was opened with it), or `debate-agent sessions resume {id} --accept-drift`: calls whose prompts changed are paid again")));
    }
    // An orderly end looked at the repository; one that was cut off did not, and what it began with stays.
    let cut_off = matches!(stored.ledger.state(), State::Running);
    let now = Digests {
        tree: if cut_off { stored.ledger.digests().tree.clone() } else { now.tree },
        ..now
    };
    Ok((drift, now))
}

/// Keeps the digests of skills that were this program's own and still are: that another version had others is no drift.
fn keep_built_in(now: &mut Digests, setup: &Setup<'_>, ledger: &Ledger) {
    let used = ledger.opened().map(|opened| &opened.skills[..]).unwrap_or_default();
    for (role, before) in &ledger.digests().skills {
        let was_ours = used.iter().any(|skill| skill.sha256 == *before && skill.origin == BUILT_IN);
        let is_ours = setup.skills.get(role).is_some_and(|skill| skill.path.is_none());
        if was_ours && is_ours {
            now.skills.insert(role.clone(), before.clone());
        }
    }
}

/// Opens a session that goes on, after the check that it would go on with the same files, and can. `machine`: as the
/// session was opened. `None`: it was closed meanwhile.
async fn go_on<P: Protocol>(
    store: &Store,
    stored: StoredSession,
    setup: &Setup<'_>,
    request: &ResumeRequest,
    machine: Driver<P>,
) -> Result<Option<(Session, Vec<Note>)>, Error> {
    let (drift, now) = present(&stored, setup, request.accept_drift)?;
    let (budget, lowered) = foreign::budget(setup.workspace, request.budget, &stored.ledger);
    afford::before_next(setup, &stored, machine, budget).await?;
    let renewed = now != *stored.ledger.digests();
    drop(stored);
    let (mut session, _, mut notes) = store.open(&request.id).map_err(store_error)?;
    notes.extend(lowered);
    if session.is_closed() {
        return Ok(None);
    }
    session
        .resume(SessionResumed {
            budget,
            accepted_drift: drift.changed.clone(),
            digests: renewed.then_some(now),
            program_version: env!("CARGO_PKG_VERSION").to_owned(),
        })
        .map_err(store_error)?;
    Ok(Some((session, notes)))
}
