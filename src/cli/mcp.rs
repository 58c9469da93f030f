//! `mcp`: the server for AI assistants, and its registration with them.

use clap::{Args, Subcommand};

use super::options::Global;
use super::output::{Output, is_typed};
use super::word::{some, word};
use super::{block_on, surroundings};
use crate::app::clients::{self, Request};
use crate::error::{Error, Kind};
use crate::exit::ExitStatus;
use crate::mcp;
use crate::report;
use crate::report::clients::{Client, ClientChange, Scope};

/// The notice for a person who starts the server by hand.
const TYPED: &str = "this is the MCP server: it waits for JSON-RPC from an AI assistant. `debate-agent mcp install claude` \
has Claude Code start it, `debate-agent mcp --help` names the others; Ctrl-C or Ctrl-D ends it";

#[derive(Debug, Args)]
#[command(after_help = "\
Without a subcommand it serves, so that a client may be given just `debate-agent mcp`.

Examples:
  debate-agent mcp serve              what a client starts; it speaks MCP on
                                      standard input and output
  debate-agent mcp serve --rehearse   the same for free: built-in stand-ins
                                      answer instead of the AI CLIs
  debate-agent mcp install claude     make Claude Code start it
  debate-agent mcp status             where it is registered, and whether it
                                      answers")]
pub(crate) struct McpArgs {
    #[command(subcommand)]
    pub(crate) command: Option<McpCommand>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum McpCommand {
    /// Serve the client on standard input and output, until it disconnects.
    Serve(ServeArgs),
    /// Register the server with a client: by its own command, else by a careful edit of its file.
    Install(InstallArgs),
    /// Remove the registration.
    Uninstall(UninstallArgs),
    /// Show where the server is registered, and start it there to see whether it answers.
    Status(StatusArgs),
}

/// The scopes of a registration that can be written.
const SCOPES: [(Scope, &str); 2] = [
    (Scope::User, "For you, wherever the client runs"),
    (Scope::Project, "For everybody in this project: the file is in it"),
];

/// Which registration is meant.
#[derive(Debug, Args)]
pub(crate) struct WhichArgs {
    /// The client.
    #[arg(value_parser = word::<Client>())]
    pub(crate) client: Client,
    /// Who it applies to.
    #[arg(long, default_value = "user", value_parser = some(&SCOPES))]
    pub(crate) scope: Scope,
    /// The server's name there (default: debate-agent).
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// Show the command that would be run or the diff of the file, and do nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
claude, codex, gemini and vscode (for the user) are registered by their own commands;
for the others, the file is edited: comments and order stay, a backup is kept.
An entry of the same name that starts something else is never overwritten
without --force.

Examples:
  debate-agent mcp install claude --dry-run
  debate-agent mcp install cursor --scope project")]
pub(crate) struct InstallArgs {
    #[command(flatten)]
    pub(crate) which: WhichArgs,
    /// Replace another entry of that name; a backup of the file is kept.
    #[arg(long)]
    pub(crate) force: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  debate-agent mcp uninstall claude
  debate-agent mcp uninstall cursor --scope project --dry-run")]
pub(crate) struct UninstallArgs {
    #[command(flatten)]
    pub(crate) which: WhichArgs,
    /// Remove the entry even if it starts another program.
    #[arg(long)]
    pub(crate) force: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
The files of the clients are read; no client is started. What your own files
register is started, asked for its tools, and ended. What a file of this project
registers is started only if it is this very program with the usual arguments.

Exit code 1: something that is registered does not answer, or a file cannot be
read.")]
pub(crate) struct StatusArgs {
    /// Also start what a file of this project registers, whatever it is.
    #[arg(long)]
    pub(crate) probe: bool,
}

#[derive(Debug, Default, Args)]
pub(crate) struct ServeArgs {
    /// Let built-in stand-ins play every role: no agent is asked, nothing is spent.
    #[arg(long)]
    pub(crate) rehearse: bool,
}

pub(super) fn mcp(global: &Global, args: &McpArgs, output: &Output) -> Result<ExitStatus, Error> {
    match &args.command {
        None => serve(global, &ServeArgs::default(), output),
        Some(McpCommand::Serve(args)) => serve(global, args, output),
        Some(McpCommand::Install(args)) => install(global, args, output),
        Some(McpCommand::Uninstall(args)) => uninstall(global, args, output),
        Some(McpCommand::Status(args)) => status(global, args, output),
    }
}

/// The request for the arguments of either command.
fn request(which: &WhichArgs, force: bool) -> Request {
    Request {
        client: which.client,
        scope: which.scope,
        name: which.name.clone(),
        force,
        dry_run: which.dry_run,
    }
}

fn install(global: &Global, args: &InstallArgs, output: &Output) -> Result<ExitStatus, Error> {
    let request = request(&args.which, args.force);
    let around = surroundings(global)?;
    changed(&block_on(clients::install(&around, &request))??, output)
}

fn uninstall(global: &Global, args: &UninstallArgs, output: &Output) -> Result<ExitStatus, Error> {
    let request = request(&args.which, args.force);
    let around = surroundings(global)?;
    changed(&block_on(clients::uninstall(&around, &request))??, output)
}

fn changed(done: &ClientChange, output: &Output) -> Result<ExitStatus, Error> {
    output.either(done, ExitStatus::Success, |_| report::clients::change(done))
}

fn status(global: &Global, args: &StatusArgs, output: &Output) -> Result<ExitStatus, Error> {
    let around = surroundings(global)?;
    let found = block_on(clients::status(&around, args.probe))??;
    let status = if found.well { ExitStatus::Success } else { ExitStatus::Negative };
    output.either(&found, status, |_| report::clients::status(&found))
}

fn serve(global: &Global, args: &ServeArgs, output: &Output) -> Result<ExitStatus, Error> {
    if output.json {
        return Err(Error::new(
            Kind::Usage,
            "`mcp serve` speaks MCP on standard output, which has no other form",
        )
        .hint("leave --json out"));
    }
    let around = surroundings(global)?;
    if is_typed() {
        output.notice(TYPED);
    }
    mcp::serve(around, args.rehearse)
}
