//! `sessions sync`: sends what is pending.

use clap::Args;

use super::{SESSION, shown};
use crate::app::run::workspace::Workspace;
use crate::app::run::{foreign, signals, sinks};
use crate::config::trust::AgentUse;
use crate::engine::switch::Switch;
use crate::error::{Error, Kind, store_error};
use crate::kernel::Stop;
use crate::report::sinks::{SinkEntry, SyncDocument, SyncedSession};
use crate::session::Store;

/// The request of `sessions sync`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Args)]
pub struct SyncRequest {
    /// The session; without it, all sessions.
    #[arg(id = "session", value_name = SESSION)]
    pub id: Option<String>,
    /// Also send to sinks that were configured after a session ran.
    #[arg(long)]
    pub all: bool,
}

/// Sends everything that is pending.
///
/// # Errors
/// Missing trust, an unknown id, sessions that cannot be listed, or a signal.
pub async fn sync(workspace: &Workspace, request: &SyncRequest) -> Result<SyncDocument, Error> {
    workspace.around.refuse_nesting()?;
    workspace.require_trusted_keys(AgentUse::Sinks)?;
    let store = foreign::store(workspace)?;
    let ids = match &request.id {
        Some(id) => vec![store.resolve(id).map_err(store_error)?],
        None => store.ids().map_err(store_error)?,
    };
    let switch = Switch::default();
    let work = async {
        let mut sessions = Vec::new();
        for id in ids {
            if switch.stopped().is_some() {
                break;
            }
            let synced = one(workspace, &store, &id, request, &switch).await;
            let (sinks, problem) = match synced {
                Ok(sinks) => (sinks, None),
                Err(error) => (Vec::new(), Some(error.to_string())),
            };
            if !sinks.is_empty() || problem.is_some() {
                sessions.push(SyncedSession { session_id: id, sinks, problem });
            }
        }
        sessions
    };
    let sessions = signals::during(&workspace.stops, &switch, None, work).await?;
    if let Some(Stop::Cancelled(signal)) = switch.stopped() {
        let what = "stopped before everything was sent";
        return Err(Error::new(Kind::Interrupted(signal), what));
    }
    Ok(SyncDocument::new(sessions))
}

/// Sends what is pending for one session.
async fn one(
    workspace: &Workspace,
    store: &Store,
    id: &str,
    request: &SyncRequest,
    switch: &Switch,
) -> Result<Vec<SinkEntry>, Error> {
    let mut deliveries = store.deliveries(id).map_err(store_error)?;
    if request.all {
        let known = deliveries.get_or_insert_default();
        for name in workspace.effective.config.sinks.keys() {
            known.sinks.entry(name.clone()).or_default();
        }
    }
    let Some(deliveries) = deliveries else {
        return Ok(Vec::new());
    };
    let stored = store.read(id).map_err(store_error)?;
    let rehearsal = stored.ledger.opened().is_none_or(|opened| opened.rehearsal);
    if rehearsal || sinks::due(&stored, &deliveries).is_empty() {
        return Ok(Vec::new());
    }
    foreign::refuse(workspace, &stored).await?;
    if request.all {
        store.mark_owed(id).map_err(store_error)?;
    } else if !store.was_run_here(id) {
        let id = crate::report::short_id(id);
        let what = format!("session {id} was not run here, so what it claims to owe is not sent");
        let hint = format!("if it is to be sent, `debate-agent sessions sync {id} --all`");
        return Err(Error::new(Kind::Trust, what).named("foreign_session").hint(hint));
    }
    let _held = store.lock(id).map_err(store_error)?;
    store.keep_deliveries(id, &deliveries).map_err(store_error)?;
    sinks::send(workspace, store, id, switch, shown).await
}
