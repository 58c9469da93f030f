//! Stores a partner debate: its record, and the ranks of its items.

use std::collections::HashMap;
use std::path::PathBuf;

use uuid::Uuid;

use super::{BacklogError, BacklogStore, DebateSession, LOCK, Opportunity, pretty};
use crate::protocol::backlog::stored;
use crate::session::store::is_id;

const DEBATES: &str = "debates";
/// The suffix of their names.
const JSON: &str = ".json";

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ApplyResult {
    /// Ids of stored items that now have this debate's ranks.
    pub ranked: Vec<String>,
    /// Ids of stored items left unchanged: decided or resolved in the meantime, or ranked by a later debate.
    pub left_alone: Vec<String>,
}

impl BacklogStore {
    /// Writes `debates/<session id>.json`, then the ranks, dispositions and session id into the stored items, in one
    /// replacement of the file. Statuses are never changed.
    ///
    /// `ranked` are the opportunities in the debate's order; those not in the store are skipped, and if none is,
    /// nothing is written (see [`record_debate`](Self::record_debate)). Repeating a call changes nothing.
    pub fn apply_debate<'a>(
        &self,
        session: &DebateSession,
        ranked: impl IntoIterator<Item = &'a Opportunity>,
    ) -> Result<ApplyResult, BacklogError> {
        if !is_id(&session.session_id) {
            return Err(not_an_id());
        }
        let ranked: HashMap<&str, &Opportunity> =
            (ranked.into_iter()).map(|item| (item.opportunity_id.as_str(), item)).collect();
        let is_there = |item: &Opportunity| ranked.contains_key(item.opportunity_id.as_str());
        // Checked without the lock, so that a debate on another file leaves the items alone.
        if !self.read()?.opportunities.iter().any(is_there) {
            return Ok(ApplyResult::default());
        }
        self.change(|items| {
            let mut applied = ApplyResult::default();
            for item in items.iter_mut() {
                let Some(ranked) = ranked.get(item.opportunity_id.as_str()) else {
                    continue;
                };
                let id = item.opportunity_id.clone();
                if !item.is_open() || is_later(item.debate_session_id.as_deref(), session) {
                    applied.left_alone.push(id);
                    continue;
                }
                let before = item.clone();
                item.priority_rank = ranked.priority_rank;
                item.disposition = ranked.disposition;
                item.debate_session_id = Some(session.session_id.clone());
                if *item != before {
                    let at = session.completed_at.unwrap_or(session.started_at);
                    item.updated_at = item.updated_at.max(at);
                }
                applied.ranked.push(id);
            }
            if !applied.ranked.is_empty() || !applied.left_alone.is_empty() {
                self.write_debate(session)?;
            }
            Ok(applied)
        })
    }

    /// Writes only `debates/<session id>.json`: for a debate that decided nothing, or whose items are not in the store.
    ///
    /// # Errors
    /// The folder cannot be locked or written.
    pub fn record_debate(&self, session: &DebateSession) -> Result<(), BacklogError> {
        if !is_id(&session.session_id) {
            return Err(not_an_id());
        }
        let _held = self.shared()?.lock(LOCK, self.env.now())?;
        self.write_debate(session)
    }

    /// Reads the record of a debate by its id or an unambiguous prefix, whoever wrote it. `None`: there is none.
    ///
    /// # Errors
    /// Several match, or it cannot be read; the error gives the location and the fault.
    pub fn debate(&self, id: &str) -> Result<Option<(PathBuf, DebateSession)>, BacklogError> {
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        if id.is_empty() || id.starts_with('.') || !id.chars().all(plain) {
            return Ok(None);
        }
        let debates = self.shared()?.within(DEBATES);
        let mut ids = self.debates()?;
        ids.retain(|known| known.starts_with(id));
        if ids.iter().any(|known| known == id) {
            ids = vec![id.to_owned()];
        }
        let name = match &ids[..] {
            [] => return Ok(None),
            [whole] => format!("{whole}{JSON}"),
            several => {
                let (id, count, dir) = (id.to_owned(), several.len(), debates.path(""));
                return Err(BacklogError::Ambiguous { id, count, dir });
            }
        };
        let Some(bytes) = debates.read(&name)? else {
            return Ok(None);
        };
        let path = debates.path(&name);
        match stored::read(&bytes) {
            Ok(session) => Ok(Some((path, session))),
            Err(why) => Err(BacklogError::NotADebate { path, why }),
        }
    }

    /// Returns the ids of the recorded debates, sorted.
    ///
    /// # Errors
    /// A folder cannot be listed.
    pub fn debates(&self) -> Result<Vec<String>, BacklogError> {
        let names = self.shared()?.within(DEBATES).names()?.into_iter();
        Ok(names.filter_map(|name| Some(name.strip_suffix(JSON)?.to_owned())).collect())
    }

    /// Writes the record of a debate. The caller holds the lock.
    fn write_debate(&self, session: &DebateSession) -> Result<(), BacklogError> {
        let debates = self.shared()?.within(DEBATES);
        debates.make()?;
        let value = serde_json::to_value(session)
            .map_err(|error| BacklogError::Unwritable(error.to_string()))?;
        Ok(debates.replace(&format!("{}{JSON}", session.session_id), &pretty(&value)?)?)
    }
}

fn not_an_id() -> BacklogError {
    BacklogError::Unwritable("a debate's session id must be a session id".to_owned())
}

/// Whether the debate that ranked an item began after this one. Only session ids contain a time (`UUIDv7`).
fn is_later(stored: Option<&str>, session: &DebateSession) -> bool {
    let time = |id: &str| Uuid::parse_str(id).ok();
    match (stored.and_then(time), time(&session.session_id)) {
        (Some(stored), Some(ours)) => stored > ours,
        (None, _) | (_, None) => false,
    }
}
