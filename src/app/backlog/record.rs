//! Shows the record of a partner debate without a local journal: one of the source document's system, or of a deleted
//! session.

use std::collections::HashMap;

use super::open::store;
use crate::app::run::workspace::Workspace;
use crate::error::{Error, Kind, backlog_error, store_error};
use crate::kernel::warning::warning;
use crate::protocol::backlog::model::Opportunity;
use crate::report::document::{PrioritizeDocument, RECORD_ALONE, SessionFacts};
use crate::report::sessions::SessionEntry;
use crate::session::StoreError;
use crate::text::Note;

/// Returns the ids of the debates of which only the record exists: no session of the project has that id.
///
/// # Errors
/// The folder cannot be listed.
pub(crate) fn alone(
    workspace: &Workspace,
    sessions: &[SessionEntry],
) -> Result<Vec<String>, Error> {
    let mut ids = store(workspace).debates().map_err(backlog_error)?;
    ids.retain(|id| sessions.iter().all(|session| session.session_id != *id));
    Ok(ids)
}

/// Explains why a session cannot be opened; if only a record exists, lists what works for it.
pub(crate) fn no_session(workspace: &Workspace, id: &str, error: StoreError) -> Error {
    let recorded = matches!(error, StoreError::UnknownId { .. } | StoreError::InvalidId { .. })
        .then(|| store(workspace).debate(id));
    let Some(Ok(Some((path, session)))) = recorded else {
        return store_error(error);
    };
    let what = format!(
        "debate {} has only its record, {}, and no journal to resume from",
        session.session_id,
        path.display()
    );
    Error::new(Kind::Input, what)
        .named(RECORD_ALONE)
        .hint(format!("`debate-agent sessions show {0}` works", session.session_id))
}

/// Reads `debates/<id>.json` from the backlog's folder. `None` if no record's id begins with `id`.
///
/// # Errors
/// Several records match, or the record cannot be read.
pub(crate) fn record(workspace: &Workspace, id: &str) -> Result<Option<PrioritizeDocument>, Error> {
    let backlog = store(workspace);
    let Some((path, session)) = backlog.debate(id).map_err(backlog_error)? else {
        return Ok(None);
    };
    let known = backlog.read().map_err(backlog_error)?.opportunities;
    let known: HashMap<&str, &Opportunity> =
        (known.iter()).map(|item| (item.opportunity_id.as_str(), item)).collect();
    let last = session.rounds.last();
    let order = match &session.final_rankings[..] {
        [] => &session.opportunity_ids,
        ranked => ranked,
    };
    let mut gone = 0;
    let ranked = (1..).zip(order).map(|(rank, id)| {
        let mut item = known.get(id.as_str()).map_or_else(
            || {
                gone += 1;
                unknown(id, &session.started_at)
            },
            |item| (*item).clone(),
        );
        let decided = !session.final_rankings.is_empty();
        item.priority_rank = decided.then_some(rank);
        item.debate_session_id = Some(session.session_id.clone());
        item.disposition = last.and_then(|round| round.moderator_dispositions.get(id).copied());
        item
    });
    let ranked: Vec<Opportunity> = ranked.collect();
    let mut notes = vec![Note::new(
        RECORD_ALONE,
        format!(
            "read from {}: there is no journal of this debate here, so it can be shown but not resumed{}",
            path.display(),
            if session.seats.is_empty() { ", and who answered is not recorded" } else { "" }
        ),
    )];
    if gone > 0 {
        let message = format!(
            "{gone} of its opportunities are not in the backlog and are shown by their ids"
        );
        notes.push(Note::new("not_in_backlog", message));
    }
    let rounds = session.rounds.len();
    let unnamed = session.seats.is_empty();
    let about =
        SessionFacts { warnings: notes.iter().map(warning).collect(), ..SessionFacts::default() };
    let mut document = PrioritizeDocument::new(session, ranked, about);
    if unnamed && rounds > 0 {
        // A round is recorded only after all three have answered.
        document.header.quorum.answered = document.header.quorum.needed;
    }
    Ok(Some(document))
}

/// A placeholder for an item known only from the record.
fn unknown(id: &str, at: &chrono::DateTime<chrono::Utc>) -> Opportunity {
    Opportunity {
        opportunity_id: id.to_owned(),
        title: id.to_owned(),
        created_at: *at,
        updated_at: *at,
        ..Opportunity::default()
    }
}
