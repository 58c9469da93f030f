//! The command line: arguments to requests, results to text. No logic of debates lives here.
//!
//! Standard output carries the result and nothing else; progress, warnings and
//! errors go to standard error. A closed standard output is success.

mod args;
mod backlog;
mod change;
mod debate;
mod decisions;
mod discover;
mod discuss;
mod dismiss;
mod hold;
mod mcp;
mod options;
mod outline;
mod output;
mod plan;
mod review;
mod run;
mod sessions;
mod setup;
mod triage;

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{CommandFactory as _, Parser as _};

use crate::app::block_on;
use crate::app::workspace::{Surroundings, Workspace};
use crate::config::load::Flag;
use crate::error::{Error, Kind};
use crate::exit::ExitStatus;
use args::{Cli, Command};
use options::Global;
use output::Output;

/// The hidden argument that makes this binary play a role of a rehearsal.
const REHEARSE: &str = "__rehearse";

/// Runs the program.
pub fn main() -> ExitCode {
    let args: Vec<OsString> = std::env::args_os().collect();
    if args.get(1).is_some_and(|first| first == REHEARSE) {
        return output::rehearse(io::stdin().lock(), io::stdout().lock()).into();
    }
    let cli = match Cli::try_parse_from(&args) {
        Ok(cli) => cli,
        Err(error) => return output::usage(&error, asks_for_json(&args)).into(),
    };
    crate::app::begin();
    let mut output = Output::new(&cli.global);
    output.json |= cli.command.prints_json();
    let status = match dispatch(cli, &output) {
        Ok(status) => status,
        Err(error) if error.code == "closed_pipe" => ExitStatus::Success,
        Err(error) => output.error(&error),
    };
    status.into()
}

/// Whether arguments that clap could not read ask for JSON: then the error is JSON as well.
fn asks_for_json(args: &[OsString]) -> bool {
    let apart = args.windows(2);
    let mut apart = apart.filter(|pair| pair[0] == "--format" && pair[1] == "json");
    let mut whole = args.iter();
    whole.any(|arg| arg == "--json" || arg == "--format=json") || apart.next().is_some()
}

fn dispatch(cli: Cli, output: &Output) -> Result<ExitStatus, Error> {
    let global = cli.global;
    match cli.command {
        Command::Discover(args) => discover::discover(&global, &args, output),
        Command::Diff(args) => change::diff(&global, &args, output),
        Command::Prioritize(args) => run::prioritize(&global, &args, output),
        Command::Run(args) => run::run_agent(&global, args, output),
        Command::Review(args) => review::review(&global, &args, output),
        Command::Plan(args) => plan::plan(&global, &args, output),
        Command::Debate(args) => debate::debate(&global, &args, output),
        Command::Discuss(args) => discuss::discuss(&global, &args, output),
        Command::Backlog(args) => backlog::backlog(&global, args, output),
        Command::Outline(args) => outline::outline(&global, args, output),
        Command::Decisions(command) => decisions::decisions(&global, command, output),
        Command::Sessions(command) => sessions::sessions(&global, command, output),
        Command::Mcp(args) => mcp::mcp(&global, &args, output),
        Command::Init(args) => setup::init(&global, &args, output),
        Command::Doctor(args) => setup::doctor(&global, &args, output),
        Command::Agents => setup::agents(&global, output),
        Command::Skills(command) => setup::skills(&global, command, output),
        Command::Config(command) => setup::config(&global, command, output),
        Command::Trust(args) => setup::trust(&global, &args, output),
        Command::Schema(args) => setup::schema(&args, output),
        Command::Completions { .. } if output.json => Err(Error::new(
            Kind::Usage,
            "`completions` prints a script, which has no JSON form",
        )
        .hint("leave --json out")),
        Command::Completions { shell } => {
            let mut bytes = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "debate-agent", &mut bytes);
            output.result(&String::from_utf8_lossy(&bytes))
        }
        Command::Man { dir } => setup::man(&global, &dir, output),
    }
}

/// Reads where and as whom the program was started.
fn surroundings(global: &Global) -> Result<Surroundings, Error> {
    Surroundings::here(global.dir.as_deref(), global.config.as_deref())
}

/// Reads the configuration, with what the command line sets above it.
fn workspace(global: &Global, flags: Vec<Flag>) -> Result<Workspace, Error> {
    Workspace::open(surroundings(global)?, flags)
}

/// A path below the directory that `--dir` names.
fn below(workspace: &Workspace, path: &std::path::Path) -> PathBuf {
    workspace.around.dir.join(path)
}
