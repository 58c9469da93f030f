//! Keeps the outcome of a partner debate: its record, and the ranks of its items in the backlog.

use super::open::store;
use crate::app::run::workspace::Workspace;
use crate::discovery::store::ApplyResult;
use crate::error::{Error, backlog_error};
use crate::kernel::warning::warning;
use crate::protocol::backlog::model::BacklogOutcome;
use crate::report::document::PrioritizeDocument;
use crate::text::Note;

/// Writes the record of a debate to `debates/<session id>.json`, and its ranks to the store's items that it was
/// about; anything that could not be written becomes a note. Nothing is written for a rehearsal.
///
/// # Errors
/// There are ranks, but the store cannot be read or written.
pub(crate) fn keep_ranks(
    workspace: &Workspace,
    document: &mut PrioritizeDocument,
) -> Result<(), Error> {
    let asked = document.header.outcome != BacklogOutcome::NothingToRank;
    if document.header.rehearsal || !asked {
        return Ok(());
    }
    let store = store(workspace);
    let mut written = ApplyResult::default();
    if document.decided() {
        written = store
            .apply_debate(&document.session, &document.ranked_opportunities)
            .map_err(|error| {
                let id = crate::report::short_id(&document.header.session_id);
                backlog_error(error).hint(format!(
                    "the debate is kept: `debate-agent sessions resume {id}` writes its ranks again, without calling anybody"
                ))
            })?;
    }
    let mut notes = Vec::new();
    if written == ApplyResult::default()
        && let Err(error) = store.record_debate(&document.session)
    {
        // Only a note: the session's journal contains all of it.
        notes.push(Note::new("record_not_written", error.to_string()));
    }
    if !written.left_alone.is_empty() {
        let message = format!(
            "left as they are in the backlog, because they were decided or resolved in the meantime, or ranked by a later debate: {}",
            written.left_alone.join(", ")
        );
        notes.push(Note::new("left_alone", message));
    }
    document.header.warnings.extend(notes.iter().map(warning));
    Ok(())
}
