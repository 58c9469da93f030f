//! `debate`: agents settle one question; agreement is measured and dissent kept.

use super::options::{Asked, CallArgs, Global};
use super::output::{self, Output};
use super::result;
use super::session::Session;
use super::surroundings;
use crate::app::decisions::{self, LogAction, LogMode, Marks};
use crate::app::topic::Request;
use crate::app::workspace::Workspace;
use crate::error::Error;
use crate::exit::ExitStatus;
use crate::report::debate::{DebateDocument, Logged};
use crate::report::page::ToPage as _;
use crate::report::short_id;

pub(super) fn debate(
    global: &Global,
    Asked { request, call }: Asked<Request>,
    output: &Output,
) -> Result<ExitStatus, Error> {
    run_debate(global, request, &call, output)
}

/// Runs a debate, prints it, and logs its decision.
pub(super) fn run_debate(
    global: &Global,
    request: Request,
    call: &CallArgs,
    output: &Output,
) -> Result<ExitStatus, Error> {
    let session = Session::open(surroundings(global)?, request, call, output)?;
    session.warn();
    let Some(finished) = session.run_or_dry_run()? else {
        return Ok(ExitStatus::Success);
    };
    let left = session.person.as_ref().and_then(|person| person.left());
    if let Some(note) = left {
        Output::warning(&note.message);
    }
    let status = finished.status;
    let (workspace, mut document) = (&session.workspace, finished.document);
    let first = log_first(workspace, &mut document, output);
    let shown = result::print(&document, status, workspace, call, output);
    // A failure to write the log does not cost the result, and a closed output does not cost the log.
    logged(workspace, &mut document, first, output, shown)
}

/// Logs the decision before the result is printed, so that the result can mention it. `None`: a person has to be
/// asked first, once the result has been read.
pub(super) fn log_first(
    workspace: &Workspace,
    document: &mut DebateDocument,
    output: &Output,
) -> Option<Result<(), Error>> {
    let ask = decisions::due(document) == LogAction::Ask && !output.json();
    (!ask).then(|| log(workspace, document, output))
}

/// Logs the decision after the result was printed, unless that was done `first`. A failure to log is not a second
/// document on standard output: it goes to standard error, and into the exit code.
pub(super) fn logged(
    workspace: &Workspace,
    document: &mut DebateDocument,
    first: Option<Result<(), Error>>,
    output: &Output,
    shown: Result<ExitStatus, Error>,
) -> Result<ExitStatus, Error> {
    let logged = first.unwrap_or_else(|| log(workspace, document, output));
    let Err(error) = logged else {
        return shown;
    };
    let id = short_id(&document.header.session_id);
    Output::beside(&format!(
        "error: the decision was not logged: {error}\nhint: once that is fixed, `debate-agent decisions add {id}` logs it"
    ));
    shown.map(|_| ExitStatus::State)
}

/// Adds the decision to the log of decisions: consensus at once, partial agreement after confirmation.
fn log(workspace: &Workspace, document: &mut DebateDocument, output: &Output) -> Result<(), Error> {
    let question = |document: &DebateDocument| {
        let headline = document.headline();
        format!("{headline}\nThe sides agree in part. Log this as a decision?")
    };
    let how = match decisions::due(document) {
        LogAction::Log => LogMode::Automatic,
        // A decision that a resume prints again is not asked about again.
        LogAction::Ask if decisions::has(workspace, document)? => return Ok(()),
        LogAction::Ask if !output.json() && output::confirm(&question(document)) => {
            LogMode::Confirmed
        }
        LogAction::Ask | LogAction::Offer | LogAction::Nothing => return Ok(()),
    };
    let logged = decisions::log(workspace, document, how, &Marks::default())?;
    document.logged = Some(Logged::from(&logged.decision));
    if let Some(why) = &logged.report_not_written {
        Output::warning(why);
    }
    if !logged.already {
        output.notice(&format!("logged as decision {}", logged.decision.id));
    }
    Ok(())
}
