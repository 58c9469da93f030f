//! Writes to the backlog what a partner debate decided about its items.

use super::super::panel::warning;
use super::super::workspace::Workspace;
use super::{backlog_error, store};
use crate::error::Error;
use crate::report::document::PrioritizeDocument;
use crate::text::Note;

/// Writes the ranks of a debate to the items of the store that it was about; says so where it
/// could not. A rehearsal's ranks are never written.
///
/// # Errors
/// The store cannot be read or written.
pub(crate) fn keep_ranks(
    workspace: &Workspace,
    document: &mut PrioritizeDocument,
) -> Result<(), Error> {
    if document.header.rehearsal || !document.decided() {
        return Ok(());
    }
    let written = store(workspace)
        .apply_debate(&document.session, &document.ranked_opportunities)
        .map_err(|error| {
            let id = crate::report::short_id(&document.header.session_id);
            backlog_error(error).hint(format!(
                "the debate is kept: `debate-agent sessions resume {id}` writes its ranks again, and calls nobody"
            ))
        })?;
    if !written.left_alone.is_empty() {
        let message = format!(
            "left as they are in the backlog, because they were decided or resolved meanwhile, or ranked by a later debate: {}",
            written.left_alone.join(", ")
        );
        let warning = warning(&Note::new("left_alone", message));
        document.header.warnings.push(warning);
    }
    Ok(())
}
