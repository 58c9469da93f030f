//! The command line: arguments to requests, results to text. It contains no logic of debates.
//!
//! Standard output carries the result and nothing else; progress, warnings and errors go to standard error. A closed
//! standard output is success.

mod args;
mod backlog;
mod change;
mod completions;
mod debate;
mod decisions;
mod discover;
mod dismiss;
mod eval;
mod format;
mod hints;
mod hook;
mod installed;
mod mcp;
mod options;
mod outline;
mod output;
mod proof;
mod result;
mod review;
mod run;
mod session;
mod sessions;
mod setup;
mod triage;

use std::ffi::{OsStr, OsString};
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;
use std::thread;

use clap::error::ErrorKind;

use crate::app::block_on;
use crate::app::workspace::{StartContext, Workspace};
use crate::config::load::Flag;
use crate::env::Env;
use crate::error::{Error, Kind};
use crate::exit::ExitStatus;
pub use args::command;
use args::{Cli, Command};
use options::Global;
use output::Output;

/// The hidden argument that makes this binary play a role of a rehearsal.
const REHEARSE: &str = "__rehearse";

/// The stack size of the program's thread, in bytes: `ulimit -s` is set with other programs in mind, and a stack
/// overflow cannot be reported as an error.
const STACK: usize = 8 << 20;

/// Plays a role of a rehearsal, if that is what the first argument of this process says.
pub(crate) fn stand_in(first: &OsStr) -> Option<ExitCode> {
    (first == REHEARSE)
        .then(|| on_own_stack(|| output::rehearse(io::stdin().lock(), io::stdout().lock())).into())
}

/// Runs the program with the arguments of this process.
pub fn main(env: Env) -> ExitCode {
    on_own_stack(move || run_program(env)).into()
}

/// Runs the program on a thread with enough stack. A panic, which is a bug, ends with the code for bugs.
fn on_own_stack(program: impl FnOnce() -> ExitStatus + Clone + Send + 'static) -> ExitStatus {
    match thread::Builder::new().stack_size(STACK).spawn(program.clone()) {
        Ok(program) => program.join().unwrap_or_else(|_| {
            Output::beside(
                "error: this is a bug in debate-agent, please report it with the lines above",
            );
            ExitStatus::Bug
        }),
        // No room for another thread or stack: run on the present one.
        Err(_) => program(),
    }
}

fn run_program(env: Env) -> ExitStatus {
    let mut args: Vec<OsString> = std::env::args_os().collect();
    if args.len() == 1 {
        args.push("-h".into());
    }
    let mut cli = match args::parse(&args) {
        Ok(cli) => cli,
        Err(mut error) => {
            hints::add(&mut error);
            let status = output::usage(&error, asks_for_json(&args));
            let version = error.kind() == ErrorKind::DisplayVersion;
            if version && args.iter().any(|arg| arg == "--verbose") {
                io::stdout().write_all(installed::line().as_bytes()).ok();
            }
            return status;
        }
    };
    cli.global.env = env;
    let mut output = Output::new(&cli.global, format::offered(&cli.command));
    output.asked = match format::asked(&cli.global, &cli.command) {
        Ok(asked) => asked,
        Err(error) => return output.error(&error),
    };
    let abandoned = crate::app::begin();
    if abandoned > 0 {
        let processes = match abandoned {
            1 => "1 process".to_owned(),
            _ => format!("{abandoned} processes"),
        };
        output.notice(&format!(
            "! ended {processes} that an earlier run left behind: it and its guard were killed"
        ));
    }
    match dispatch(cli, &output) {
        Ok(status) => status,
        Err(error) if error.code == "closed_pipe" => ExitStatus::Success,
        Err(error) => output.error(&error),
    }
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
        Command::Plan(args) => session::run(&global, *args, output),
        Command::Debate(args) => debate::debate(&global, *args, output),
        Command::Discuss(args) => session::run(&global, *args, output),
        Command::Backlog(args) => backlog::backlog(&global, args, output),
        Command::Eval(args) => eval::eval(&global, &args, output),
        Command::Outline(args) => outline::outline(&global, args, output),
        Command::Decisions(command) => decisions::decisions(&global, command, output),
        Command::Sessions(command) => sessions::sessions(&global, command, output),
        Command::Standing => sessions::standing(&global, output),
        Command::Mcp(args) => mcp::mcp(&global, &args, output),
        Command::Hook(command) => hook::hook(&global, &command, output),
        Command::Init(args) => setup::init(&global, &args, output),
        Command::Doctor(args) => setup::doctor(&global, &args, output),
        Command::Agents => setup::agents(&global, output),
        Command::Skills(command) => setup::skills(&global, command, output),
        Command::Config(command) => setup::config(&global, command, output),
        Command::Trust(args) => setup::trust(&global, &args, output),
        Command::Schema(args) => setup::schema(&args, output),
        Command::Completions { .. } if output.json() => {
            Err(Error::new(Kind::Usage, "`completions` prints a script, which has no JSON form")
                .hint("leave --json out"))
        }
        Command::Completions { shell } => output.result(&completions::script(shell)),
        Command::Man { dir } => setup::man(&global, &dir, output),
    }
}

/// Reads the program's surroundings: its environment, directory and configuration file.
fn surroundings(global: &Global) -> Result<StartContext, Error> {
    StartContext::here(global.env.clone(), global.config.as_deref(), &global.set)
}

/// Opens the workspace: the configuration, overridden by the command line's flags.
fn workspace(global: &Global, flags: Vec<Flag>) -> Result<Workspace, Error> {
    Workspace::open(surroundings(global)?, flags)
}

fn below(workspace: &Workspace, path: &std::path::Path) -> PathBuf {
    workspace.around.dir.join(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_a_bug_by_its_exit_code_too() {
        assert_eq!(on_own_stack(|| panic!("broken")), ExitStatus::Bug);
        assert_eq!(on_own_stack(|| ExitStatus::Negative), ExitStatus::Negative);
    }
}
