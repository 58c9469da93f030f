//! Stored sessions: list, show, status, resume, begin again from a round, decide, terminate, export, clean up.
//!
//! Reading a session is replaying it: its debate is built again from the first
//! record, and every turn is answered from the journal until one is not there.
//! Nothing is called, and the programs that once answered need not be here.

mod again;
mod decide;
mod find;
mod list;
pub(crate) mod record;
mod sync;
mod terminate;
mod transcript;

use chrono::TimeDelta;

pub use again::preview;
pub use decide::decide;
pub use find::{find, holder};
pub use list::{list, page};
pub(crate) use record::no_session;
pub use sync::{SyncRequest, sync};
pub use terminate::terminate;
pub use transcript::transcript;

use super::council::{self, Council, Meeting};
use super::debate::{self, Debate};
use super::discuss::Discuss;
use super::drive::{BUILT_IN, digests, is_of_other_version};
use super::foreign;
use super::inquiry::{self, Inquiry};
use super::panel::cast;
use super::planning::Planning;
use super::review::Review;
use super::roles::DEBATE;
use super::rules;
use super::setup::Setup;
use super::workspace::Workspace;
use super::{afford, backlog, discover, sinks, topic};
use crate::app::ending::Finished;
use crate::app::options::RunOptions;
use crate::app::standing::spent;
use crate::engine::events::Reporter;
use crate::error::{Error, Kind, store_error};
use crate::exit::ExitStatus;
use crate::kernel::warning::warning;
use crate::kernel::{Driver, Protocol, Usd, round_of};
use crate::report::document::{PrioritizeDocument, SCHEMA_VERSION};
use crate::report::session_result::SessionResult;
use crate::report::sessions::{SessionEntry, SessionStatusDocument};
pub use crate::session::GcReport;
use crate::session::record::{Digests, Drift, Opened, Resumed};
use crate::session::{GcPolicy, Ledger, Session, State, Store, StoreError, Stored};
use crate::text::Note;

/// Shows a session as the result document of its protocol; of a partner debate also one whose record alone is there.
///
/// # Errors
/// Unknown id, or a journal or record that cannot be read.
pub async fn show(workspace: &Workspace, id: &str) -> Result<SessionResult, Error> {
    let stored = match foreign::store(workspace, false)?.read(id) {
        Ok(stored) => stored,
        Err(error @ (StoreError::UnknownId { .. } | StoreError::InvalidId { .. })) => {
            let recorded = record::record(workspace, id)?.ok_or_else(|| store_error(error))?;
            return Ok(SessionResult::from(recorded));
        }
        Err(error) => return Err(store_error(error)),
    };
    shown(workspace, &stored).await
}

/// Shows a stored session as its kind does.
async fn shown(workspace: &Workspace, stored: &Stored) -> Result<SessionResult, Error> {
    match held(stored)? {
        Held::Backlog => debate::shown(stored).await,
        Held::Inquiry(opened) => inquiry::shown(stored, opened).await,
        Held::Review(opened) => council::shown::<Review>(workspace, stored, opened).await,
        Held::Plan(opened) => council::shown::<Planning>(workspace, stored, opened).await,
        Held::Debate(opened) => council::shown::<topic::Debate>(workspace, stored, opened).await,
        Held::Discuss(opened) => council::shown::<Discuss>(workspace, stored, opened).await,
    }
}

/// Whose session it is, with its first record.
#[derive(Clone, Copy)]
enum Held<'a> {
    /// A partner debate, or what a crash left of one.
    Backlog,
    Inquiry(&'a Opened),
    Review(&'a Opened),
    Plan(&'a Opened),
    Debate(&'a Opened),
    Discuss(&'a Opened),
}

fn held(stored: &Stored) -> Result<Held<'_>, Error> {
    let Some(opened) = stored.ledger.opened() else {
        return Ok(Held::Backlog);
    };
    match opened.protocol.as_str() {
        rules::PROTOCOL => Ok(Held::Backlog),
        inquiry::PROTOCOL => Ok(Held::Inquiry(opened)),
        Review::PROTOCOL => Ok(Held::Review(opened)),
        Planning::PROTOCOL => Ok(Held::Plan(opened)),
        topic::Debate::PROTOCOL => Ok(Held::Debate(opened)),
        Discuss::PROTOCOL => Ok(Held::Discuss(opened)),
        other => Err(Error::new(
            Kind::State,
            format!("the session's protocol is `{other}`, which this version does not know"),
        )
        .named("unknown_protocol")
        .hint("use the version that made it")),
    }
}

/// The turns of a session that a resume would ask now.
async fn open_turns(stored: &Stored) -> Result<Vec<String>, Error> {
    if matches!(stored.ledger.state(), State::Closed { .. }) {
        return Ok(Vec::new());
    }
    Ok(match held(stored)? {
        Held::Backlog => debate::replayed(stored).await?.2.open,
        Held::Inquiry(opened) => inquiry::replayed(stored, opened).await?.2,
        Held::Review(opened) => council::replayed::<Review>(stored, opened).await?.open,
        Held::Plan(opened) => council::replayed::<Planning>(stored, opened).await?.open,
        Held::Discuss(opened) => council::replayed::<Discuss>(stored, opened).await?.open,
        Held::Debate(opened) => council::replayed::<topic::Debate>(stored, opened).await?.open,
    })
}

/// Says where a session stands and what a resume would ask next.
///
/// # Errors
/// As [`show`].
pub async fn status(workspace: &Workspace, id: &str) -> Result<SessionStatusDocument, Error> {
    let store = foreign::store(workspace, false)?;
    let read = store.read(id);
    let stored = read.map_err(|error| no_session(workspace, id, error))?;
    let listed = store.listed(stored.id.clone());
    let budget_usd = stored.ledger.budget();
    let next_turns = open_turns(&stored).await?;
    let round = next_turns.first().and_then(|turn| round_of(turn));
    Ok(SessionStatusDocument {
        session: SessionEntry::from(&listed),
        round,
        next_turns,
        budget_usd,
        short: stored.ledger.short(),
        sinks: sinks::standing(workspace, &store, &stored.id),
        schema_version: SCHEMA_VERSION,
    })
}

/// How a session is resumed.
#[derive(Debug, Clone, Default)]
pub struct ResumeRequest {
    /// The id, or the start of it.
    pub id: String,
    /// A new budget, if the command line names one.
    pub budget: Option<Usd>,
    /// Keep the answers of the rounds before this one, and ask again from it on, in a new session.
    pub from_round: Option<u32>,
    /// Go on although skills or agents changed.
    pub accept_drift: bool,
    /// The rest. `rehearse`, `strict`, `salvage` and `allow_same_vendor` stand in the session.
    pub options: RunOptions,
}

/// Goes on with a session. A closed one gives its result again and calls nobody.
///
/// # Errors
/// Unknown id, a session that is held or damaged, drift that is not accepted,
/// and everything that can go wrong in a run.
pub async fn resume(
    workspace: &Workspace,
    request: &ResumeRequest,
    reporters: Vec<Box<dyn Reporter>>,
) -> Result<Finished<SessionResult>, Error> {
    let store = foreign::store(workspace, request.options.no_lock)?;
    let stored =
        (store.read(&request.id)).map_err(|error| no_session(workspace, &request.id, error))?;
    foreign::refuse(workspace, &stored).await?;
    if let Some(round) = request.from_round {
        return Box::pin(again::from_round(workspace, request, stored, round, reporters)).await;
    }
    if matches!(stored.ledger.state(), State::Closed { .. }) {
        return closed(workspace, &stored).await;
    }
    let rehearse = (stored.ledger.opened()).is_some_and(|opened| opened.rehearsal);
    let options = RunOptions { rehearse, ..request.options.clone() };
    match held(&stored)? {
        Held::Backlog | Held::Inquiry(_) => {}
        Held::Review(_) => {
            return Box::pin(resume_council::<Review>(
                workspace, request, &options, stored, reporters,
            ))
            .await;
        }
        Held::Debate(_) => {
            return Box::pin(resume_council::<topic::Debate>(
                workspace, request, &options, stored, reporters,
            ))
            .await;
        }
        Held::Plan(_) => {
            return Box::pin(resume_council::<Planning>(
                workspace, request, &options, stored, reporters,
            ))
            .await;
        }
        Held::Discuss(_) => {
            return Box::pin(resume_council::<Discuss>(
                workspace, request, &options, stored, reporters,
            ))
            .await;
        }
    }
    if let Held::Inquiry(opened) = held(&stored)? {
        let (inquiry, machine) = Inquiry::again(workspace, opened, &options, request.accept_drift)?;
        let (_, again) = Inquiry::again(workspace, opened, &options, request.accept_drift)?;
        let went_on = go_on(&store, stored, &inquiry.setup, request, again).await?;
        let Some((session, notes)) = went_on else {
            // Another resume was faster: what it decided is the result.
            return Box::pin(resume(workspace, request, reporters)).await;
        };
        let mut asked = inquiry.run(session, machine, true, reporters).await?;
        let header = &mut asked.finished.document.header;
        header.warnings.extend(notes.iter().map(warning));
        discover::keep_answers(workspace, &asked.outcome, rehearse).await?;
        return Ok(asked.finished.map(|document| SessionResult::from(document)));
    }
    let (rules, opportunities, machine) = debate::rebuild(&stored.ledger)?;
    let panel = cast(workspace, &options, DEBATE)?;
    let debate =
        Debate::new(workspace, panel, rules, opportunities, &options, request.accept_drift);
    let (_, _, again) = debate::rebuild(&stored.ledger)?;
    let went_on = go_on(&store, stored, &debate.setup, request, again).await?;
    let Some((session, notes)) = went_on else {
        return Box::pin(resume(workspace, request, reporters)).await;
    };
    let mut finished = debate.run(session, machine, true, reporters).await?;
    let header = &mut finished.document.header;
    header.warnings.extend(notes.iter().map(warning));
    backlog::keep_ranks(workspace, &mut finished.document)?;
    Ok(finished.map(|document| SessionResult::from(document)))
}

/// Goes on with a review or a plan.
async fn resume_council<C: Council>(
    workspace: &Workspace,
    request: &ResumeRequest,
    options: &RunOptions,
    stored: Stored,
    reporters: Vec<Box<dyn Reporter>>,
) -> Result<Finished<SessionResult>, Error> {
    let store = workspace.store(request.options.no_lock);
    let Some(opened) = stored.ledger.opened() else {
        return Err(Error::new(Kind::Bug, "a session without a first record has a protocol"));
    };
    let (mut meeting, machine) =
        Meeting::<C>::again(workspace, opened, options, request.accept_drift)?;
    meeting.watch().await?;
    if let (Some(watch), State::Running) = (&mut meeting.setup.watch, stored.ledger.state()) {
        watch.go_on_from(&stored.ledger.digests().tree);
    }
    let again = council::machine::<C>(&meeting.rules, &meeting.task, opened)?;
    let went_on = go_on(&store, stored, &meeting.setup, request, again).await?;
    let Some((session, notes)) = went_on else {
        // Another resume was faster: what it decided is the result.
        return Box::pin(resume(workspace, request, reporters)).await;
    };
    let mut finished = meeting.run(session, machine, true, reporters).await?;
    C::notes(&mut finished.document).warnings.extend(notes.iter().map(warning));
    Ok(finished.map(Into::into))
}

/// Gives the result of a closed session again; what of it the backlog misses is written to it.
async fn closed(workspace: &Workspace, stored: &Stored) -> Result<Finished<SessionResult>, Error> {
    let mut status = ExitStatus::Success;
    match held(stored)? {
        Held::Backlog => {}
        Held::Inquiry(opened) => {
            let (_, outcome, _) = inquiry::replayed(stored, opened).await?;
            discover::keep_answers(workspace, &outcome, opened.rehearsal).await?;
            status = inquiry::status(&outcome, None, spent(&stored.ledger));
        }
        Held::Review(opened) => status = council::status::<Review>(stored, opened).await?,
        Held::Plan(opened) => status = council::status::<Planning>(stored, opened).await?,
        Held::Discuss(opened) => status = council::status::<Discuss>(stored, opened).await?,
        Held::Debate(opened) => {
            status = council::status::<topic::Debate>(stored, opened).await?;
        }
    }
    let mut document = show(workspace, &stored.id).await?;
    if let (Some(document), Held::Discuss(opened)) = (document.document_mut(), held(stored)?) {
        let (_, task) = council::read::<Discuss>(opened)?;
        status = Discuss::follow(workspace, &task, None, document, status);
        // One in a folder of the user's own is theirs: no path that a session names is opened.
        if task.folder.is_none() {
            let outcome = document.header.outcome.name();
            council::keep_closed::<Discuss>(workspace, &stored.id, outcome, document);
        }
    }
    if let Some(document) = document.document_mut::<PrioritizeDocument>() {
        backlog::keep_ranks(workspace, document)?;
        let rounds = document.header.rounds_used > 0;
        status = ExitStatus::of_backlog(document.header.outcome, rounds, None);
    }
    Ok(Finished { document, status })
}

/// Compares a session with the present files: what changed, and the digests to go on with.
fn present(
    stored: &Stored,
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
        .hint(format!("restore them (give `--agents` again if the debate was opened with it), or `debate-agent sessions resume {id} --accept-drift`: calls whose prompts changed are paid again")));
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
    stored: Stored,
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
        .resume(Resumed {
            budget,
            accepted_drift: drift.changed.clone(),
            digests: renewed.then_some(now),
            program_version: env!("CARGO_PKG_VERSION").to_owned(),
        })
        .map_err(store_error)?;
    Ok(Some((session, notes)))
}

/// Removes what no session needs.
///
/// # Errors
/// The folder cannot be read or something cannot be removed.
pub fn gc(
    workspace: &Workspace,
    older_than_days: Option<u32>,
    dry_run: bool,
) -> Result<GcReport, Error> {
    let policy = GcPolicy {
        closed_older_than: older_than_days.map(|days| TimeDelta::days(i64::from(days))),
        dry_run,
    };
    foreign::store(workspace, false)?.gc(policy).map_err(store_error)
}
