//! `sessions resume --from-round`: keeps the earlier rounds as recorded and asks the rest again.
//!
//! The repeated part is in a new session that names its parent; the parent is only read. The new session has the
//! parent's input, rules, boundary, seed and seats, so that what was kept fits what follows.

use super::ending::RunReport;
use super::kind::SessionKind;
use super::options::RunOptions;
use super::resume::{ResumeRequest, present};
use super::session_run::SessionRun;
use super::stored::{self, opened};
use super::workspace::Workspace;
use super::{afford, foreign, replay};
use crate::engine::events::Reporter;
use crate::error::{Error, Kind, store_error};
use crate::kernel::warning::warning;
use crate::kernel::{Step, round_of};
use crate::report::session_result::SessionDocument as _;
use crate::session::record::{Parent, SessionOpened, SessionResumed};
use crate::session::{Ledger, State, StoredSession};

/// Returns the turns that a fork from a round on would ask first.
pub(crate) async fn first_turns<K: SessionKind>(
    stored: &StoredSession,
    round: u32,
) -> Result<Vec<String>, Error> {
    check::<K>(stored, round)?;
    let opened = opened(stored)?;
    let (rules, task) = stored::read::<K>(opened)?;
    let mut machine = stored::machine::<K>(&rules, &task, opened)?;
    replay::replay_of(stored, &rules.calls, &mut machine, &|turn| is_before(turn, round)).await?;
    Ok(match machine.next() {
        Step::Ask { turns, .. } => turns.into_iter().map(|turn| turn.id.into()).collect(),
        Step::Done(_) => Vec::new(),
    })
}

/// Asks again from a round on, in a new session.
pub(crate) async fn fork<K: SessionKind>(
    workspace: &Workspace,
    request: &ResumeRequest,
    stored: &StoredSession,
    round: u32,
    reporters: Vec<Box<dyn Reporter>>,
) -> Result<RunReport<K::Document>, Error> {
    check::<K>(stored, round)?;
    let store = workspace.store();
    store.free(&stored.id).map_err(store_error)?;
    let opened = opened(stored)?;
    let options = RunOptions { rehearse: opened.rehearsal, ..request.options.clone() };
    let (mut run, machine) =
        SessionRun::<K>::again(workspace, opened, &options, request.accept_drift)?;
    run.watch().await?;
    let cut_off = matches!(stored.ledger.state(), State::Running);
    if let (Some(watch), true, true) = (&mut run.setup.watch, cut_off, round > 1) {
        watch.go_on_from(&stored.ledger.digests().tree);
    }
    // If nothing is kept, nothing can have drifted from it.
    let (drift, now) = present(stored, &run.setup, request.accept_drift || round == 1)?;
    let (budget, lowered) = foreign::budget(workspace, request.budget, &stored.ledger);
    let budget = budget.or(stored.ledger.budget());
    let (keep, first) = (|turn: &str| is_before(turn, round), run.machine(opened)?);
    afford::before_again(&run.setup, stored, first, &keep, budget).await?;
    let mut accepted = stored.ledger.accepted_drift().to_vec();
    accepted.extend(drift.changed);
    if round == 1 {
        accepted.clear();
    }
    let session = SessionOpened {
        session: workspace.env().session_id(),
        budget,
        digests: now.clone(),
        program_version: env!("CARGO_PKG_VERSION").to_owned(),
        parent: Some(Parent { session: stored.id.clone(), from_round: round }),
        ..opened.clone()
    };
    let mut session = store.fork(stored, &keep, session).map_err(store_error)?;
    if !accepted.is_empty() {
        let resumed = SessionResumed {
            accepted_drift: accepted,
            program_version: env!("CARGO_PKG_VERSION").to_owned(),
            ..SessionResumed::default()
        };
        session.resume(resumed).map_err(store_error)?;
    }
    let mut finished = run.run(session, machine, true, reporters).await?.finished;
    let notes = stored.notes.iter().chain(&lowered).map(warning);
    finished.document.notes().warnings.extend(notes);
    Ok(finished)
}

/// Whether a turn belongs to an earlier round. A turn outside of the rounds comes after all of them; one before the
/// first round is not kept without a round, since 1 keeps nothing.
fn is_before(turn: &str, round: u32) -> bool {
    round > 1 && round_of(turn).is_some_and(|of| of < round)
}

/// Refuses kinds without rounds, rounds that cannot be asked again, and keeping answers that no longer count.
fn check<K: SessionKind>(stored: &StoredSession, round: u32) -> Result<(), Error> {
    if !K::FORKS {
        return Err(no_rounds());
    }
    let id = crate::report::short_id(&stored.id);
    let most = last_round(&stored.ledger).saturating_add(1);
    if !(1..=most).contains(&round) {
        let what = format!(
            "session {id} cannot be asked again from round {round}: give a round from 1 to {most}"
        );
        return Err(Error::new(Kind::Usage, what)
            .named("from_round")
            .hint("the rounds before it are kept as they were recorded; 1 keeps nothing"));
    }
    if round > 1 && !stored.ledger.tree_changed().is_empty() {
        let what = format!(
            "the repository changed while the agents of session {id} read it, so none of its answers can be kept"
        );
        return Err(Error::new(Kind::Usage, what)
            .named("tree_changed")
            .hint("ask everything again with `--from-round 1`, or start over"));
    }
    Ok(())
}

/// Returns the last round with a recorded turn; 0 if there is none.
fn last_round(ledger: &Ledger) -> u32 {
    let known = ledger.turns_known();
    known.into_iter().filter_map(round_of).max().unwrap_or(0)
}

fn no_rounds() -> Error {
    Error::new(
        Kind::Usage,
        "`--from-round` is for reviews, plans, debates and critiques: this session is none of them",
    )
    .named("from_round")
    .hint("leave it out, or start over")
}
