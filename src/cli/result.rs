//! The common part of all session commands: one result on one standard output, the dry run, the form of the result.

use std::any::Any;
use std::path::Path;

use super::format::Format;
use super::options::CallArgs;
use super::output::Output;
use super::sessions::offer_page;
use crate::app::sessions::{self, Part};
use crate::app::workspace::Workspace;
use crate::error::{Error, Kind};
use crate::exit::ExitStatus;
use crate::report::review::{ReviewDocument, github, pull_request, sarif};
use crate::report::session_result::SessionDocument;

/// Whether the events use standard output, of which the last is the result.
pub(super) fn is_told(call: &CallArgs) -> bool {
    call.events.as_deref() == Some(Path::new("-"))
}

/// Refuses two results on one standard output, before anything is read or run.
pub(super) fn one_stdout(call: &CallArgs, output: &Output) -> Result<(), Error> {
    match output.asked {
        Some(format) if is_told(call) => {
            let option = if format == Format::Json { "--json" } else { "--format" };
            let what = format!("`--events -` and `{option}` both want standard output");
            Err(Error::new(Kind::Usage, what)
                .hint("write the events to a file: `--events events.jsonl`"))
        }
        _ => Ok(()),
    }
}

/// Maximum number of rows of the end of a run: it stands below what scrolled by, on a screen of 24.
pub(super) const RUN_ROWS: usize = 15;
/// Maximum number of rows of a result that is shown again: a window of a common size.
pub(super) const SHOW_ROWS: usize = 40;

/// Returns a session's result in the format that is asked for; as text, in at most so many `rows`, or the whole.
///
/// # Errors
/// A format of reviews alone is asked for, and it is none; its transcript cannot be read.
pub(super) fn written(
    document: &dyn SessionDocument,
    workspace: &Workspace,
    output: &Output,
    rows: Option<usize>,
) -> Result<String, Error> {
    let any: &dyn Any = document;
    let header = document.header();
    match (output.format(), any.downcast_ref::<ReviewDocument>()) {
        (Format::Json, _) => Output::json_of(document),
        (Format::Markdown, _) => Ok(document.printed_markdown()),
        (Format::Html, _) => Ok(sessions::html_page(workspace, document, header.session_id)),
        (Format::Transcript, _) => {
            sessions::transcript(workspace, header.session_id, Some(&Part::default()))
        }
        (Format::Sarif, Some(review)) => Output::json_of(&sarif::log(review)),
        (Format::Github, Some(review)) => Ok(github::annotations(review)),
        (Format::Pr, Some(review)) => Ok(pull_request::summary(review)),
        (Format::Text | Format::Csv, _) => Ok(match rows {
            Some(rows) => document.brief(output.look(), rows),
            None => document.render(output.look()),
        }),
        (format @ (Format::Sarif | Format::Github | Format::Pr), None) => {
            let (name, kind) = (format.name(), header.protocol);
            let what = format!("`--format {name}` is for reviews, and this is a session of {kind}");
            Err(Error::new(Kind::Usage, what)
                .hint("it has text, json, markdown, html and transcript"))
        }
    }
}

/// Prints the result of a run in the format that is asked for.
pub(super) fn print(
    document: &dyn SessionDocument,
    status: ExitStatus,
    workspace: &Workspace,
    call: &CallArgs,
    output: &Output,
) -> Result<ExitStatus, Error> {
    if is_told(call) {
        return Ok(status);
    }
    let rows = (!call.full).then_some(RUN_ROWS);
    let status = output.result_as(&written(document, workspace, output, rows)?, status)?;
    // The result is out: a page that cannot be had is not its failure.
    if !status.is_stopped()
        && let Err(error) = offer_page(workspace, document.header().session_id)
    {
        Output::warning(&format!("the page could not be opened: {error}"));
    }
    Ok(status)
}
