//! `plan`: several agents plan a task, blind to each other; rules merge the parts that they agree on.

use std::path::PathBuf;
use std::rc::Rc;

use clap::Args;

use super::change::ScopeArgs;
use super::debate::terminal;
use super::facts::FactsArgs;
use super::number::setting;
use super::options::{Global, PanelArgs};
use super::output::Output;
use super::result::{self, Format};
use super::session::Session;
use super::surroundings;
use crate::app::Input;
use crate::app::planning::{self, Request};
use crate::error::{Error, Kind};
use crate::exit::ExitStatus;

#[derive(Debug, Args)]
#[command(after_help = "\
Each agent plans alone, then judges the others' steps without knowing whose they are.
The best plan is the base; steps of others that were agreed on are added, and changes
that nobody opposes are put in; the program checks the dependencies. What that leaves
in question is voted on. In a repository, planners see its files by folder and the
beginning of its README.

Examples:
  debate-agent plan 'Move the session store to SQLite' --rehearse
  debate-agent plan 'Move the session store to SQLite' --clarify=list
  debate-agent plan 'Add paging' --file docs/api.md
  debate-agent plan 'Finish what this branch began' --with-diff --base main
  debate-agent plan - --json < task.md > plan.json")]
pub(crate) struct PlanArgs {
    /// What is to be done; `-` reads it from standard input.
    pub(crate) task: String,
    #[command(flatten)]
    pub(crate) facts: FactsArgs,
    /// Show the planners what differs from HEAD, or the change in scope.
    #[arg(long)]
    pub(crate) with_diff: bool,
    /// With --with-diff: the files and folders to look at (default: all).
    #[arg(value_name = "PATH", requires = "with_diff")]
    pub(crate) paths: Vec<PathBuf>,
    /// A file that all planners are shown; can be repeated.
    #[arg(long, value_name = "CONTEXT")]
    pub(crate) file: Vec<PathBuf>,
    /// Let planners read the repository, with read-only tools; needs trust.
    #[arg(long)]
    pub(crate) read_repo: bool,
    /// Maximum number of cross-examinations (default 3).
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = setting::<u32>("plan.max_rounds"))]
    pub(crate) max_rounds: Option<u32>,
    /// Confidence in percent at which no further round is held (default 80).
    #[arg(long, value_name = "PERCENT", allow_negative_numbers = true, value_parser = setting::<u32>("plan.confidence"))]
    pub(crate) confidence: Option<u32>,
    /// How the result is printed.
    #[arg(long, value_name = "FORMAT")]
    pub(crate) format: Option<Format>,
    /// Write the reports into this directory instead of .debate/.
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    // Last: their headings would otherwise cover the options after them.
    #[command(flatten)]
    pub(crate) scope: ScopeArgs,
    #[command(flatten)]
    pub(crate) panel: PanelArgs,
}

impl PlanArgs {
    fn request(&self) -> Request {
        Request {
            task: Input::typed(&self.task),
            facts: self.facts.input(),
            clarify: self.facts.clarify,
            scope: self.with_diff.then(|| self.scope.request(&self.paths)),
            files: self.file.clone(),
            read_repo: self.read_repo,
            agents: self.panel.agents.clone(),
            max_rounds: self.max_rounds,
            confidence: self.confidence,
            out: self.out.clone(),
            options: self.panel.run_args.options(),
        }
    }
}

pub(super) fn plan(global: &Global, args: &PlanArgs, output: &Output) -> Result<ExitStatus, Error> {
    let call = &args.panel.run_args.call;
    result::one_result(call, args.format, output)?;
    if args.scope.is_given() && !args.with_diff {
        return Err(Error::new(
            Kind::Usage,
            "a scope is named, but the planners are not shown a change",
        )
        .hint("add --with-diff, or leave the scope out"));
    }
    let request = args.request();
    let files = request.files.iter().filter(|file| file.as_os_str() == "-").count();
    let inputs = [request.task.is_stdin(), request.facts.is_stdin()];
    if files + inputs.into_iter().filter(|stdin| *stdin).count() > 1 {
        return Err(Error::new(
            Kind::Usage,
            "standard input can be read only once, but two arguments are `-`",
        )
        .hint("put one of them into a file"));
    }
    let mut session = Session::open(surroundings(global)?, request, call, output)?;
    if let Some(person) = planning::person(&session.request, terminal())? {
        session.workspace = session.workspace.with_person(Rc::new(person));
    }
    session.warn();
    let Some(finished) = session.run_or_dry_run()? else {
        return Ok(ExitStatus::Success);
    };
    let status = finished.status.with_exit_zero(args.panel.run_args.exit_zero);
    result::print(&finished.document, args.format, status, call, output)
}
