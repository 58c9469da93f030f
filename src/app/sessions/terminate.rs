//! `sessions terminate`: a session that nobody wants to go on with is closed.

use super::{shown, status};
use crate::app::backlog::record::no_session;
use crate::app::run::sinks;
use crate::app::run::standing::{self, TERMINATED};
use crate::app::run::workspace::Workspace;
use crate::config::trust::AgentUse;
use crate::error::{Error, Kind, store_error};
use crate::report::sessions::SessionStatusDocument;
use crate::session::record::SessionResumed;
use crate::session::{State, StoreError, StoredSession};

/// The verdict of a session that was ended before it was decided.
const UNDECIDED: &str = "undecided";

/// Closes a session that is not closed: outcome `terminated`, verdict `undecided`. What it holds is kept, and
/// nobody is asked. One that was terminated before is left as it is.
///
/// # Errors
/// Unknown id, a session that a process holds, that was decided, or that cannot be read.
pub async fn terminate(workspace: &Workspace, id: &str) -> Result<SessionStatusDocument, Error> {
    let store = crate::app::run::foreign::store(workspace, false)?;
    let (mut session, ..) = store.open(id).map_err(|error| held_by(workspace, id, error))?;
    let id = session.id().to_owned();
    if let State::Closed { outcome, .. } = session.ledger().state() {
        if !standing::is_terminated(session.ledger()) {
            let short = crate::report::short_id(&id);
            return Err(Error::new(
                Kind::Input,
                format!("session {short} is over already: {outcome}"),
            )
            .named("closed_session")
            .hint(format!("`debate-agent sessions show {short}` shows its result")));
        }
    } else {
        let resumed = SessionResumed {
            program_version: env!("CARGO_PKG_VERSION").to_owned(),
            ..SessionResumed::default()
        };
        session.resume(resumed).map_err(store_error)?;
        session.close(TERMINATED, UNDECIDED).map_err(store_error)?;
    }
    // A sink's failure is told by the status.
    if workspace.require_trusted_keys(AgentUse::Sinks).is_ok() {
        let show = async |stored: &StoredSession| shown(workspace, stored).await;
        sinks::deliver(workspace, &id, None, None, show).await;
    }
    // Its lock goes before it is looked at.
    drop(session);
    status(workspace, &id).await
}

/// Says how to stop the process that holds the session.
fn held_by(workspace: &Workspace, id: &str, error: StoreError) -> Error {
    let pid = if let StoreError::Locked { holder, .. } = &error {
        holder.as_ref().map(|holder| holder.pid)
    } else {
        None
    };
    let mapped = no_session(workspace, id, error);
    pid.into_iter().fold(mapped, |error, pid| {
        error.hint(format!(
            "`kill -INT {pid}` stops it, and what was answered is kept; then terminate it"
        ))
    })
}
