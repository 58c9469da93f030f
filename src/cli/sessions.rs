//! `sessions`: the project's stored debates and the operations on them.

use std::fmt::Write as _;
use std::io::{IsTerminal as _, Write as _};
use std::path::Path;

use super::args::{ResumeArgs, SessionsCommand, ShowArgs};
use super::debate;
use super::format::Format;
use super::options::Global;
use super::output::{Output, can_ask, confirm};
use super::result;
use super::session::{Session, output_file};
use super::{below, block_on, surroundings, workspace};
use crate::app::documents::GcDocument;
use crate::app::sessions::{self, GcReport, ResumeRequest};
use crate::app::workspace::Workspace;
use crate::app::{Caller, Input, UseCase as _};
use crate::config::schema::OpenPage;
use crate::error::{Error, Kind};
use crate::exit::ExitStatus;
use crate::process;
use crate::report::debate::DebateDocument;
use crate::report::short_id;
use crate::text::sanitize;

/// Maximum number of ids that a shell is offered.
const COMPLETED: usize = 50;

pub(super) fn sessions(
    global: &Global,
    command: SessionsCommand,
    output: &Output,
) -> Result<ExitStatus, Error> {
    if let SessionsCommand::Resume(args) = command {
        return resume(global, args, output);
    }
    let workspace = workspace(global, Vec::new())?;
    output.configure(&workspace);
    match command {
        SessionsCommand::List => {
            let document = sessions::list(&workspace)?;
            let now = workspace.env().now();
            output.either(&document, ExitStatus::Success, |look| document.render(look, now))
        }
        SessionsCommand::Show(args) => show(&workspace, &args, global.format, output),
        SessionsCommand::Diff { session, other } => {
            let document = block_on(sessions::diff(&workspace, &session.id, &other))??;
            let text = |look| document.render(look, result::SHOW_ROWS);
            output.either(&document, ExitStatus::Success, text)
        }
        SessionsCommand::Open(args) => open(&workspace, &args.id, output),
        SessionsCommand::Watch(args) => {
            let reporters = vec![output.reporter()];
            let ended = block_on(sessions::watch(&workspace, &args.id, reporters))??;
            let text =
                result::written(&*ended.document, &workspace, output, Some(result::RUN_ROWS))?;
            output.result_as(&text, ended.status)
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
            let finished = block_on(sessions::decide(&workspace, &args.id))??;
            let rows = Some(result::SHOW_ROWS);
            let text = result::written(&*finished.document, &workspace, output, rows)?;
            if output.format() == Format::Text {
                let set = global.set.join(", ");
                output.notice(&format!("with {set} (nothing was asked, nothing was changed):"));
            }
            output.result_as(&text, finished.status)
        }
        SessionsCommand::Sync(request) => {
            let document = block_on(sessions::sync(&workspace, &request))??;
            let status = match document.pending {
                0 => ExitStatus::Success,
                _ => ExitStatus::State,
            };
            output.either(&document, status, |look| document.render(look))
        }
        SessionsCommand::Verify(request) => {
            let document = sessions::verify(&workspace, &request)?;
            output.either(&document, document.status(), |look| document.render(look))
        }
        SessionsCommand::Ids => {
            let newest = sessions::page(&workspace, None, COMPLETED)?.sessions;
            let ids = newest.iter().map(|session| short_id(&session.session_id) + "\n");
            output.result(&("@last\n".to_owned() + &ids.collect::<String>()))
        }
        SessionsCommand::Gc(args) => {
            let report = sessions::gc(&workspace, args.older_than, args.dry_run)?;
            gc(&report, args.dry_run, output)
        }
        SessionsCommand::Resume(_) => Err(Error::new(Kind::Bug, "resume was handled above")),
    }
}

/// Shows what the stored sessions say of each agent.
pub(super) fn standing(global: &Global, output: &Output) -> Result<ExitStatus, Error> {
    let workspace = workspace(global, Vec::new())?;
    output.configure(&workspace);
    let document = block_on(crate::app::standing::standing(&workspace))??;
    output.either(&document, ExitStatus::Success, |look| document.render(look))
}

/// Writes a session's page; at a terminal the browser shows it.
fn open(workspace: &Workspace, id: &str, output: &Output) -> Result<ExitStatus, Error> {
    let path = block_on(sessions::write_page(workspace, id))??;
    if can_ask() {
        browse(workspace, &path);
    }
    output.result(&(sanitize::terminal(&path.display().to_string()) + "\n"))
}

/// Opens the page of a run that ended, where the configuration says so and a person is there.
pub(super) fn offer_page(workspace: &Workspace, id: &str) -> Result<(), Error> {
    let wanted = match workspace.effective.config.report.open {
        OpenPage::Never => false,
        OpenPage::Ask => confirm("Open the page in the browser?"),
        OpenPage::Always => can_ask(),
    };
    if wanted {
        browse(workspace, &block_on(sessions::write_page(workspace, id))??);
    }
    Ok(())
}

fn browse(workspace: &Workspace, page: &Path) {
    let usual = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let browser = workspace.around.var("BROWSER").filter(|name| !name.is_empty()).unwrap_or(usual);
    if let Err(error) = process::leave(browser.as_ref(), page.as_os_str()) {
        Output::warning(&format!("no browser was started: {browser}: {error}"));
    }
}

/// Prints a session's result, or writes it into a file.
fn show(
    workspace: &Workspace,
    args: &ShowArgs,
    named: Option<Format>,
    output: &Output,
) -> Result<ExitStatus, Error> {
    let (id, part) = (&args.session.id, &args.part);
    let bytes = match output.format() {
        Format::Transcript if part.raw => {
            let answer = sessions::raw_answer(workspace, id, part)?;
            let is_seen = args.output.is_none() && std::io::stdout().is_terminal();
            let text = || sanitize::terminal(&String::from_utf8_lossy(&answer)).into_bytes();
            if is_seen { text() } else { answer }
        }
        // Also of a session whose result cannot be shown.
        Format::Transcript => sessions::transcript(workspace, id, Some(part))?.into_bytes(),
        Format::Json if !part.raw && (part.is_some() || named == Some(Format::Transcript)) => {
            Output::json_of(&sessions::transcript_document(workspace, id, part)?)?.into_bytes()
        }
        _ if part.is_some() => {
            let what = "`--turn`, `--seat` and `--raw` are of a transcript";
            let hint = "add `--format transcript`; `--raw` is without `--json`";
            return Err(Error::new(Kind::Usage, what).hint(hint));
        }
        _ => {
            let document = block_on(sessions::show(workspace, id))??;
            let rows = (!args.full).then_some(result::SHOW_ROWS);
            result::written(&*document, workspace, output, rows)?.into_bytes()
        }
    };
    let Some(path) = &args.output else {
        return output.bytes(&bytes, ExitStatus::Success);
    };
    let path = below(workspace, path);
    output_file(workspace, &path).and_then(|mut file| file.write_all(&bytes)).map_err(|error| {
        Error::new(Kind::State, format!("failed to write {}", path.display())).because(error)
    })?;
    output.notice(&format!("wrote {}", path.display()));
    Ok(ExitStatus::Success)
}

fn resume(global: &Global, args: ResumeArgs, output: &Output) -> Result<ExitStatus, Error> {
    result::one_stdout(&args.run.call, output)?;
    if args.run.options.rehearse {
        let what = "`--rehearse` cannot be given to a resume: the session continues under the rules it was opened with";
        return Err(Error::new(Kind::Usage, what).hint("leave it out, or start a new debate"));
    }
    let mut request = ResumeRequest {
        id: args.session.id,
        from_round: args.from_round,
        budget: args.run.options.budget,
        accept_drift: args.accept_drift,
        arguments: args.arguments.map(Input::File),
        options: args.run.options()?,
    };
    let call = &args.run.call;
    if call.dry_run {
        let workspace = workspace(global, request.flags(Caller::CommandLine))?;
        let document = match request.from_round {
            Some(round) => block_on(sessions::preview(&workspace, &request.id, round))??,
            None => block_on(sessions::status(&workspace, &request.id))??,
        };
        return output.either(&document, ExitStatus::Success, |look| document.render(look));
    }
    let session = Session::open(surroundings(global)?, request, call, output)?;
    let finished = session.run()?;
    let workspace = &session.workspace;
    let status = finished.status;
    let mut result = finished.document;
    // A decision made after a resume is logged like any other.
    let first = (result.document_mut::<DebateDocument>())
        .map(|document| debate::log_first(workspace, document, output));
    let shown = result::print(&*result, status, workspace, call, output);
    match (result.document_mut::<DebateDocument>(), first) {
        (Some(document), Some(first)) => debate::logged(workspace, document, first, output, shown),
        _ => shown,
    }
}

fn gc(report: &GcReport, dry_run: bool, output: &Output) -> Result<ExitStatus, Error> {
    let bytes: u64 = report.removed.iter().map(|removal| removal.bytes).sum();
    if output.json() {
        return output.document(&GcDocument::new(report, dry_run), ExitStatus::Success);
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
    output.result(&sanitize::terminal(&text))
}
