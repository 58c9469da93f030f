//! `mcp`: the server for AI assistants.

use clap::{Args, Subcommand};

use super::options::Global;
use super::output::Output;
use super::surroundings;
use crate::error::{Error, Kind};
use crate::exit::ExitStatus;
use crate::mcp;

#[derive(Debug, Args)]
#[command(after_help = "\
Without a subcommand it serves, so that a client may be given just `debate-agent mcp`.

Examples:
  debate-agent mcp serve              what a client starts; it speaks MCP on
                                      standard input and output
  debate-agent mcp serve --rehearse   the same for nothing: built-in stand-ins
                                      answer instead of the AI CLIs")]
pub(crate) struct McpArgs {
    #[command(subcommand)]
    pub(crate) command: Option<McpCommand>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum McpCommand {
    /// Serve the client at standard input and output, until it goes away.
    Serve(ServeArgs),
}

#[derive(Debug, Default, Args)]
pub(crate) struct ServeArgs {
    /// Let built-in stand-ins play everything: no agent is asked, nothing is spent.
    #[arg(long)]
    pub(crate) rehearse: bool,
}

pub(super) fn mcp(global: &Global, args: &McpArgs, output: &Output) -> Result<ExitStatus, Error> {
    match &args.command {
        None => serve(global, &ServeArgs::default(), output),
        Some(McpCommand::Serve(args)) => serve(global, args, output),
    }
}

fn serve(global: &Global, args: &ServeArgs, output: &Output) -> Result<ExitStatus, Error> {
    if output.json {
        return Err(Error::new(
            Kind::Usage,
            "`mcp serve` speaks MCP on standard output, which has no other form",
        )
        .hint("leave --json out"));
    }
    mcp::serve(surroundings(global)?, args.rehearse)
}
