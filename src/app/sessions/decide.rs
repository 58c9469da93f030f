//! `sessions decide`: other rules applied to a stored session, without a call.

use super::{Held, held};
use crate::app::assign::wrong;
use crate::app::council::{self, Council};
use crate::app::discuss::Discuss;
use crate::app::ending::Finished;
use crate::app::planning::Planning;
use crate::app::review::Review;
use crate::app::sessions::record::no_session;
use crate::app::standing::spent;
use crate::app::workspace::Workspace;
use crate::app::{debate, replay, rules, topic};
use crate::error::{Error, Kind};
use crate::kernel::{Step, Turn};
use crate::report::session_result::SessionResult;
use crate::session::Stored;
use crate::session::record::Opened;

/// Applies other rules to a stored session, without a call. Nothing is changed.
///
/// # Errors
/// As [`show`](super::show); an unknown rule or value; `needs_more_turns` where the new rules would need a turn
/// that was never asked.
pub async fn decide(
    workspace: &Workspace,
    id: &str,
    assignments: &[String],
) -> Result<Finished<SessionResult>, Error> {
    let stored = crate::app::foreign::store(workspace, false)?
        .read(id)
        .map_err(|error| no_session(workspace, id, error))?;
    match held(&stored)? {
        Held::Backlog => backlog(&stored, assignments).await,
        Held::Inquiry(_) => Err(Error::new(
            Kind::Usage,
            "an inquiry has no rules to decide by: its answers are what they are",
        )
        .named("no_rules")),
        Held::Review(opened) => council::<Review>(&stored, opened, assignments).await,
        Held::Plan(opened) => council::<Planning>(&stored, opened, assignments).await,
        Held::Debate(opened) => council::<topic::Debate>(&stored, opened, assignments).await,
        Held::Discuss(opened) => council::<Discuss>(&stored, opened, assignments).await,
    }
}

async fn backlog(
    stored: &Stored,
    assignments: &[String],
) -> Result<Finished<SessionResult>, Error> {
    let opened = stored.ledger.opened().ok_or_else(|| {
        Error::new(Kind::State, "the session's journal holds no first record")
            .named("damaged_session")
    })?;
    let (mut rules, opportunities) = rules::read(opened)?;
    for assignment in assignments {
        rules.set(assignment)?;
    }
    let mut machine = rules.machine(opportunities.clone(), &opened.boundary)?;
    replay::replay(stored, &rules.calls, &mut machine).await?;
    match machine.next() {
        Step::Done(outcome) => {
            let document = debate::document(&stored.ledger, &rules, &opportunities, &outcome);
            let status = debate::status(&outcome, None, document.cost_usd);
            let document = SessionResult::from(document);
            Ok(Finished { document, status })
        }
        Step::Ask { turns, .. } => Err(needs_more_turns(&turns)),
    }
}

async fn council<C: Council>(
    stored: &Stored,
    opened: &Opened,
    assignments: &[String],
) -> Result<Finished<SessionResult>, Error> {
    let (mut rules, task) = council::read::<C>(opened)?;
    for assignment in assignments {
        let (name, value) = assignment
            .split_once('=')
            .ok_or_else(|| wrong(format!("`{assignment}` is no RULE=VALUE")))?;
        C::set(&mut rules.protocol, name.trim(), value.trim())?;
    }
    let mut machine = council::machine::<C>(&rules, &task, opened)?;
    replay::replay(stored, &rules.calls, &mut machine).await?;
    match machine.next() {
        Step::Done(mut outcome) => {
            let document = council::document::<C>(&stored.ledger, &rules, &task, &mut outcome);
            let status = C::status(&outcome, None, spent(&stored.ledger));
            Ok(Finished { document: document.into(), status })
        }
        Step::Ask { turns, .. } => Err(needs_more_turns(&turns)),
    }
}

fn needs_more_turns(turns: &[Turn]) -> Error {
    let turn = turns.first().map_or("a turn", |turn| turn.id.as_str());
    Error::new(
        Kind::Undecided,
        format!("with these rules the debate goes on to {turn}, which was never asked"),
    )
    .named("needs_more_turns")
    .hint("choose rules that the stored rounds can satisfy, or run a new debate with them")
}
