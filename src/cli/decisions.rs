//! `decisions`: the project's log of decisions.

use clap::{Args, Subcommand};

use super::format::Format;
use super::options::Global;
use super::output::Output;
use super::{block_on, workspace};
use crate::app::decisions::{self, Manual, Marks};
use crate::app::sessions::SESSION;
use crate::error::{Error, Kind};
use crate::exit::ExitStatus;
use crate::report::page::ToPage as _;

#[derive(Debug, Subcommand)]
pub(crate) enum DecisionsCommand {
    /// List what was decided, oldest first.
    List(ListArgs),
    /// Log what a debate decided, or what you decided yourself.
    Add(AddArgs),
}

#[derive(Debug, Args)]
pub(crate) struct ListArgs {
    /// Only those with this tag.
    #[arg(long, value_name = "TAG")]
    pub(crate) tag: Option<String>,
}

#[derive(Debug, Args)]
#[command(after_long_help = "\
A debate whose agents agree logs itself. This logs a debate that they agree on in part, or
that an expert or a judge decided, as confirmed by you; or, with --manual, a decision without
a debate. A rehearsal, or a debate that decided nothing, is refused.

The log is .debate/decisions.json; .debate/decisions.md is generated from it.

Examples:
  debate-agent decisions add 0199a3c2 --tags api,transport
  debate-agent decisions add --manual --title 'Transport' --decision 'gRPC inside' \\
      --reason 'Latency' --alternatives 'REST,GraphQL' --priority high")]
pub(crate) struct AddArgs {
    /// The debate's session: its id, the beginning of it, or `@last`.
    #[arg(value_name = SESSION, conflicts_with = "manual")]
    pub(crate) session: Option<String>,
    /// Log a decision without a debate.
    #[arg(long, requires_all = ["title", "decision"])]
    pub(crate) manual: bool,
    /// What it is about.
    #[arg(long, value_name = "TEXT", requires = "manual")]
    pub(crate) title: Option<String>,
    /// What was decided.
    #[arg(long, value_name = "TEXT", requires = "manual")]
    pub(crate) decision: Option<String>,
    /// Why.
    #[arg(long, value_name = "TEXT", requires = "manual")]
    pub(crate) reason: Option<String>,
    /// The alternatives, separated by commas; can be repeated.
    #[arg(long, value_name = "A,B", value_delimiter = ',', requires = "manual")]
    pub(crate) alternatives: Vec<String>,
    #[command(flatten)]
    pub(crate) marks: Marks,
}

pub(super) fn decisions(
    global: &Global,
    command: DecisionsCommand,
    output: &Output,
) -> Result<ExitStatus, Error> {
    let workspace = workspace(global, Vec::new())?;
    let args = match command {
        DecisionsCommand::List(args) => {
            let all = decisions::list(&workspace)?;
            let (some, log) = match &args.tag {
                Some(tag) => (!all.decisions.is_empty(), all.tagged(tag)),
                None => (false, all),
            };
            return match output.format() {
                Format::Markdown => output.result(&log.markdown()),
                Format::Text if some && log.decisions.is_empty() => {
                    output.result("No decision has this tag.\n")
                }
                _ => output.either(&log, ExitStatus::Success, |look| log.render(look)),
            };
        }
        DecisionsCommand::Add(args) => args,
    };
    let marks = args.marks;
    let given = (args.manual, args.title, args.decision);
    let document = if let Some(session) = args.session {
        block_on(decisions::add_session(&workspace, &session, &marks))??
    } else if let (true, Some(title), Some(decision)) = given {
        let manual = Manual {
            title,
            decision,
            reason: args.reason.unwrap_or_default(),
            alternatives: args.alternatives,
            marks,
        };
        decisions::manual(&workspace, &manual)?
    } else {
        return Err(Error::new(Kind::Usage, "nothing to log was named")
            .hint("name a debate's session: `debate-agent sessions list` shows them")
            .hint("without a debate: `debate-agent decisions add --manual --title TITLE --decision TEXT`"));
    };
    output.either(&document, ExitStatus::Success, |_| document.render())
}
