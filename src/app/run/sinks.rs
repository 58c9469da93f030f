//! Sends the results of sessions to the configured sinks: when one has ended, while one runs, and on demand.
//!
//! The deliveries owed are recorded before a session asks any agent (`owe`), so however it ends, by itself or by a
//! person, and whatever is cut off, `deliver` and `sessions sync` know what is left. A failure changes neither
//! outcome nor exit code.

mod doctor;
mod export;
mod progress;

use std::cell::RefCell;
use std::time::{Duration, Instant};

use futures_util::future::join_all;

pub use doctor::{SinkReport, examine};
pub(crate) use progress::ProgressSender;

use super::guard::guard;
use super::signals;
use super::stored::Deferred;
use super::workspace::Workspace;
use crate::app::pull_request::{self, sink_of};
use crate::config::sinks::{SinkConfig, SinkKind};
use crate::engine::bus::Bus;
use crate::engine::events::EventKind;
use crate::engine::switch::Switch;
use crate::error::{Error, Kind, store_error};
use crate::process::Limits;
use crate::protocol::review::PullRequest;
use crate::report::session_result::SessionResult;
use crate::report::sinks::{SinkEntry, SinkState};
use crate::session::{Deliveries, Delivery, Session, State, Store, StoredSession};
use crate::sink::{Export, Shell, TIMEOUT, Target};
use crate::text::redact::Redactor;

/// The name of the sink that posts on the pull request that was reviewed.
const PULL_REQUEST: &str = "pull request";

/// Records the deliveries owed to a session's sinks. The caller must have locked the session. A resume keeps the
/// first record.
///
/// # Errors
/// It cannot be recorded: then no agent is asked, as with the journal.
pub(crate) fn owe(workspace: &Workspace, session: &Session) -> Result<Option<Deliveries>, Error> {
    let opened = session.ledger().opened();
    if opened.is_none_or(|opened| opened.rehearsal) {
        return Ok(None);
    }
    let store = workspace.store();
    let is_ours = store.was_run_here(session.id());
    let mut written =
        if is_ours { store.deliveries(session.id()).map_err(store_error)? } else { None };
    let sinks = workspace.effective.config.sinks.keys().cloned();
    let posted =
        opened.and_then(|opened| posted_on(&opened.input)).map(|_| PULL_REQUEST.to_owned());
    let names: Vec<String> = sinks.chain(posted).collect();
    // What was posted while nothing was decided is not the last word.
    if let Some(all) = &mut written
        && let Some(posted) = all.sinks.get_mut(PULL_REQUEST)
    {
        posted.done = false;
        store.keep_deliveries(session.id(), all).map_err(store_error)?;
    }
    if written.is_some() || names.is_empty() {
        return Ok(written);
    }
    store.mark_owed(session.id()).map_err(store_error)?;
    let all = Deliveries::to(names.into_iter());
    store.keep_deliveries(session.id(), &all).map_err(store_error)?;
    Ok(Some(all))
}

/// Creates the result of a stored session, as `sessions show` does.
pub(crate) type Show = for<'a> fn(&'a Workspace, &'a StoredSession) -> Deferred<'a, SessionResult>;

/// Sends a session that has ended to the sinks that have not received it, and returns the state of each. The caller
/// must have locked the session; `switch`: as in [`Setup`](super::setup::Setup).
pub(crate) async fn deliver(
    workspace: &Workspace,
    id: &str,
    switch: Option<&Switch>,
    bus: Option<&Bus>,
    show: Show,
) -> Vec<SinkEntry> {
    let store = workspace.store();
    let sent = async {
        let Some(pending) = pending(&store, id)? else {
            return Ok(Vec::new());
        };
        let result = show(workspace, &pending.stored).await?;
        let work =
            async |switch: &Switch| dispatch(workspace, &store, pending, &result, switch).await;
        stopping(workspace, switch, bus, work).await?
    };
    announce(sent.await, bus)
}

/// Reports the state of each sink as an event; an error becomes one entry for all sinks.
fn announce(sent: Result<Vec<SinkEntry>, Error>, bus: Option<&Bus>) -> Vec<SinkEntry> {
    let sent = sent.unwrap_or_else(|error| vec![SinkEntry::unknown(&error)]);
    if let Some(bus) = bus {
        for entry in &sent {
            bus.emit(EventKind::SinkFinished {
                sink: entry.sink.clone(),
                state: entry.state.name(),
                message: entry.message.clone(),
            });
        }
    }
    sent
}

/// Does work while handling signals, unless its caller does so already.
async fn stopping<T>(
    workspace: &Workspace,
    switch: Option<&Switch>,
    bus: Option<&Bus>,
    work: impl AsyncFnOnce(&Switch) -> T,
) -> Result<T, Error> {
    if let Some(switch) = switch {
        return Ok(work(switch).await);
    }
    let own = Switch::default();
    signals::during(&workspace.stops, &own, bus, work(&own)).await
}

/// Sends what is pending for one session. The caller must have locked it.
///
/// # Errors
/// It cannot be read.
pub(crate) async fn send(
    workspace: &Workspace,
    store: &Store,
    id: &str,
    switch: &Switch,
    show: Show,
) -> Result<Vec<SinkEntry>, Error> {
    let Some(pending) = pending(store, id)? else {
        return Ok(Vec::new());
    };
    let result = show(workspace, &pending.stored).await?;
    dispatch(workspace, store, pending, &result, switch).await
}

/// A session that has ended, with its outstanding deliveries.
struct Pending {
    stored: StoredSession,
    deliveries: Deliveries,
}

fn pending(store: &Store, id: &str) -> Result<Option<Pending>, Error> {
    if !store.was_run_here(id) {
        return Ok(None);
    }
    let Some(deliveries) = store.deliveries(id).map_err(store_error)? else {
        return Ok(None);
    };
    let stored = store.read(id).map_err(store_error)?.for_its_holder();
    let pending = !due(&stored, &deliveries).is_empty();
    Ok(pending.then_some(Pending { stored, deliveries }))
}

/// Returns the sinks to which a session can be sent now. A pull request is told too that nothing was decided: nobody may
/// come back to resume the review.
pub(crate) fn due(stored: &StoredSession, deliveries: &Deliveries) -> Vec<String> {
    let state = stored.ledger.state();
    let is_due = |name: &str| match state {
        State::Closed { .. } => true,
        State::Suspended { .. } => name == PULL_REQUEST,
        State::Running => false,
    };
    let pending = deliveries.pending().filter(|(name, _)| is_due(name));
    pending.map(|(name, _)| name.to_owned()).collect()
}

/// Sends a session's result to each sink that has not received it.
async fn dispatch(
    workspace: &Workspace,
    store: &Store,
    pending: Pending,
    result: &SessionResult,
    switch: &Switch,
) -> Result<Vec<SinkEntry>, Error> {
    let Pending { stored, deliveries } = pending;
    let names = due(&stored, &deliveries);
    let sinks = &workspace.effective.config.sinks;
    let redactor = workspace.redactor();
    let files =
        (names.iter().filter_map(|name| sinks.get(name)?.kind)).any(|kind| kind == SinkKind::Gcs);
    let export = export::of(result, &stored, &redactor, files)?;
    let sending = Sender {
        workspace,
        store,
        id: &stored.id,
        redactor: &redactor,
        switch,
        pull_request: stored.ledger.opened().and_then(|opened| posted_on(&opened.input)),
        deliveries: RefCell::new(deliveries),
    };
    let work = names.iter().map(|name| sending.one(name, &export));
    Ok(join_all(work).await)
}

/// The state of sending one session.
struct Sender<'a> {
    workspace: &'a Workspace,
    store: &'a Store,
    id: &'a str,
    redactor: &'a Redactor,
    switch: &'a Switch,
    /// The pull request that the result is posted on.
    pull_request: Option<PullRequest>,
    deliveries: RefCell<Deliveries>,
}

impl Sender<'_> {
    async fn one(&self, name: &str, export: &Export) -> SinkEntry {
        let posted = self.pull_request.as_ref().filter(|_| name == PULL_REQUEST).map(sink_of);
        let config = self.workspace.effective.config.sinks.get(name);
        let target =
            posted.as_ref().map(pull_request::target).or_else(|| config.and_then(Target::of));
        let (done, state, message) = match target {
            None => {
                let why = "it is no longer configured".to_owned();
                (true, SinkState::Skipped, Some(why))
            }
            Some(target) => match target.steps(export) {
                Err(why) => (true, SinkState::Skipped, Some(why)),
                Ok(steps) => match self.steps(name, &target, &steps, export).await {
                    Ok(()) => (true, SinkState::Sent, None),
                    Err(why) => (false, SinkState::Pending, Some(why)),
                },
            },
        };
        let kept = self.keep(name, |delivery| {
            delivery.done = done;
            delivery.message.clone_from(&message);
        });
        // It was sent, which the next sync discovers: each step checks whether it was done before.
        let (state, message) = match kept {
            Err(error) if state == SinkState::Sent => (SinkState::Pending, Some(error.to_string())),
            Ok(()) | Err(_) => (state, message),
        };
        SinkEntry {
            sink: name.to_owned(),
            kind: target.map(|target| target.kind.name().to_owned()),
            state,
            message,
        }
    }

    async fn steps(
        &self,
        name: &str,
        target: &Target<'_>,
        steps: &[crate::sink::Step],
        export: &Export,
    ) -> Result<(), String> {
        let open = with_shell(self.workspace, target, self.redactor, self.switch, async |shell| {
            for step in steps {
                if self.has(name, step.key()) {
                    continue;
                }
                (target.perform(step, export, &shell).await).map_err(|failure| failure.message)?;
                self.keep(name, |delivery| {
                    delivery.steps.insert(step.key().to_owned());
                })
                .map_err(|error| error.to_string())?;
            }
            Ok(())
        });
        open.await?
    }

    fn has(&self, name: &str, key: &str) -> bool {
        let deliveries = self.deliveries.borrow();
        (deliveries.sinks.get(name)).is_some_and(|delivery| delivery.steps.contains(key))
    }

    fn keep(&self, name: &str, change: impl FnOnce(&mut Delivery)) -> Result<(), Error> {
        let mut deliveries = self.deliveries.borrow_mut();
        change(deliveries.sinks.entry(name.to_owned()).or_default());
        self.store.keep_deliveries(self.id, &deliveries).map_err(store_error)
    }
}

/// Does work with a shell for the programs of one sink.
pub(crate) async fn with_shell<T>(
    workspace: &Workspace,
    target: &Target<'_>,
    redactor: &Redactor,
    switch: &Switch,
    work: impl AsyncFnOnce(Shell<'_>) -> T,
) -> Result<T, String> {
    let guard = guard().map_err(|error| error.to_string())?;
    let folder = folder().map_err(|error| error.to_string())?;
    let machine = workspace.machine();
    let shell = Shell {
        guard: &guard,
        machine: &machine,
        env: target.variables(&workspace.around.vars),
        dir: folder.path(),
        limits: limits(workspace),
        control: switch.listen(),
        redactor,
        until: Instant::now() + time(target.config),
    };
    Ok(work(shell).await)
}

/// Creates a private folder for the programs' input.
fn folder() -> Result<tempfile::TempDir, Error> {
    let made = tempfile::Builder::new().prefix("debate-agent-sink-").tempdir();
    made.map_err(|error| {
        Error::new(Kind::Environment, "failed to make a private folder").because(error)
    })
}

fn time(config: &SinkConfig) -> Duration {
    config.timeout_seconds.map_or(TIMEOUT, Duration::from_secs)
}

fn limits(workspace: &Workspace) -> Limits {
    let config = &workspace.effective.config.limits;
    Limits { grace: Duration::from_secs(config.grace_seconds), ..Limits::default() }
}

/// Returns the state of a session's sinks. If it cannot be read, it is reported as pending.
pub(crate) fn states(workspace: &Workspace, store: &Store, id: &str) -> Vec<SinkEntry> {
    let deliveries = match store.deliveries(id) {
        Ok(found) => found.unwrap_or_default(),
        Err(error) => return vec![SinkEntry::unknown(&error)],
    };
    let sinks = &workspace.effective.config.sinks;
    (deliveries.sinks.iter())
        .map(|(name, delivery)| {
            let state = match delivery.done {
                true if delivery.message.is_some() => SinkState::Skipped,
                true => SinkState::Sent,
                false => SinkState::Pending,
            };
            SinkEntry {
                sink: name.clone(),
                kind: (sinks.get(name).and_then(|sink| sink.kind))
                    .map(|kind| kind.name().to_owned()),
                state,
                message: delivery.message.clone(),
            }
        })
        .collect()
}

/// Returns the pull request that a session's result is posted on, if it is.
fn posted_on(input: &serde_json::Value) -> Option<PullRequest> {
    let found: PullRequest = serde_json::from_value(input.get("pull_request")?.clone()).ok()?;
    found.comment.then_some(found)
}

/// Returns the issue that a session names in its metadata.
fn issue(input: &serde_json::Value) -> Option<u64> {
    let named = &input["brief"]["metadata"]["issue"];
    let text = || named.as_str().and_then(|text| text.parse().ok());
    named.as_u64().or_else(text).filter(|issue| *issue > 0)
}
