//! The common part of all session commands: one result on one standard output, warnings of the configuration, the dry
//! run, the format of the result.

use std::path::Path;

use clap::ValueEnum;
use serde::Serialize;

use super::options::CallArgs;
use super::output::Output;
use crate::error::{Error, Kind};
use crate::exit::ExitStatus;
use crate::report::plan::{self, Plan};
use crate::report::{Look, ToPage};

/// The format of a printed result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people.
    Text,
    /// One JSON document, as with --json.
    Json,
    /// The record in Markdown.
    Markdown,
}

/// The error of a command line that names two formats.
pub(super) fn two_formats() -> Error {
    Error::new(Kind::Usage, "`--json` and `--format` ask for two formats")
        .hint("leave one of them out")
}

/// The error of a command line that sends both the events and the result to standard output.
pub(super) fn two_outputs(option: &str) -> Error {
    Error::new(Kind::Usage, format!("`--events -` and `{option}` both want standard output"))
        .hint("write the events to a file: `--events events.jsonl`")
}

/// Refuses two results on one standard output, before anything is read or run.
pub(super) fn one_stdout(call: &CallArgs, output: &Output) -> Result<(), Error> {
    if output.json && call.events.as_deref() == Some(Path::new("-")) {
        return Err(two_outputs("--json"));
    }
    Ok(())
}

/// Refuses two formats, and two results on one standard output, before anything is read or run.
pub(super) fn one_result(
    call: &CallArgs,
    format: Option<Format>,
    output: &Output,
) -> Result<(), Error> {
    one_stdout(call, output)?;
    match format {
        Some(Format::Text | Format::Markdown) if output.json => Err(two_formats()),
        Some(Format::Markdown) if call.events.as_deref() == Some(Path::new("-")) => {
            Err(two_outputs("--format"))
        }
        Some(Format::Text | Format::Json | Format::Markdown) | None => Ok(()),
    }
}

/// Prints the result of a dry run.
pub(super) fn show_plan(plan: &Plan, output: &Output) -> Result<ExitStatus, Error> {
    output.either(plan, ExitStatus::Success, |look| plan::render(plan, look))
}

/// Prints a result: as JSON, as text, or not at all if the events use standard output.
pub(super) fn show(
    document: &impl Serialize,
    render: impl FnOnce(Look) -> String,
    status: ExitStatus,
    call: &CallArgs,
    output: &Output,
) -> Result<ExitStatus, Error> {
    if call.events.as_deref() == Some(Path::new("-")) {
        // The last of the events is the result.
        return Ok(status);
    }
    output.either(document, status, render)
}

/// Prints a result in the requested format.
pub(super) fn print(
    document: &(impl ToPage + Serialize),
    format: Option<Format>,
    status: ExitStatus,
    call: &CallArgs,
    output: &Output,
) -> Result<ExitStatus, Error> {
    match format {
        Some(Format::Markdown) => output.result_as(&document.markdown(), status),
        // The format JSON is the same as `--json`.
        Some(Format::Text | Format::Json) | None => {
            show(document, |look| document.render(look), status, call, output)
        }
    }
}
