//! `mcp`: the server for AI assistants, and its registration with them.

use clap::{Args, Subcommand};

use super::options::Global;
use super::output::{Output, is_typed};
use super::{block_on, surroundings};
use crate::app::clients::{self, Request};
use crate::error::{Error, Kind};
use crate::exit::ExitStatus;
use crate::mcp;
use crate::report::clients::ClientChange;

/// The notice for a person who starts the server by hand.
const TYPED: &str = "this is the MCP server: it waits for JSON-RPC from an AI assistant. `debate-agent mcp install claude` \
has Claude Code start it, `debate-agent mcp --help` names the others; Ctrl-C or Ctrl-D ends it";

#[derive(Debug, Args)]
#[command(after_long_help = "\
Without a subcommand it serves, so that a client may be given just `debate-agent mcp`.

Examples:
  debate-agent mcp serve              what a client starts; it speaks MCP on
                                      standard input and output
  debate-agent mcp serve --rehearse   the same for free: built-in stand-ins
                                      answer instead of the AI CLIs
  debate-agent mcp install claude     make Claude Code start it")]
pub(crate) struct McpArgs {
    #[command(subcommand)]
    pub(crate) command: Option<McpCommand>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum McpCommand {
    /// Serve the client on standard input and output, until it disconnects.
    Serve(ServeArgs),
    /// Register the server with a client, by the client's own command; for one without, print what to write.
    #[command(after_long_help = INSTALL)]
    Install(Request),
    /// Remove the registration, likewise.
    Uninstall(Request),
}

const INSTALL: &str = "\
claude, codex, gemini and vscode are registered by their own commands, and have their own to show what is
registered (`claude mcp list`). No file of another program is edited.

Examples:
  debate-agent mcp install claude --dry-run
  debate-agent mcp install cursor --scope project";

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
        Some(McpCommand::Install(which)) => {
            let around = surroundings(global)?;
            changed(&block_on(clients::install(&around, which))??, output)
        }
        Some(McpCommand::Uninstall(which)) => {
            let around = surroundings(global)?;
            changed(&block_on(clients::uninstall(&around, which))??, output)
        }
    }
}

fn changed(done: &ClientChange, output: &Output) -> Result<ExitStatus, Error> {
    output.either(done, ExitStatus::Success, |_| done.text())
}

fn serve(global: &Global, args: &ServeArgs, output: &Output) -> Result<ExitStatus, Error> {
    if output.json() {
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
