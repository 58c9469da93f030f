//! `sessions list` and `status`: their documents and their form for people.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::document::{ParentSession, SCHEMA_VERSION};
use super::sinks::{SinkEntry, SinkState};
use super::table::{Table, push_wrapped};
use super::{Look, short_id, words};
use crate::kernel::{Cost, Limit, Shortfall, Usd};
use crate::session::store::{SessionListing, Status};

crate::words! {
    /// The state of a stored session.
    #[derive(Hash)]
    pub enum SessionState {
        /// A process holds its lock.
        Running = "running",
        /// It can be resumed.
        Suspended = "suspended",
        /// Its process died; it can be resumed.
        Interrupted = "interrupted",
        /// Its protocol decided.
        Closed = "closed",
        /// Its journal cannot be read.
        Unreadable = "unreadable",
    }
}

impl SessionState {
    /// Whether a session in this state can be resumed with `sessions resume`.
    pub const fn resumable(self) -> bool {
        match self {
            Self::Suspended | Self::Interrupted => true,
            Self::Running | Self::Closed | Self::Unreadable => false,
        }
    }
}

/// One line of `sessions list`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionEntry {
    /// The session's id.
    pub session_id: String,
    /// `backlog`; missing where the journal cannot be read, like all that follows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub protocol: Option<String>,
    /// Its state.
    pub status: SessionState,
    /// How it ended, if it has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
    /// What that means, if it is closed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<String>,
    /// The limit that stopped it, where one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped_by: Option<Limit>,
    /// What it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Whether built-in stand-ins play every role.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rehearsal: Option<bool>,
    /// When it began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<DateTime<Utc>>,
    /// When its last record was written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<DateTime<Utc>>,
    /// What it cost so far; missing where nothing was called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<Cost>,
    /// Calls that were begun.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calls: Option<u32>,
    /// The session whose answers of earlier rounds it keeps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<ParentSession>,
    /// Why it cannot be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

impl From<&SessionListing> for SessionEntry {
    fn from(listed: &SessionListing) -> Self {
        let (status, outcome, verdict, problem) = match &listed.status {
            Status::Live(_) => (SessionState::Running, None, None, None),
            Status::Suspended { outcome, .. } => {
                (SessionState::Suspended, Some(outcome.clone()), None, None)
            }
            Status::Interrupted => (SessionState::Interrupted, None, None, None),
            Status::Closed { outcome, verdict } => {
                (SessionState::Closed, Some(outcome.clone()), Some(verdict.clone()), None)
            }
            Status::Unreadable(why) => (SessionState::Unreadable, None, None, Some(why.clone())),
        };
        let stopped_by = match &listed.status {
            Status::Suspended { limit, .. } => *limit,
            _ => None,
        };
        let summary = listed.summary.as_ref();
        Self {
            session_id: listed.id.clone(),
            protocol: summary.map(|summary| summary.protocol.clone()),
            status,
            outcome,
            verdict,
            stopped_by,
            title: summary.map(|summary| summary.title.clone()),
            rehearsal: summary.map(|summary| summary.rehearsal),
            started_at: summary.map(|summary| summary.started_at),
            updated_at: summary.map(|summary| summary.last_at),
            cost: summary.and_then(|summary| summary.spent),
            calls: summary.map(|summary| summary.calls),
            parent: summary.and_then(|summary| Some(summary.parent.as_ref()?.into())),
            problem,
        }
    }
}

/// The result of `sessions list`, in the order given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionsDocument {
    /// The sessions.
    pub sessions: Vec<SessionEntry>,
    /// The ids of partner debates of which only the record is here: `sessions show` shows them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub records: Vec<String>,
    /// The version of this document.
    pub schema_version: u32,
}

impl SessionsDocument {
    pub fn new(listed: &[SessionListing]) -> Self {
        Self {
            sessions: listed.iter().map(SessionEntry::from).collect(),
            records: Vec::new(),
            schema_version: SCHEMA_VERSION,
        }
    }

    /// Returns the list for people, a line a session, with a newline at the end.
    pub fn render(&self, look: Look, now: DateTime<Utc>) -> String {
        let records = self.records(look);
        if self.sessions.is_empty() && !records.is_empty() {
            return records;
        }
        if self.sessions.is_empty() {
            return "No sessions here yet. `debate-agent review --rehearse` creates one from what is not committed, without asking anybody.\n".to_owned();
        }
        let rows = self.sessions.iter().map(|session| {
            vec![
                short_id(&session.session_id),
                session.protocol.clone().unwrap_or_default(),
                session.title.as_ref().or(session.problem.as_ref()).cloned().unwrap_or_default(),
                match (session.status, &session.outcome) {
                    (SessionState::Closed, Some(outcome)) => outcome.replace('_', " "),
                    (state, _) => state.name().to_owned(),
                },
                session.started_at.map(|at| words::age(now - at)).unwrap_or_default(),
                match session.cost {
                    _ if session.rehearsal == Some(true) => "rehearsal".to_owned(),
                    cost => cost.map(|cost| cost.usd.to_string()).unwrap_or_default(),
                },
            ]
        });
        let table = Table::new(&["Session", "Kind", "About", "State", "Age", "Cost"], rows);
        let mut text = table.cut(2).render(look.width);
        if !records.is_empty() {
            text.push('\n');
        }
        text + &records
    }

    /// Returns a line that names the debates of which only the record exists, if there are any.
    fn records(&self, look: Look) -> String {
        const NAMED: usize = 10;
        let mut text = String::new();
        let ids = self.records.iter().take(NAMED).map(|id| words::name(id));
        let ids = ids.collect::<Vec<_>>().join(", ");
        if ids.is_empty() {
            return text;
        }
        let more = match self.records.len().saturating_sub(NAMED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        push_wrapped(
            &mut text,
            &format!(
                "Records without a journal: {ids}{more}. `debate-agent sessions show ID` shows them; they cannot be resumed."
            ),
            "",
            "",
            look.width,
        );
        text
    }
}

/// The result of `sessions status`: the session's state and what would be asked next.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionStatusDocument {
    /// The session.
    pub session: SessionEntry,
    /// The round that the next turns belong to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub round: Option<u32>,
    /// The turns that a resume would ask now; empty when it is closed.
    pub next_turns: Vec<String>,
    /// The budget, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget_usd: Option<Usd>,
    /// What the budget lacks for the calls that come next.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub short: Option<Shortfall>,
    /// The sinks that its result goes to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sinks: Vec<SinkEntry>,
    /// The version of this document.
    pub schema_version: u32,
}

impl SessionStatusDocument {
    /// Returns the status for people, with a newline at the end.
    pub fn render(&self, look: Look) -> String {
        let session = &self.session;
        let spent = session.cost.map_or(Usd::ZERO, |cost| cost.usd);
        let mut rows = vec![
            vec!["Session".to_owned(), session.session_id.clone()],
            vec!["Kind".to_owned(), session.protocol.clone().unwrap_or_default()],
            vec!["About".to_owned(), session.title.clone().unwrap_or_default()],
            vec!["State".to_owned(), state(session)],
            vec!["Started".to_owned(), session.started_at.map(minute).unwrap_or_default()],
            vec!["Spent".to_owned(), words::spent(spent, self.budget_usd)],
        ];
        if !self.next_turns.is_empty() {
            rows.push(vec!["Next turns".to_owned(), self.next_turns.join(", ")]);
        }
        if session.status.resumable() {
            let id = short_id(&session.session_id);
            rows.push(vec![
                "Resume".to_owned(),
                format!("debate-agent sessions resume {id}{}", words::raised(self.short)),
            ]);
        }
        let sinks = self.sinks.iter();
        rows.extend(sinks.map(|sink| vec![format!("Sink {}", sink.sink), sink.state_words()]));
        if self.sinks.iter().any(|sink| sink.state == SinkState::Pending)
            && session.status == SessionState::Closed
        {
            let id = short_id(&session.session_id);
            rows.push(vec!["Send".to_owned(), format!("debate-agent sessions sync {id}")]);
        }
        Table::new(&["", ""], rows).unbroken(&[0]).bare().render(look.width)
    }
}

/// `suspended: budget`, `closed: consensus`, `unreadable: why`.
pub(super) fn state(session: &SessionEntry) -> String {
    let state = session.status.name();
    // Words can be broken between lines, names cannot.
    let outcome = match session.stopped_by {
        // A topic debate has the same outcome for both limits.
        Some(limit) => Some(limit.name().to_owned()),
        None => session.outcome.as_ref().map(|name| name.replace('_', " ")),
    };
    let more = outcome.or_else(|| session.problem.clone());
    let mut about = Vec::new();
    if session.rehearsal == Some(true) {
        about.push("rehearsal".to_owned());
    }
    about.extend(session.parent.as_ref().map(|parent| {
        let parent_id = short_id(&parent.session_id);
        format!("again from round {} of {parent_id}", parent.from_round)
    }));
    let about = match &about[..] {
        [] => String::new(),
        about => format!(" ({})", about.join(", ")),
    };
    more.map_or_else(|| format!("{state}{about}"), |more| format!("{state}: {more}{about}"))
}

fn minute(at: DateTime<Utc>) -> String {
    at.format("%Y-%m-%d %H:%M").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::example;

    #[test]
    fn only_what_stopped_early_can_be_resumed() {
        let states: Vec<bool> = SessionsDocument::new(&example::listed())
            .sessions
            .iter()
            .map(|session| session.status.resumable())
            .collect();
        assert_eq!(states, [false, true, true, false, false]);
    }
}
