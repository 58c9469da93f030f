//! `backlog`: the items that discovery and people put there, and people's decisions about them.

use super::format::Format;
use super::options::Global;
use super::output::Output;
use super::workspace;
use crate::app::backlog::{self, Decision, Filter};
use crate::app::workspace::Workspace;
use crate::error::{Error, Kind};
use crate::exit::ExitStatus;
use crate::report::backlog_list::BacklogDocument;
use crate::report::{backlog_export, backlog_item};

pub(super) mod args;

use args::{BacklogArgs, BacklogCommand};

pub(super) fn backlog(
    global: &Global,
    args: BacklogArgs,
    output: &Output,
) -> Result<ExitStatus, Error> {
    let Some(command) = args.command else {
        return list(&workspace(global, Vec::new())?, args.list, output);
    };
    let Filter { status, kind, resolved } = args.list;
    if status.is_some() || kind.is_some() || resolved {
        return Err(Error::new(
            Kind::Usage,
            "`--status`, `--type` and `--resolved` before a subcommand choose what `backlog` lists",
        )
        .hint("leave them out, or give them after the subcommand if it has them"));
    }
    let workspace = workspace(global, Vec::new())?;
    let decide = |ids: &[String], decision: Decision| {
        let document = backlog::decide(&workspace, ids, &decision)?;
        changed(&document, output)
    };
    match command {
        BacklogCommand::Show(args) => show(&workspace, &args.id, output),
        BacklogCommand::Accept(args) => decide(&args.items.ids, Decision::Accept(args.issue)),
        BacklogCommand::Reject(args) => decide(&args.items.ids, Decision::Reject(args.why)),
        BacklogCommand::Defer(args) => decide(&args.ids, Decision::Defer),
        BacklogCommand::Reopen(args) => decide(&args.ids, Decision::Reopen),
        BacklogCommand::Similar(args) => {
            let document = backlog::similar(&workspace, &args.id)?;
            output.either(&document, ExitStatus::Success, |look| document.render(look))
        }
        BacklogCommand::Add(new) => changed(&backlog::add(&workspace, &new)?, output),
        BacklogCommand::Edit(edit) => {
            if edit.title.is_none() && edit.description.is_none() {
                return Err(Error::new(Kind::Usage, "`backlog edit` was not told what to change")
                    .hint("give --title, --description or both"));
            }
            changed(&backlog::edit(&workspace, &edit)?, output)
        }
        BacklogCommand::Export => export(&workspace, output),
    }
}

fn list(workspace: &Workspace, filter: Filter, output: &Output) -> Result<ExitStatus, Error> {
    let document = backlog::list(workspace, filter)?;
    warn(&document, output);
    output.either(&document, ExitStatus::Success, |look| document.render(look))
}

fn show(workspace: &Workspace, id: &str, output: &Output) -> Result<ExitStatus, Error> {
    let document = backlog::show(workspace, id)?;
    warn(&document, output);
    output.either(&document, ExitStatus::Success, |look| {
        document.opportunities.iter().map(|item| backlog_item::render(item, look)).collect()
    })
}

fn changed(document: &BacklogDocument, output: &Output) -> Result<ExitStatus, Error> {
    warn(document, output);
    output.either(document, ExitStatus::Success, |_| document.render_changed())
}

fn export(workspace: &Workspace, output: &Output) -> Result<ExitStatus, Error> {
    let document = backlog::export(workspace)?;
    warn(&document, output);
    let items = &document.opportunities;
    if output.format() == Format::Csv {
        let text = backlog_export::csv(items).map_err(|error| {
            Error::new(Kind::Bug, "the backlog cannot be written as CSV").because(error)
        })?;
        return output.result(&text);
    }
    output.either(&document, ExitStatus::Success, |_| backlog_export::markdown(items))
}

/// Prints the warnings about the store's file. With `--json` they are part of the document.
fn warn(document: &BacklogDocument, output: &Output) {
    if !output.json() {
        for warning in &document.warnings {
            Output::warning(&warning.message);
        }
    }
}
