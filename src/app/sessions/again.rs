//! `sessions resume --from-round`: the rounds before are kept as they were recorded, the rest is asked again.
//!
//! What is asked again stands in a new session that names its parent; the parent is only read. The new session
//! has the parent's input, rules, boundary, seed and seats, so that what was kept fits to what follows.

use super::{Held, ResumeRequest, held, present};
use crate::app::council::{self, Council, Meeting};
use crate::app::discuss::Discuss;
use crate::app::ending::Finished;
use crate::app::options::RunOptions;
use crate::app::planning::Planning;
use crate::app::review::Review;
use crate::app::sessions::record::no_session;
use crate::app::workspace::Workspace;
use crate::app::{afford, foreign, replay, topic};
use crate::engine::events::Reporter;
use crate::error::{Error, Kind, store_error};
use crate::kernel::warning::warning;
use crate::kernel::{Step, round_of};
use crate::report::document::SCHEMA_VERSION;
use crate::report::session_result::SessionResult;
use crate::report::sessions::{SessionEntry, SessionStatusDocument};
use crate::session::record::{Opened, Parent, Resumed};
use crate::session::{Ledger, State, Stored};

/// Asks again from a round on, in a new session.
pub(super) async fn from_round(
    workspace: &Workspace,
    request: &ResumeRequest,
    stored: Stored,
    round: u32,
    reporters: Vec<Box<dyn Reporter>>,
) -> Result<Finished<SessionResult>, Error> {
    match held(&stored)? {
        Held::Backlog | Held::Inquiry(_) => Err(no_rounds()),
        Held::Review(opened) => {
            again::<Review>(workspace, request, &stored, opened, round, reporters).await
        }
        Held::Plan(opened) => {
            again::<Planning>(workspace, request, &stored, opened, round, reporters).await
        }
        Held::Debate(opened) => {
            // Three styles in one machine: too large for a future on the stack.
            Box::pin(again::<topic::Debate>(workspace, request, &stored, opened, round, reporters))
                .await
        }
        Held::Discuss(opened) => {
            again::<Discuss>(workspace, request, &stored, opened, round, reporters).await
        }
    }
}

/// Says what `resume --from-round` would ask first. Nobody is asked, and nothing is kept.
///
/// # Errors
/// As [`resume`](super::resume), before anything is asked.
pub async fn preview(
    workspace: &Workspace,
    id: &str,
    round: u32,
) -> Result<SessionStatusDocument, Error> {
    let store = foreign::store(workspace, false)?;
    let read = store.read(id);
    let stored = read.map_err(|error| no_session(workspace, id, error))?;
    check(&stored, round)?;
    let next_turns = match held(&stored)? {
        Held::Backlog | Held::Inquiry(_) => return Err(no_rounds()),
        Held::Review(opened) => first_turns::<Review>(&stored, opened, round).await?,
        Held::Plan(opened) => first_turns::<Planning>(&stored, opened, round).await?,
        Held::Debate(opened) => first_turns::<topic::Debate>(&stored, opened, round).await?,
        Held::Discuss(opened) => first_turns::<Discuss>(&stored, opened, round).await?,
    };
    Ok(SessionStatusDocument {
        session: SessionEntry::from(&store.listed(stored.id.clone())),
        round: next_turns.first().and_then(|turn| round_of(turn)),
        next_turns,
        budget_usd: stored.ledger.budget(),
        // What a new session would ask, the old one's budget says nothing of.
        short: None,
        sinks: Vec::new(),
        schema_version: SCHEMA_VERSION,
    })
}

async fn first_turns<C: Council>(
    stored: &Stored,
    opened: &Opened,
    round: u32,
) -> Result<Vec<String>, Error> {
    let (rules, task) = council::read::<C>(opened)?;
    let mut machine = council::machine::<C>(&rules, &task, opened)?;
    replay::replay_of(stored, &rules.calls, &mut machine, &|turn| is_before(turn, round)).await?;
    Ok(match machine.next() {
        Step::Ask { turns, .. } => turns.into_iter().map(|turn| turn.id.into()).collect(),
        Step::Done(_) => Vec::new(),
    })
}

async fn again<C: Council>(
    workspace: &Workspace,
    request: &ResumeRequest,
    stored: &Stored,
    opened: &Opened,
    round: u32,
    reporters: Vec<Box<dyn Reporter>>,
) -> Result<Finished<SessionResult>, Error> {
    let store = workspace.store(request.options.no_lock);
    check(stored, round)?;
    store.free(&stored.id).map_err(store_error)?;
    let options = RunOptions { rehearse: opened.rehearsal, ..request.options.clone() };
    let (mut meeting, machine) =
        Meeting::<C>::again(workspace, opened, &options, request.accept_drift)?;
    meeting.watch().await?;
    let cut_off = matches!(stored.ledger.state(), State::Running);
    if let (Some(watch), true, true) = (&mut meeting.setup.watch, cut_off, round > 1) {
        watch.go_on_from(&stored.ledger.digests().tree);
    }
    // Where nothing is kept, nothing can have drifted from it.
    let (drift, now) = present(stored, &meeting.setup, request.accept_drift || round == 1)?;
    let first = council::machine::<C>(&meeting.rules, &meeting.task, opened)?;
    let (budget, lowered) = foreign::budget(workspace, request.budget, &stored.ledger);
    let budget = budget.or(stored.ledger.budget());
    afford::before_again(&meeting.setup, stored, first, &|turn| is_before(turn, round), budget)
        .await?;
    let mut accepted = stored.ledger.accepted_drift().to_vec();
    accepted.extend(drift.changed);
    if round == 1 {
        accepted.clear();
    }
    let session = Opened {
        session: workspace.env().session_id(),
        budget,
        digests: now.clone(),
        program_version: env!("CARGO_PKG_VERSION").to_owned(),
        parent: Some(Parent { session: stored.id.clone(), from_round: round }),
        ..opened.clone()
    };
    let mut session =
        (store.fork(stored, &|turn| is_before(turn, round), session)).map_err(store_error)?;
    if !accepted.is_empty() {
        let resumed = Resumed {
            accepted_drift: accepted,
            program_version: env!("CARGO_PKG_VERSION").to_owned(),
            ..Resumed::default()
        };
        session.resume(resumed).map_err(store_error)?;
    }
    let mut finished = meeting.run(session, machine, true, reporters).await?;
    let notes = stored.notes.iter().chain(&lowered).map(warning);
    C::notes(&mut finished.document).warnings.extend(notes);
    Ok(finished.map(Into::into))
}

/// Returns whether a turn belongs to a round before this one. What belongs to none follows all rounds.
fn is_before(turn: &str, round: u32) -> bool {
    round_of(turn).is_some_and(|of| of < round)
}

/// Refuses a round that cannot be asked again, and answers that count no more.
fn check(stored: &Stored, round: u32) -> Result<(), Error> {
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
            "the repository changed while the agents of session {id} read it, so no answer of it can be kept"
        );
        return Err(Error::new(Kind::Usage, what)
            .named("tree_changed")
            .hint("`--from-round 1` asks everything again, or start anew"));
    }
    Ok(())
}

/// Returns the last round that something is recorded of, 0 where nothing is.
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
    .hint("leave it out, or start anew")
}
