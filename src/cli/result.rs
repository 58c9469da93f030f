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
use crate::report::plan::{self, Plan};
use crate::report::review::{ReviewDocument, github, sarif};
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

/// Prints the result of a dry run.
pub(super) fn show_plan(plan: &Plan, output: &Output) -> Result<ExitStatus, Error> {
    output.either(plan, ExitStatus::Success, |look| plan::render(plan, look))
}

/// Returns a session's result in the format that is asked for; as text, only the end unless it is `full`.
///
/// # Errors
/// A format of reviews alone is asked for, and it is none; its transcript cannot be read.
pub(super) fn written(
    document: &dyn SessionDocument,
    workspace: &Workspace,
    output: &Output,
    full: bool,
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
        (Format::Text | Format::Csv, _) if full => Ok(document.render(output.look())),
        (Format::Text | Format::Csv, _) => Ok(document.brief(output.look())),
        (format @ (Format::Sarif | Format::Github), None) => {
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
    let status = output.result_as(&written(document, workspace, output, call.full)?, status)?;
    // The result is out: a page that cannot be had is not its failure.
    if !status.is_stopped()
        && let Err(error) = offer_page(workspace, document.header().session_id)
    {
        Output::warning(&format!("the page could not be opened: {error}"));
    }
    Ok(status)
}
