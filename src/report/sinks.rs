//! The results of a session's sinks, in results, `sessions status` and `sessions sync`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::document::SCHEMA_VERSION;
use super::table::Table;
use super::{Look, short_id, words};

crate::words! {
    /// The state of one sink.
    pub enum SinkState {
        /// It has all of the session.
        Sent = "sent",
        /// Something is still to be sent; `sessions sync` tries again.
        Pending = "pending",
        /// The session has nothing for it.
        Skipped = "skipped",
    }
}

/// What became of one sink.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SinkEntry {
    /// Its name in the configuration.
    pub sink: String,
    /// `github`, ...; missing where it is no longer configured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Its state.
    pub state: SinkState,
    /// Why it failed, or why there is nothing for it. Secrets are taken out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

impl SinkEntry {
    /// Creates the entry for all sinks of a session, whose states cannot be read.
    pub(crate) fn unknown(error: &impl ToString) -> Self {
        let message = Some(error.to_string());
        Self { sink: "all".to_owned(), kind: None, state: SinkState::Pending, message }
    }

    /// Returns the state and its reason, for a row of a table.
    pub(super) fn state_words(&self) -> String {
        let why = self.message.as_deref().map(words::sentence);
        why.map_or_else(
            || self.state.name().to_owned(),
            |why| format!("{}: {why}", self.state.name()),
        )
    }
}

pub(super) fn line(sink: &str, state: &str, message: Option<&str>) -> String {
    let name = words::name(sink);
    let why = message.map(words::sentence);
    let why = why.map(|why| format!(": {why}")).unwrap_or_default();
    match state {
        "sent" => format!("{name}: sent"),
        "pending" => format!("{name} is pending{why}; `debate-agent sessions sync` sends it"),
        _ => format!("{name} got nothing{why}"),
    }
}

/// What became of one session's sinks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SyncedSession {
    /// The session's id.
    pub session_id: String,
    /// Its sinks.
    pub sinks: Vec<SinkEntry>,
    /// Why nothing of it can be sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// The result of `sessions sync`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SyncDocument {
    /// The sessions that had something to send.
    pub sessions: Vec<SyncedSession>,
    /// How many sinks of these sessions are still to get something. More than 0 is exit code 5.
    pub pending: usize,
    /// The version of this document.
    pub schema_version: u32,
}

impl SyncDocument {
    /// Creates the document and counts pending results. A session that cannot be sent at all counts as one.
    pub fn new(sessions: Vec<SyncedSession>) -> Self {
        let open = |session: &SyncedSession| {
            let sinks = session.sinks.iter();
            sinks.filter(|sink| sink.state == SinkState::Pending).count()
                + usize::from(session.problem.is_some())
        };
        Self { pending: sessions.iter().map(open).sum(), sessions, schema_version: SCHEMA_VERSION }
    }

    /// Returns the result for people, with a newline at the end.
    pub fn render(&self, look: Look) -> String {
        if self.sessions.is_empty() {
            return "Nothing is pending.\n".to_owned();
        }
        let rows = self.sessions.iter().flat_map(|session| {
            let id = short_id(&session.session_id);
            let sinks = session.sinks.iter();
            let mut rows: Vec<Vec<String>> =
                sinks.map(|sink| vec![id.clone(), sink.sink.clone(), sink.state_words()]).collect();
            if let Some(problem) = &session.problem {
                rows.push(vec![id, "all".to_owned(), words::sentence(problem)]);
            }
            rows
        });
        Table::new(&["Session", "Sink", "State"], rows).unbroken(&[0, 1]).render(look.width)
    }
}
