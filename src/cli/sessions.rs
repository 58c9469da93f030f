//! `sessions`: the project's stored debates and the operations on them.

use std::fmt::Write as _;
use std::rc::Rc;

use super::args::{ExportFormat, ResumeArgs, SessionsCommand};
use super::debate;
use super::options::Global;
use super::output::Output;
use super::result;
use super::session::Session;
use super::{block_on, surroundings, workspace};
use crate::app::documents::GcDocument;
use crate::app::sessions::SyncRequest;
use crate::app::sessions::{self, GcReport, ResumeRequest};
use crate::app::{Caller, Input, UseCase as _, planning, topic};
use crate::error::{Error, Kind};
use crate::exit::ExitStatus;
use crate::report::debate::DebateDocument;
use crate::report::short_id;

pub(super) fn sessions(
    global: &Global,
    command: SessionsCommand,
    output: &Output,
) -> Result<ExitStatus, Error> {
    if let SessionsCommand::Resume(args) = command {
        return resume(global, args, output);
    }
    let workspace = workspace(global, Vec::new())?;
    match command {
        SessionsCommand::List => {
            let document = sessions::list(&workspace)?;
            output.either(&document, ExitStatus::Success, |look| document.render(look))
        }
        SessionsCommand::Show(args) => {
            let document = block_on(sessions::show(&workspace, &args.id))??;
            output.either(&document, ExitStatus::Success, |look| document.render(look))
        }
        SessionsCommand::Status(args) => {
            let document = block_on(sessions::status(&workspace, &args.id))??;
            output.either(&document, ExitStatus::Success, |look| document.render(look))
        }
        SessionsCommand::Terminate(args) => {
            let document = block_on(sessions::terminate(&workspace, &args.id))??;
            output.either(&document, ExitStatus::Success, |look| document.render(look))
        }
        SessionsCommand::Decide(args) => {
            let finished = block_on(sessions::decide(&workspace, &args.id, &args.set))??;
            if output.json {
                return output.document(&finished.document, finished.status);
            }
            output.notice(&format!(
                "with {} (nothing was asked, nothing was changed):",
                args.set.join(", ")
            ));
            output.result_as(&finished.document.render(output.look()), finished.status)
        }
        SessionsCommand::Export(args) => {
            let format = match (args.format, output.json) {
                (Some(ExportFormat::Md | ExportFormat::Transcript), true) => {
                    return Err(Error::new(
                        Kind::Usage,
                        "`--json` and a `--format` of Markdown ask for two formats",
                    )
                    .hint("leave one of them out"));
                }
                (Some(ExportFormat::Transcript), false) => {
                    return output.result(&sessions::transcript(&workspace, &args.id)?);
                }
                (Some(format), _) => format,
                (None, true) => ExportFormat::Json,
                (None, false) => ExportFormat::Md,
            };
            let document = block_on(sessions::show(&workspace, &args.id))??;
            if format == ExportFormat::Json {
                return output.document(&document, ExitStatus::Success);
            }
            output.result(&document.markdown())
        }
        SessionsCommand::Sync(args) => {
            let request = SyncRequest { id: args.id, all: args.all };
            let document = block_on(sessions::sync(&workspace, &request))??;
            let status = match document.pending {
                0 => ExitStatus::Success,
                _ => ExitStatus::State,
            };
            output.either(&document, status, |look| document.render(look))
        }
        SessionsCommand::Gc(args) => {
            let report = sessions::gc(&workspace, args.older_than, args.dry_run)?;
            gc(&report, args.dry_run, output)
        }
        SessionsCommand::Resume(_) => Err(Error::new(Kind::Bug, "resume was handled above")),
    }
}

fn resume(global: &Global, args: ResumeArgs, output: &Output) -> Result<ExitStatus, Error> {
    result::one_stdout(&args.run.run.call, output)?;
    for (given, name) in [
        (args.run.run.call.rehearse, "--rehearse"),
        (args.run.run.strict, "--strict"),
        (args.run.run.call.salvage, "--salvage"),
        (args.run.allow_same_vendor, "--allow-same-vendor"),
    ] {
        if given {
            return Err(Error::new(
                Kind::Usage,
                format!("`{name}` cannot be given to a resume: the session continues under the rules it was opened with"),
            )
            .hint("leave it out, or start a new debate"));
        }
    }
    let mut request = ResumeRequest {
        id: args.id,
        from_round: args.from_round,
        budget: args.run.run.call.budget,
        accept_drift: args.accept_drift,
        arguments: args.arguments.map(Input::File),
        options: args.run.options()?,
    };
    let call = &args.run.run.call;
    if call.dry_run {
        let workspace = workspace(global, request.flags(Caller::CommandLine))?;
        let document = match request.from_round {
            Some(round) => block_on(sessions::preview(&workspace, &request.id, round))??,
            None => block_on(sessions::status(&workspace, &request.id))??,
        };
        return output.either(&document, ExitStatus::Success, |look| document.render(look));
    }
    let mut session = Session::open(surroundings(global)?, request, call, output)?;
    let (here, request) = (&session.workspace, &session.request);
    let person = match topic::person_again(here, request, debate::terminal())? {
        None => planning::person_again(here, request, debate::terminal())?,
        person => person,
    };
    if let Some(person) = person {
        session.workspace = session.workspace.with_person(Rc::new(person));
    }
    let finished = session.run()?;
    let workspace = &session.workspace;
    let status = finished.status.with_exit_zero(args.run.run.exit_zero);
    let mut result = finished.document;
    // A decision made after a resume is logged like any other.
    let first = (result.document_mut::<DebateDocument>())
        .map(|document| debate::log_first(workspace, document, false, output));
    let shown = result::show(&result, |look| result.render(look), status, call, output);
    match (result.document_mut::<DebateDocument>(), first) {
        (Some(document), Some(first)) => debate::logged(workspace, document, first, output, shown),
        _ => shown,
    }
}

fn gc(report: &GcReport, dry_run: bool, output: &Output) -> Result<ExitStatus, Error> {
    let bytes: u64 = report.removed.iter().map(|removal| removal.bytes).sum();
    if output.json {
        let document = GcDocument::new(report, dry_run);
        return output.document(&document, ExitStatus::Success);
    }
    let mut text = String::new();
    for removal in &report.removed {
        // Writing to a String cannot fail.
        writeln!(text, "{}  {}", removal.path.display(), removal.why).ok();
    }
    let verb = if dry_run { "would remove" } else { "removed" };
    writeln!(text, "{verb} {} files or folders, {bytes} bytes", report.removed.len()).ok();
    for (id, why) in &report.kept {
        writeln!(text, "kept {}: {why}", short_id(id)).ok();
    }
    output.result(&crate::text::sanitize::terminal(&text))
}
