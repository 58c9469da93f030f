//! `sessions resume --from-round`: keeps the earlier rounds as recorded and asks the rest again.
//!
//! The repeated part is in a new session that names its parent; the parent is only read. The new session has the
//! parent's input, rules, boundary, seed and seats, so that what was kept fits what follows.

use super::kind::SessionKind;
use super::setup::Setup;
use super::stored::{self, opened};
use super::{afford, replay};
use crate::error::{Error, Kind, store_error};
use crate::kernel::{DynDriver, Usd, round_of};
use crate::session::record::{Digests, Drift, Parent, SessionOpened, SessionResumed};
use crate::session::{Session, StoredSession};

/// Returns the turns that a fork from a round on would ask first.
pub(crate) async fn first_turns<K: SessionKind>(
    stored: &StoredSession,
    round: u32,
) -> Result<Vec<String>, Error> {
    check(K::FORKS, stored, round)?;
    let opened = opened(stored)?;
    let (rules, task) = stored::read::<K>(opened)?;
    let mut machine = stored::machine::<K>(&rules, &task, opened)?;
    replay::replay_of(stored, &rules.calls, &mut machine, &|turn| is_before(turn, round)).await?;
    Ok(replay::asked(&machine))
}

/// Opens the new session, after checking that its first step is affordable. `machine`: as the parent was opened.
pub(crate) async fn open(
    stored: &StoredSession,
    setup: &Setup<'_>,
    round: u32,
    machine: &mut dyn DynDriver,
    (drift, now): (Drift, Digests),
    budget: Option<Usd>,
) -> Result<Session, Error> {
    let keep = |turn: &str| is_before(turn, round);
    afford::before_again(setup, stored, machine, &keep, budget).await?;
    let mut accepted = stored.ledger.accepted_drift().to_vec();
    accepted.extend(drift.changed);
    if round == 1 {
        accepted.clear();
    }
    let session = SessionOpened {
        session: setup.workspace.env().session_id(),
        budget,
        digests: now,
        program_version: env!("CARGO_PKG_VERSION").to_owned(),
        parent: Some(Parent { session: stored.id.clone(), from_round: round }),
        ..opened(stored)?.clone()
    };
    let store = setup.workspace.store();
    let mut session = store.fork(stored, &keep, session).map_err(store_error)?;
    if !accepted.is_empty() {
        let resumed = SessionResumed {
            accepted_drift: accepted,
            program_version: env!("CARGO_PKG_VERSION").to_owned(),
            ..SessionResumed::default()
        };
        session.resume(resumed).map_err(store_error)?;
    }
    Ok(session)
}

/// Whether a turn belongs to an earlier round. A turn outside of the rounds comes after all of them; one before the
/// first round is not kept without a round, since 1 keeps nothing.
fn is_before(turn: &str, round: u32) -> bool {
    round > 1 && round_of(turn).is_some_and(|of| of < round)
}

/// Refuses kinds without rounds, rounds that cannot be asked again, and keeping answers that no longer count.
pub(crate) fn check(forks: bool, stored: &StoredSession, round: u32) -> Result<(), Error> {
    if !forks {
        return Err(no_rounds());
    }
    let id = crate::report::short_id(&stored.id);
    let last = stored.ledger.turns_known().into_iter().filter_map(round_of).max();
    let most = last.unwrap_or(0).saturating_add(1);
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

fn no_rounds() -> Error {
    Error::new(
        Kind::Usage,
        "`--from-round` is for reviews, plans, debates and critiques: this session is none of them",
    )
    .named("from_round")
    .hint("leave it out, or start over")
}
