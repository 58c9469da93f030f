//! `sessions`: what the project's stored debates are, and what can be done with them.

use std::fmt::Write as _;
use std::rc::Rc;

use super::args::{ExportFormat, ResumeArgs, SessionsCommand};
use super::debate;
use super::hold;
use super::options::Global;
use super::output::Output;
use super::{block_on, run, workspace};
use crate::app::documents::GcDocument;
use crate::app::sessions::SyncRequest;
use crate::app::sessions::{self, GcReport, ResumeRequest};
use crate::app::topic;
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
            if output.json {
                return output.document(&document, ExitStatus::Success);
            }
            output.result(&document.render(output.look()))
        }
        SessionsCommand::Show(args) => {
            let document = block_on(sessions::show(&workspace, &args.id))??;
            if output.json {
                return output.document(&document, ExitStatus::Success);
            }
            output.result(&document.render(output.look()))
        }
        SessionsCommand::Status(args) => {
            let document = block_on(sessions::status(&workspace, &args.id))??;
            if output.json {
                return output.document(&document, ExitStatus::Success);
            }
            output.result(&document.render(output.look()))
        }
        SessionsCommand::Terminate(args) => {
            let document = block_on(sessions::terminate(&workspace, &args.id))??;
            if output.json {
                return output.document(&document, ExitStatus::Success);
            }
            output.result(&document.render(output.look()))
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
            if output.json {
                return output.document(&document, status);
            }
            output.result_as(&document.render(output.look()), status)
        }
        SessionsCommand::Gc(args) => {
            let report = sessions::gc(&workspace, args.older_than, args.dry_run)?;
            gc(&report, args.dry_run, output)
        }
        SessionsCommand::Resume(_) => Err(Error::new(Kind::Bug, "resume was handled above")),
    }
}

fn resume(global: &Global, args: ResumeArgs, output: &Output) -> Result<ExitStatus, Error> {
    hold::one_stdout(&args.run.hold.call, output)?;
    for (given, name) in [
        (args.run.hold.call.rehearse, "--rehearse"),
        (args.run.hold.strict, "--strict"),
        (args.run.hold.call.salvage, "--salvage"),
        (args.run.allow_same_vendor, "--allow-same-vendor"),
    ] {
        if given {
            return Err(Error::new(
                Kind::Usage,
                format!("`{name}` cannot be given to a resume: the session goes on under the rules it was opened with"),
            )
            .hint("leave it out, or start a new debate"));
        }
    }
    let mut workspace = workspace(global, run::flags(&args.run)?)?;
    if args.run.hold.call.dry_run {
        let document = match args.from_round {
            Some(round) => block_on(sessions::preview(&workspace, &args.id, round))??,
            None => block_on(sessions::status(&workspace, &args.id))??,
        };
        return if output.json {
            output.document(&document, ExitStatus::Success)
        } else {
            output.result(&document.render(output.look()))
        };
    }
    let request = ResumeRequest {
        id: args.id,
        from_round: args.from_round,
        budget: args.run.hold.call.budget,
        accept_drift: args.accept_drift,
        options: run::options(&args.run),
    };
    let file = debate::words(&workspace, args.arguments.as_deref())?;
    let file = (file.as_ref()).map(|(name, bytes)| (name.as_str(), &bytes[..]));
    let person =
        topic::person_again(&workspace, &request.id, request.from_round, file, debate::terminal())?;
    if let Some(person) = person {
        workspace = workspace.with_person(Rc::new(person));
    }
    let finished = run::with_trust(&workspace, &request.options, || {
        let reporters = run::reporters(&workspace, &args.run.hold.call, None, output)?;
        block_on(sessions::resume(&workspace, &request, reporters))?
    })?;
    let status = finished.status.with_exit_zero(args.run.hold.exit_zero);
    let mut result = finished.document;
    // What is decided after a resume is a decision like any other.
    let first = (result.document_mut::<DebateDocument>())
        .map(|document| debate::log_first(&workspace, document, false, output));
    let call = &args.run.hold.call;
    let shown = hold::show(&result, |look| result.render(look), status, call, output);
    match (result.document_mut::<DebateDocument>(), first) {
        (Some(document), Some(first)) => debate::logged(&workspace, document, first, output, shown),
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
