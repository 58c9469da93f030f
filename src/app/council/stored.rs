//! What a council leaves and what it is read from again: its report, its stored session.

use std::io;
use std::path::Path;

use super::{Council, Kept, Rules, document, machine};
use crate::app::replay::Replayed;
use crate::app::workspace::Workspace;
use crate::app::{replay, reports, standing};
use crate::error::Error;
use crate::exit::ExitStatus;
use crate::kernel::Warning;
use crate::kernel::warning::warning;
use crate::report::document::to_json;
use crate::report::session_result::SessionResult;
use crate::session::Stored;
use crate::session::record::Opened;

/// Writes the report of a finished run, as Markdown and JSON. Where that fails the result is not
/// lost: the journal holds it, and the document says so.
pub(super) fn keep<C: Council>(
    workspace: &Workspace,
    out: Option<&Path>,
    document: &mut C::Document,
) {
    let own = workspace.root().join(&workspace.effective.config.paths.debate);
    let place = C::kept_as(document, out, &own);
    let markdown = C::report(document);
    // The document names a report that is there: one that could not be written has no path.
    let written = reports::write(workspace.root(), &place, workspace.env(), &markdown, |path| {
        let mut placed = document.clone();
        C::place(&mut placed, path.display().to_string());
        to_json(&placed).map_err(io::Error::other)
    })
    .map(|path| C::place(document, path.display().to_string()));
    if let Err(error) = written {
        C::notes(document).warnings.push(Warning {
            code: "report_not_written".to_owned(),
            turn: None,
            message: format!(
                "the report could not be written: {error}; `debate-agent sessions export` writes it again"
            ),
        });
    }
}

/// Names the report of a closed session, and writes it where it is not there: a run that was killed between its last record and
/// its report left none.
pub(crate) fn keep_closed<C: Council>(
    workspace: &Workspace,
    session: &str,
    outcome: &str,
    document: &mut C::Document,
) {
    let paths = &workspace.effective.config.paths;
    let place = C::kept_as(document, None, &workspace.root().join(&paths.debate));
    // One of when it was interrupted is not the report of how it ended.
    let kept = reports::find(workspace.root(), &place, |data| {
        data["session_id"] == session && data["outcome"] == outcome
    });
    match kept {
        Some(path) => C::place(document, path.display().to_string()),
        None => keep::<C>(workspace, None, document),
    }
}

/// Reads a stored session's rules.
pub(crate) fn rules<C: Council>(opened: &Opened) -> Result<Rules<C::Settings>, Error> {
    read::<C>(opened).map(|(rules, _)| rules)
}

/// Reads a stored session's rules and task.
pub(crate) fn read<C: Council>(opened: &Opened) -> Result<(Rules<C::Settings>, C::Task), Error> {
    replay::recorded(opened, "input")
}

/// Replays a stored session as far as its journal goes.
pub(crate) async fn replayed<C: Council>(
    stored: &Stored,
    opened: &Opened,
) -> Result<Kept<C>, Error> {
    let (rules, task) = read::<C>(opened)?;
    let machine = machine::<C>(&rules, &task, opened)?;
    let Replayed { mut outcome, open } = replay::stored(stored, &rules.calls, machine).await?;
    Ok(Kept { document: document::<C>(&stored.ledger, &rules, &task, &mut outcome), outcome, open })
}

/// Shows a stored session as its result.
///
/// # Errors
/// Its journal cannot be read.
pub(crate) async fn shown<C: Council>(
    workspace: &Workspace,
    stored: &Stored,
    opened: &Opened,
) -> Result<SessionResult, Error> {
    let mut kept = replayed::<C>(stored, opened).await?;
    C::notes(&mut kept.document).warnings.extend(stored.notes.iter().map(warning));
    C::complete(workspace, &mut kept.document);
    Ok(kept.document.into())
}

/// Says how the program ends when a closed session is shown again.
pub(crate) async fn status<C: Council>(
    stored: &Stored,
    opened: &Opened,
) -> Result<ExitStatus, Error> {
    let kept = replayed::<C>(stored, opened).await?;
    Ok(C::status(&kept.outcome, None, standing::spent(&stored.ledger)))
}
